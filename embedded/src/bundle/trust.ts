import { createHash } from 'node:crypto';
import { type Epoch, type EpochKey, isSameKey, readEpoch } from '@authz-service/core/bundle/epoch';
import { followAnnouncements, type KeySet } from '@authz-service/core/bundle/key-set';
import type { ServedKeys } from '@authz-service/core/bundle/served-keys';
import { type BundleKey, keyIdOf } from '@authz-service/core/bundle/signing-key';
import {
  type BundleStatement,
  type DeltaStatement,
  verifyDelta,
  verifyStatement,
} from '@authz-service/core/bundle/statement';
import type { ByteSource } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import { timeSlicing } from '../time-slicing.js';

const HASH_STEP_BYTES = 256 * 1024;

/** The keys with which bundles are verified. A value object: following announcements returns another one. */
export interface Trust {
  /** The keys at the beginning: the pinned ones, or those of the first contact. Empty before that. */
  roots: readonly BundleKey[];
  /** Whether an operator pinned the roots. */
  pinned: boolean;
  /** The announcements that lead from the roots to the present keys. */
  announcements: readonly string[];
  set: KeySet;
  /** The key that signs epochs, once it is known, and the highest epoch that was seen. */
  epochKey?: EpochKey | undefined;
  epoch?: Epoch | undefined;
}

/** The keys that an operator has told an agent to trust from the beginning. */
export type PinnedKeys = Pick<ServedKeys, 'keys' | 'epochKey'>;

export const NO_TRUST: Trust = { roots: [], pinned: false, announcements: [], set: { version: 0, keys: [] } };

/**
 * `kept` is what the cache holds of an earlier run. Its announcements are verified again; pinned keys replace its
 * roots.
 */
export async function trustOf(pinned: PinnedKeys | undefined, kept: ServedKeys | undefined): Promise<Trust> {
  const roots = pinned?.keys ?? kept?.keys ?? [];
  const announcements = kept?.announcements ?? [];
  const set = await followAnnouncements({ version: 0, keys: roots }, announcements);
  const seen = kept?.epoch === undefined ? undefined : await readEpoch(kept.epoch);
  const epoch = seen && pinned?.epochKey && !isSameKey(seen.key, pinned.epochKey) ? undefined : seen;
  return { roots, pinned: pinned !== undefined, announcements, set, epoch, epochKey: pinned?.epochKey ?? epoch?.key };
}

/** The trusted keys after these were received: all of them on first contact, later only the announced ones. */
export async function follow(trust: Trust, served: ServedKeys): Promise<Trust> {
  // What signs epochs is learned from bundles: an agent's own file has the epoch, a cloud's JWKS only the key.
  if (trust.roots.length === 0)
    return {
      ...(await trustOf(undefined, { keys: served.keys, announcements: served.announcements })),
      epochKey: trust.epochKey,
      epoch: trust.epoch,
    };
  const set = await followAnnouncements(trust.set, served.announcements);
  if (set.version === trust.set.version) return trust;
  return { ...trust, announcements: [...new Set([...trust.announcements, ...served.announcements])], set };
}

export function trusts({ set }: Trust, kid: string): boolean {
  return set.keys.some((key) => key.kid === kid);
}

/**
 * The statement that one of these signatures makes about the bytes with this SHA-256. If none is valid, throws the
 * `invalid_bundle` of the first.
 */
export async function verify(
  sha256: string,
  signatures: readonly (string | undefined)[],
  trust: Trust,
): Promise<{ statement: BundleStatement; jws: string; kid: string }> {
  let fault: unknown;
  for (const jws of signatures.length > 0 ? signatures : [undefined]) {
    try {
      const statement = await verifyStatement(jws, sha256, trust.set.keys);
      return { statement, jws: jws ?? '', kid: keyIdOf(jws ?? '') ?? '' };
    } catch (error) {
      fault ??= error;
    }
  }
  throw advised(fault as ProblemError, signatures, trust);
}

/** If the signer is unknown, no later poll repairs that: the error says what does. */
function advised(fault: ProblemError, signatures: readonly (string | undefined)[], trust: Trust): ProblemError {
  const signers = signatures.flatMap((jws) => (jws === undefined ? [] : (keyIdOf(jws) ?? [])));
  const strange = signers.length > 0 && !signers.some((kid) => trusts(trust, kid));
  if (!strange || trust.set.keys.length === 0) return fault;
  return new ProblemError(fault.code, `${fault.detail} ${trust.pinned ? TO_PIN : TO_FORGET}`, [], { cause: fault });
}

const TO_PIN =
  'No announcement leads there from the keys of SERVICE_BUNDLE_JWKS: check SERVICE_CLOUD_URL or SERVICE_BUNDLE_URL, then pin the keys that the ' +
  'cloud serves at /.well-known/jwks.json.';
const TO_FORGET =
  'No announcement leads there from the keys in bundle-keys.json: check SERVICE_CLOUD_URL. If the cloud was replaced or ' +
  'restored on purpose, stop the agent, remove bundle.json and bundle-keys.json from its cache directory and start it again.';

/** Does the same for the bytes of a delta and its only signature. */
export async function verifyChanges(
  json: Buffer,
  jws: string | undefined,
  { set }: Trust,
): Promise<{ statement: DeltaStatement; jws: string; kid: string }> {
  const statement = await verifyDelta(jws, await sha256Of(json), set.keys);
  return { statement, jws: jws ?? '', kid: keyIdOf(jws ?? '') ?? '' };
}

/** The digest in hex, computed in short steps between requests. */
export function sha256Of(bytes: ByteSource): Promise<string> {
  return timeSlicing.run(sha256InSteps(bytes));
}

function* sha256InSteps(bytes: ByteSource): Generator<undefined, string> {
  const hash = createHash('sha256');
  for (let position = 0; position < bytes.length; position += HASH_STEP_BYTES) {
    hash.update(bytes.subarray(position, position + HASH_STEP_BYTES));
    yield;
  }
  return hash.digest('hex');
}
