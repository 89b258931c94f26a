import * as z from 'zod';
import { type BundleKey, type SigningKey, signJson, verifiedJson } from './signing-key.js';

const TYPE = 'policy-bundle-newest+jws';

/** The header of an answer about a bundle that says, signed, when that was the newest one. */
export const NEWEST_HEADER = 'Bundle-Newest';

const schema = z.strictObject({
  format: z.literal(1),
  /** The revision of the bundle, as its ETag names it. */
  bundle: z.string(),
  /** A time at which it was the newest, by the clock of the cloud (RFC 3339, UTC). */
  at: z.iso.datetime(),
});

/** The text of the header. */
export function signNewest(bundle: string, at: Date, key: SigningKey): Promise<string> {
  return signJson({ format: 1, bundle, at: at.toISOString() } satisfies z.infer<typeof schema>, TYPE, key);
}

/**
 * The time at which a bundle was the newest, in milliseconds since the epoch; undefined if none of the keys has signed
 * that of this bundle.
 */
export async function newestAt(
  jws: string | undefined,
  bundle: string,
  keys: readonly BundleKey[],
): Promise<number | undefined> {
  if (jws === undefined) return undefined;
  const { data } = schema.safeParse(await verifiedJson(jws, TYPE, keys));
  return data?.bundle === bundle ? Date.parse(data.at) : undefined;
}
