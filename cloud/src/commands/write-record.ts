import type { Json, JsonObject } from '@authz-service/core/json/json';
import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import type { Kind } from '@authz-service/core/records/kinds';
import { addressOf, type StoredRecord } from '@authz-service/core/records/registry';
import type { Change } from '@authz-service/core/state/change';
import { parseFields } from '@authz-service/core/state/parse-fields';
import type { Credential } from '../auth/credential.js';
import { hashGeneratedSecret, newApiKey, newClientSecret } from '../auth/secrets.js';
import type { Cloud } from '../cloud.js';
import { mergePatch } from '../records/merge-patch.js';
import { fromWire, toWire } from '../records/record-wire.js';
import type { CredentialKind } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';
import { commit } from './commit.js';
import { findRecord } from './find-record.js';
import type { MadeSecret } from './mint-secrets.js';

interface WriteOrder {
  kind: Kind;
  /** On whose behalf; without one, ownership is not asked. */
  stack?: string;
  credential: Credential;
  requestId: string;
  now: number;
  charge?: (changes: number) => void;
}

/** Creates one record. The secret is that of a credential, known only now. */
export async function createRecord(
  cloud: Cloud,
  order: WriteOrder & { body: JsonObject; operator?: boolean },
): Promise<{ record: StoredRecord; revision: string; secret?: MadeSecret }> {
  const changes = (tenant: Tenant): Change[] => {
    const { fields, faults } = fromWire(order.kind, order.body, tenant.state);
    refuse(faults);
    return [{ op: 'create', kind: order.kind, fields }];
  };
  const { records, revision, secrets } = await commitOne(cloud, { ...order, changes });
  const [record] = records;
  if (record === undefined) throw new Error('a creation made nothing');
  const [secret] = secrets;
  return { record, revision, ...(secret && { secret }) };
}

/**
 * Changes one record by a JSON merge patch of its GET representation. A change of the natural key renames the record:
 * the id stays, and references follow. `isExpected` judges whether the caller has seen the record as it is.
 */
export async function updateRecord(
  cloud: Cloud,
  order: WriteOrder & { name: string; patch: JsonObject; isExpected(record: StoredRecord): boolean },
): Promise<{ record: StoredRecord; revision: string }> {
  let present: StoredRecord | undefined;
  const changes = (tenant: Tenant): Change[] => {
    present = findRecord(tenant.state, order.kind, order.name);
    expect(present, order.isExpected);
    const { fields, faults } = fromWire(order.kind, order.patch, tenant.state, toWire(present, tenant.state));
    refuse(faults);
    return changesTo(present, mergePatch(present.fields as unknown as Json, fields) as JsonObject);
  };
  const { records, revision } = await commitOne(cloud, { ...order, changes });
  const record = records.find(({ kind, id }) => kind === order.kind && id === present?.id) ?? records[0] ?? present;
  if (record === undefined) throw new Error('an update found nothing');
  return { record, revision };
}

/**
 * Gives a credential another generated secret, which is known only now. The one before ends at once, or after so many seconds.
 */
export async function rotateSecret(
  cloud: Cloud,
  order: WriteOrder & {
    kind: CredentialKind;
    name: string;
    overlapSeconds: number;
    isExpected(record: StoredRecord): boolean;
  },
): Promise<{ record: StoredRecord; revision: string; secret: string; formerUntil?: string }> {
  const { kind, overlapSeconds, now } = order;
  const secret = kind === 'api_key' ? newApiKey() : newClientSecret();
  const hashes = new Map<Change, string>();
  const formerUntil = overlapSeconds > 0 ? new Date(now + overlapSeconds * 1000).toISOString() : undefined;
  const changes = (tenant: Tenant): Change[] => {
    const present = findRecord(tenant.state, kind, order.name);
    expect(present, order.isExpected);
    const update: Change = { op: 'update', address: present.address, fields: { ...present.fields }, secret };
    hashes.set(update, hashGeneratedSecret(secret));
    return [update];
  };
  const command = { ...order, changes, hashes, ...(formerUntil !== undefined && { formerUntil }) };
  const { records, revision } = await commitOne(cloud, command);
  const [record] = records;
  if (record === undefined) throw new Error('a rotation wrote nothing');
  return { record, revision, secret, ...(formerUntil !== undefined && { formerUntil }) };
}

/** Returns the revision without the record. */
export async function deleteRecord(
  cloud: Cloud,
  order: WriteOrder & { name: string; isExpected(record: StoredRecord): boolean },
): Promise<string> {
  const changes = (tenant: Tenant): Change[] => {
    const present = findRecord(tenant.state, order.kind, order.name);
    expect(present, order.isExpected);
    return [{ op: 'delete', address: present.address }];
  };
  const { revision } = await commitOne(cloud, { ...order, changes });
  return revision;
}

function changesTo(present: StoredRecord, fields: JsonObject): Change[] {
  const parsed = parseFields(present.kind, fields);
  if (parsed.faults) refuse(parsed.faults);
  else {
    const address = addressOf(present.kind, parsed.fields);
    const update: Change = { op: 'update', address, fields };
    return address === present.address ? [update] : [{ op: 'move', from: present.address, to: address }, update];
  }
  return [];
}

function expect(record: StoredRecord, isExpected: (record: StoredRecord) => boolean): void {
  if (isExpected(record)) return;
  throw new ProblemError(
    'precondition_failed',
    `${record.address} is at revision ${record.revision}, not at the one in If-Match: read it again, then repeat.`,
  );
}

function refuse(faults: readonly ProblemItem[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  throw new ProblemError('invalid_records', `${first.pointer}: ${first.detail}${more}`, faults);
}

/** Matches the pointer to the fields of one change in a list of changes. */
const IN_CHANGES = /^\/changes\/\d+(?:\/fields)?/;

/** Commits one record's changes; faults point into that record instead of into a list of changes. */
async function commitOne(
  cloud: Cloud,
  command: Parameters<typeof commit>[1],
): Promise<{ records: StoredRecord[]; revision: string; secrets: MadeSecret[] }> {
  try {
    const done = await commit(cloud, command);
    const { revision } = done.committed;
    if (done.replayed) return { records: [], revision, secrets: [] };
    return { records: done.records, revision, secrets: done.committed.secrets };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.errors.length === 0) throw error;
    const errors = error.errors.map((item) => ({ ...item, pointer: item.pointer.replace(IN_CHANGES, '') }));
    const detail = error.detail.replace(IN_CHANGES, '').replace(/^: /, 'The record ');
    throw new ProblemError(error.code, detail, errors);
  }
}
