import type { DeltaHead } from '@authz-service/core/bundle/delta';
import { type ChangeText, packDelta } from '@authz-service/core/bundle/delta-write';
import { recordText } from '@authz-service/core/bundle/record-text';
import type { BundleTenant } from '@authz-service/core/bundle/types';
import { kindRank } from '@authz-service/core/records/kinds';
import { addressOf } from '@authz-service/core/records/registry';
import type { TestSigner } from './test-signer.js';

export interface DeltaOptions {
  /** A head to use instead of the correct one. */
  head?: Partial<DeltaHead>;
  /** Changes the list of changes. */
  edit?: (changes: ChangeText[]) => ChangeText[];
  /** Returns the signature; by default that of the signer, and none if it is null. */
  sign?: ((sha256: string) => Promise<string>) | null;
}

/** The archive of the changes from one revision of a tenant to another. */
export function deltaBetween(
  signer: TestSigner,
  from: BundleTenant,
  to: BundleTenant,
  { head = {}, edit = (changes) => changes, sign = (sha256) => signer.signDelta(sha256) }: DeltaOptions = {},
): Promise<Buffer> {
  const changes = new Map<string, ChangeText & { rank: number }>();
  for (const [side, { records }] of [
    ['before', from],
    ['after', to],
  ] as const) {
    for (const record of records) {
      const address = addressOf(record.kind, record.fields);
      const rank = kindRank(record.kind);
      changes.set(address, { ...changes.get(address), rank, [side]: recordText(record) });
    }
  }
  const changed = [...changes].filter(([, { before, after }]) => before !== after);
  changed.sort(([a, one], [b, other]) => one.rank - other.rank || (a < b ? -1 : 1));
  const { id, name, revision, digest } = to;
  const base = { revision: from.revision, digest: from.digest };
  return packDelta(
    { tenant: { id, name }, base, revision, digest, ...head },
    edit(changed.map(([, one]) => one)),
    sign ?? undefined,
  );
}
