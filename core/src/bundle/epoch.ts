import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import * as z from 'zod';
import { ProblemError } from '../problem.js';
import {
  BUNDLE_KEY_ALGORITHM,
  bundleKeySchema,
  claimsOf,
  type SigningKey,
  signJson,
  verifiedJson,
} from './signing-key.js';

const TYPE = 'policy-epoch+jws';

/** The key ids of epoch keys start with this. */
export const EPOCH_KEY_PREFIX = 'epoch-';

/** The public half of the key that signs epochs. */
export const epochKeySchema = bundleKeySchema.extend({ kid: z.string().startsWith(EPOCH_KEY_PREFIX) });
export type EpochKey = z.infer<typeof epochKeySchema>;

const statementSchema = z.strictObject({
  format: z.literal(1),
  number: z.int().min(1).max(999_999_999_999_999),
  id: z.string().regex(/^[0-9a-f]{8}$/),
  /** RFC 3339, UTC. */
  declared_at: z.iso.datetime(),
  /** The key that has signed this. Whoever has seen it before knows whether it is the same. */
  key: epochKeySchema,
});

/**
 * The state of a cloud's database since it was last set back. The number grows with each, so that the later one is known;
 * the id tells apart two that were declared in the same second.
 */
export interface Epoch {
  number: number;
  id: string;
  declaredAt: string;
  key: EpochKey;
  /** The signed statement. */
  jws: string;
}

/** As it is written in revision tokens: `1795450000-7f3a9c1e`. */
export function epochName({ number, id }: Pick<Epoch, 'number' | 'id'>): string {
  return `${number}-${id}`;
}

/** A new key that signs epochs, its private half as JWK for its file. */
export async function makeEpochKey(): Promise<JWK & { kid: string }> {
  const { privateKey } = await generateKeyPair(BUNDLE_KEY_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return {
    ...jwk,
    kid: `${EPOCH_KEY_PREFIX}${await calculateJwkThumbprint(jwk)}`,
    use: 'sig',
    alg: BUNDLE_KEY_ALGORITHM,
  };
}

/** A key that signs epochs, with the public half that goes along. */
export interface EpochSigner extends SigningKey {
  publicKey: EpochKey;
}

/** Reads what `makeEpochKey` made. Throws an error without details if it is anything else. */
export async function epochSigner(privateJwk: unknown): Promise<EpochSigner> {
  const jwk = z.looseObject({ d: z.string(), kid: z.string() }).parse(privateJwk) as JWK & { kid: string };
  const publicKey = epochKeySchema.parse(jwk);
  if (publicKey.kid !== `${EPOCH_KEY_PREFIX}${await calculateJwkThumbprint(jwk)}`)
    throw new Error('the id is of another key');
  return {
    kid: publicKey.kid,
    publicKey,
    privateKey: (await importJWK(jwk, BUNDLE_KEY_ALGORITHM)) as SigningKey['privateKey'],
  };
}

/** Declares an epoch. */
export async function declareEpoch(
  { number, id, declaredAt }: Pick<Epoch, 'number' | 'id' | 'declaredAt'>,
  { publicKey, ...signer }: EpochSigner,
): Promise<Epoch> {
  const statement: z.infer<typeof statementSchema> = { format: 1, number, id, declared_at: declaredAt, key: publicKey };
  return { number, id, declaredAt, key: publicKey, jws: await signJson(statement, TYPE, signer) };
}

/** The epoch in a statement that the key in it has signed; undefined for any other text. Whether to trust that key is up to the caller. */
export async function readEpoch(jws: string): Promise<Epoch | undefined> {
  const said = statementSchema.safeParse(claimsOf(jws)).data;
  if (said === undefined) return undefined;
  const proven = statementSchema.safeParse(await verifiedJson(jws, TYPE, [said.key])).data;
  if (proven === undefined) return undefined;
  const { number, id, declared_at, key } = proven;
  return { number, id, declaredAt: declared_at, key, jws };
}

/** The epoch that a verified bundle states; undefined if it states none. Throws `invalid_bundle` if that is not signed. */
export async function statedEpoch({ epoch: jws }: { epoch?: string | undefined }): Promise<Epoch | undefined> {
  if (jws === undefined) return undefined;
  const epoch = await readEpoch(jws);
  if (epoch === undefined)
    throw new ProblemError('invalid_bundle', 'The bundle states an epoch that nobody has signed.');
  return epoch;
}

/** Ids are claims: only the points on the curve make a key. */
export function isSameKey(one: EpochKey, other: EpochKey): boolean {
  return one.x === other.x && one.y === other.y;
}
