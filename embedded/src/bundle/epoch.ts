import { type Epoch, epochName, isSameKey, statedEpoch } from '@authz-service/core/bundle/epoch';
import type { BundleStatement, DeltaStatement } from '@authz-service/core/bundle/statement';
import { ProblemError } from '@authz-service/core/problem';
import type { Served } from './served.js';
import type { Trust } from './trust.js';

/**
 * The epoch that the cloud states in a verified bundle. Only a cloud that has been restored by somebody with the epoch key
 * gets a later one; a lower one, another one of the same number, or one by another key is refused for ever, unless the
 * operator permits what is older. Throws `invalid_bundle`.
 */
export async function epochOf(
  statement: BundleStatement,
  { epoch: known, epochKey }: Trust,
  { allowRollback }: { allowRollback: boolean },
): Promise<Epoch | undefined> {
  const stated = await statedEpoch(statement);
  if (allowRollback) return stated;
  if (stated === undefined) {
    if (known === undefined) return undefined;
    throw invalid(`The bundle states no epoch, but the agent has seen the epoch ${epochName(known)}. ${REMEDY}`);
  }
  const name = epochName(stated);
  if (epochKey && !isSameKey(stated.key, epochKey))
    throw invalid(`The epoch ${name} is signed by the key ${stated.key.kid}, and not by ${epochKey.kid}. ${REMEDY}`);
  if (known === undefined || stated.number > known.number || name === epochName(known)) return stated;
  const fault = stated.number < known.number ? 'is earlier than' : 'contradicts';
  throw invalid(`The epoch ${name} of the bundle ${fault} ${epochName(known)}, which the agent has seen. ${REMEDY}`);
}

/** Returns what is trusted once a bundle of this epoch was found good. */
export function withEpoch(trust: Trust, epoch: Epoch | undefined): Trust {
  if (epoch?.jws === trust.epoch?.jws) return trust;
  return { ...trust, epoch, epochKey: epoch?.key ?? trust.epochKey };
}

/** Changes lead to no other epoch: only a whole bundle proves one. Throws `invalid_bundle`. */
export function refuseOtherEpoch({ epoch }: DeltaStatement, served: Pick<Served, 'epoch'>): void {
  const own = served.epoch && epochName(served.epoch);
  if (epoch !== own) throw invalid(`The delta is of ${said(epoch)}, and what is served of ${said(own)}.`);
}

function said(epoch: string | undefined): string {
  return epoch === undefined ? 'no epoch' : `the epoch ${epoch.slice(0, 100)}`;
}

const REMEDY =
  'Check SERVICE_CLOUD_URL: somebody may have put up an old copy of the cloud. If it was set back on purpose, have it declare ' +
  'an epoch with its own key, or start the agent once with SERVICE_ALLOW_ROLLBACK=true.';

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', detail);
}
