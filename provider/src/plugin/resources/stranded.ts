import type { Address } from '@authz-service/core/records/address';
import {
  type DeclaredRecord,
  definitionOf,
  referencesOf,
  type StoredRecord,
} from '@authz-service/core/records/registry';
import type { RecordView } from '@authz-service/core/state/change';
import { validateRecords } from '@authz-service/core/state/validate';
import type { Diagnostic } from '../framework/diagnostics.js';
import type { Records } from './snapshot.js';

type ResourceType = DeclaredRecord<'resource_type'>;

/**
 * What a changed type would make invalid of the records there are. Terraform changes what mentions a record after it,
 * so that the service will refuse the change; only what is removed is gone before. Of other stacks' records nothing
 * changes in this run.
 */
export function strandedBy(type: ResourceType, records: Records, isOwn: (owner: string) => boolean): Diagnostic[] {
  const touched = [...records.all()].filter((record) => mentions(record, type));
  const view: RecordView = {
    get: (address) => (address === type.address ? type : records.get(address)),
    inbound: () => [],
  };
  const addresses = touched.map(({ address }) => address);
  const found = validateRecords(view, addresses, { external: () => true });
  return found
    .filter(({ severity }) => severity === 'error')
    .map(({ address, detail }) => {
      const owner = records.get(address)?.managed_by ?? '';
      const invalid = `"${address}" would become invalid. ${detail}`;
      return isOwn(owner)
        ? {
            severity: 'warning',
            summary: 'Two applies needed',
            detail: `${invalid} This is refused unless the same apply removes it: Terraform changes what mentions a record after it. Do it in two applies: first add here what is new and change what mentions it, then remove what is old.`,
          }
        : {
            severity: 'error',
            summary: 'Record of another stack in the way',
            detail: `${invalid} It belongs to the stack "${owner}": change it there first.`,
          };
    });
}

function mentions({ kind, fields }: StoredRecord, { address }: ResourceType): boolean {
  const path = address.slice('resource_type/'.length);
  if (kind === 'resource') return fields.type === path;
  if (kind !== 'policy') return false;
  return (
    fields.resource_type === path || (fields.resources ?? []).some(({ resource }) => resource.startsWith(`${path}/`))
  );
}

/** A record that mentions another, in the field of that name. */
export interface Mention {
  by: StoredRecord;
  field: string;
}

/** What mentions each record. */
export function mentionsAmong(records: Records): ReadonlyMap<Address, readonly Mention[]> {
  const mentions = new Map<Address, Mention[]>();
  for (const by of records.all()) {
    for (const { pointer, target } of referencesOf(by.kind, by.fields)) {
      const known = mentions.get(target) ?? [];
      known.push({ by, field: pointer.split('/')[1] ?? '' });
      mentions.set(target, known);
    }
  }
  return mentions;
}

/**
 * What still mentions a record when Terraform removes it to make one of another name: what changes in place, which is
 * after that. What has the name in its own key is replaced, too, and removed before.
 */
export function changedAfter(before: Address, after: Address, mentions: readonly Mention[]): StoredRecord[] {
  const [, application] = before.split('/');
  const moves = application !== after.split('/')[1];
  return mentions
    .filter(({ by, field }) => definitionOf(by.kind).schema.shape[field]?.meta()?.key !== true)
    .map(({ by }) => by)
    .filter(({ fields }) => !(moves && 'application' in fields && fields.application === application));
}

const SHOWN = 3;

/** Terraform does not tell a provider whether it makes the new one first, which would be well. */
export function inTheWay(address: Address, by: readonly StoredRecord[]): Diagnostic {
  const shown = by.slice(0, SHOWN).map((record) => `"${record.address}"`);
  const more = by.length > SHOWN ? ` and ${by.length - SHOWN} more` : '';
  const detail = `"${address}" is mentioned by ${shown.join(', ')}${more}, which change after it. Without lifecycle { create_before_destroy = true } here Terraform removes it before, which the service refuses in the midst of the apply.`;
  return { severity: 'warning', summary: 'Rename of a record in use', detail };
}
