import { jsonPointer } from '@authz-service/core/json/json-pointer';
import { ProblemError } from '@authz-service/core/problem';
import { type Address, splitAddress } from '@authz-service/core/records/address';
import { JSON_WORDS } from '@authz-service/core/records/describe';
import { issueText } from '@authz-service/core/records/issue-text';
import type { Kind } from '@authz-service/core/records/kinds';
import { definitionOf, type StoredRecord } from '@authz-service/core/records/registry';
import { metaOf, unwrap } from '@authz-service/core/records/schema-shape';
import { decodeCursor, encodeCursor } from '@authz-service/core/values/cursor';
import * as z from 'zod';
import { scalarFields } from '../records/record-schema.js';
import { toWire } from '../records/record-wire.js';
import { wireShape } from '../records/wire-shape.js';
import type { ReadableTenant } from '../tenants/tenant.js';

export interface ListOrder {
  kind: Kind;
  /** Compares for equality, by the names of `filterNames`. */
  filter: Readonly<Record<string, string>>;
  limit: number;
  cursor?: string;
  /** The past moment that is asked for, to which a cursor belongs. */
  at?: string | undefined;
}

/** A page of a kind's records in the order of their addresses. */
export async function listRecords(
  tenant: ReadableTenant,
  order: ListOrder,
): Promise<{ records: StoredRecord[]; next?: string }> {
  const { kind, filter, limit, cursor, at } = order;
  const list = [tenant.id, kind, JSON.stringify(Object.entries(filter).sort()), ...(at === undefined ? [] : [at])];
  const after = cursor === undefined ? '' : decodeCursor(list, cursor);
  const addresses = await tenant.addresses(kind);
  const tests = Object.entries(filter).map(([name, value]) => testOf(tenant, kind, name, value));
  const records: StoredRecord[] = [];
  for (const address of addresses.from(after)) {
    const record = address === after ? undefined : tenant.state.get(address as Address);
    if (record === undefined || !tests.every((test) => test(record))) continue;
    const last = records.at(-1);
    if (records.length === limit && last) return { records, next: encodeCursor(list, last.address) };
    records.push(record);
  }
  return { records };
}

/** The filters for lists of this kind. */
export function filterNames(kind: Kind): string[] {
  const { mentions, within } = wireShape(kind);
  const names = ['id', 'address', 'managed_by', ...scalarFields(kind), ...mentions.map(({ name }) => `${name}_id`)];
  if (within !== undefined) names.push('application', 'application_id');
  return [...new Set(names)];
}

function testOf(tenant: ReadableTenant, kind: Kind, name: string, value: string): (record: StoredRecord) => boolean {
  if (name === 'address') return (record) => record.address === value;
  if (name === 'managed_by') return (record) => record.managed_by === value;
  const field = (definitionOf(kind).schema.shape as Record<string, z.core.$ZodType>)[name];
  if (field !== undefined) {
    checkChoice(name, field, value);
    // The bare names of resource types are accepted, too, as in the rest of the API.
    const bare = metaOf(field).reference === 'resource_type' && !value.includes('/');
    return (record) => {
      const held = String((record.fields as Record<string, unknown>)[name]);
      return held === value || (bare && held.endsWith(`/${value}`));
    };
  }
  if (name === 'id') return (record) => record.id === value;
  // Ids of referenced records are resolved to paths first, so that a page needs no look-up for every record of the
  // tenant.
  const mention = wireShape(kind).mentions.find((candidate) => `${candidate.name}_id` === name);
  if (mention && typeof mention.kind === 'string') {
    const mentioned = tenant.state.find(mention.kind, value);
    const path = mentioned && splitAddress(mentioned.address).path;
    return (record) => path !== undefined && (record.fields as Record<string, unknown>)[mention.name] === path;
  }
  return (record) => toWire(record, tenant.state)[name] === value;
}

/** Throws `invalid_request` if the field can never hold this value. */
function checkChoice(name: string, field: z.core.$ZodType, value: string): void {
  const inner = unwrap(field);
  if (!(inner instanceof z.ZodEnum)) return;
  const [issue] = inner.safeParse(value).error?.issues ?? [];
  if (issue === undefined) return;
  const fault = { pointer: jsonPointer(name), detail: issueText(issue, value, JSON_WORDS) };
  throw new ProblemError('invalid_request', `The query is malformed: ${name}: ${fault.detail}`, [fault]);
}
