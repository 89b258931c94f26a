import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { decodeDeltaInSteps, unpackDelta } from '@authz-service/core/bundle/delta-read';
import { epochName, statedEpoch } from '@authz-service/core/bundle/epoch';
import { BUNDLE_LIMITS, DELTA_LIMITS } from '@authz-service/core/bundle/limits';
import { unpackBundleTo } from '@authz-service/core/bundle/read';
import { type BundleKey, keyIdOf } from '@authz-service/core/bundle/signing-key';
import { verifyDelta, verifyStatement } from '@authz-service/core/bundle/statement';
import { ProblemError } from '@authz-service/core/problem';
import { tokenOf } from '@authz-service/core/state/revision';

/*
 * Nothing is published that agents would refuse: what was cut off or changed on its way from the cloud, or on this disk, is
 * found here.
 */

export interface CheckedArchive {
  tenant: string;
  /** The revision that it holds or leads to, with its epoch if the cloud has declared one. */
  revision: string;
  /** The id of the key that signed it. */
  kid: string;
}

/** Checks the signature of a whole bundle, and that it holds one tenant. Throws `invalid_bundle`. */
export async function checkedBundle(bytes: Uint8Array, keys: readonly BundleKey[]): Promise<CheckedArchive> {
  const hash = createHash('sha256');
  const sink = { write: async (piece: Buffer) => void hash.update(piece) };
  const jws = await unpackBundleTo(Readable.from([Buffer.from(bytes)]), BUNDLE_LIMITS, sink);
  const statement = await verifyStatement(jws, hash.digest('hex'), keys);
  const epoch = await statedEpoch(statement);
  const [tenant, another] = statement.tenants;
  if (tenant === undefined || another !== undefined) throw severalTenants(statement.tenants.length);
  return {
    tenant: tenant.id,
    revision: tokenOf(tenant.revision, epoch && epochName(epoch)),
    kid: keyIdOf(jws ?? '') ?? '',
  };
}

/** Checks the signature of changes, and that they start at this revision. Throws `invalid_bundle`. */
export async function checkedDelta(
  bytes: Uint8Array,
  base: string,
  keys: readonly BundleKey[],
): Promise<CheckedArchive> {
  const { json, jws } = await unpackDelta(Buffer.from(bytes), DELTA_LIMITS);
  const { epoch } = await verifyDelta(jws, createHash('sha256').update(json).digest('hex'), keys);
  const steps = decodeDeltaInSteps(json);
  let step = steps.next();
  while (!step.done) step = steps.next();
  const { tenant, base: from, revision } = step.value;
  const start = tokenOf(from.revision, epoch);
  if (start !== base) {
    throw new ProblemError('invalid_bundle', `The changes start at revision ${start} instead of ${base}.`);
  }
  return { tenant: tenant.id, revision: tokenOf(revision, epoch), kid: keyIdOf(jws ?? '') ?? '' };
}

export function severalTenants(count: number): ProblemError {
  return new ProblemError(
    'invalid_request',
    `The bundle of this credential holds ${count === 0 ? 'no tenant' : 'several tenants'}, as an operator's does: name one with --tenant.`,
  );
}
