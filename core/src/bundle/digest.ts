import { createHash } from 'node:crypto';
import type { EngineRecord } from '../access/api/engine.js';
import { isDistributed } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { DigestSet } from '../state/digest-set.js';
import type { BundleTenant } from './types.js';

/**
 * The digest of these records in hex, the same that `TenantState.digest` keeps: whatever their order, ids, owners and
 * times, and without credentials.
 */
export function digestRecords(records: Iterable<EngineRecord>): string {
  const digest = new DigestSet();
  for (const record of records) {
    if (isDistributed(record)) digest.add(addressOf(record.kind, record.fields), record.fields);
  }
  return digest.hex();
}

/**
 * Identifies a bundle: the revision of its only tenant, or else a digest over the tenants' ids and revisions, and the ids of
 * those that cannot be read.
 */
export function bundleRevision(
  tenants: readonly Pick<BundleTenant, 'id' | 'revision' | 'digest'>[],
  unreadable: readonly Pick<BundleTenant, 'id'>[] = [],
): string {
  const [only] = tenants;
  if (only && tenants.length === 1 && unreadable.length === 0) return only.revision;
  const read = tenants.map(({ id, revision, digest }) => JSON.stringify([id, revision, digest]));
  const lines = [...read, ...unreadable.map(({ id }) => JSON.stringify([id]))].sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
