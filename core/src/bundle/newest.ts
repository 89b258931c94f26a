import * as z from 'zod';
import { isToken } from '../state/revision.js';
import { type BundleKey, type SigningKey, signJson, verifiedJson } from './signing-key.js';

const TYPE = 'policy-bundle-newest+jws';

/** The header of an answer about a bundle that says, signed, when that was the newest one. */
export const NEWEST_HEADER = 'Bundle-Newest';

const schema = z.strictObject({
  format: z.literal(1),
  /**
   * The id of the bundle's only tenant, since two tenants with the same records have bundles of the same name. Absent if it
   * holds several: its name is then a digest over their ids.
   */
  tenant: z.string().optional(),
  /** The name of the bundle, as its ETag has it: its revision, and the epoch if the cloud has declared one. */
  bundle: z.string(),
  /** The revision of the tenant, `NUMBER.DIGEST`, of which a slice is the part; absent if the bundle holds all. */
  of: z.string().refine(isToken).optional(),
  /** A time at which it was the newest, by the clock of the cloud (RFC 3339, UTC). */
  at: z.iso.datetime(),
});

/** A bundle by its name, and the id of its tenant if it holds only one. */
export interface NamedBundle {
  tenant: string | undefined;
  bundle: string;
}

/** A bundle that was signed as the newest. */
export interface NewestBundle extends NamedBundle {
  /** The tenant's revision of which a slice is the part. */
  of?: string | undefined;
}

/** The text of the header. */
export function signNewest({ tenant, bundle, of }: NewestBundle, at: Date, key: SigningKey): Promise<string> {
  const statement: z.infer<typeof schema> = { format: 1, tenant, bundle, of, at: at.toISOString() };
  return signJson(statement, TYPE, key);
}

/** Returns what one of the keys has signed about the newest bundle, with the time in milliseconds since the epoch. */
export async function readNewest(
  jws: string,
  keys: readonly BundleKey[],
): Promise<(NewestBundle & { atMs: number }) | undefined> {
  const { data } = schema.safeParse(await verifiedJson(jws, TYPE, keys));
  return data && { tenant: data.tenant, bundle: data.bundle, of: data.of, atMs: Date.parse(data.at) };
}

/** The statement that one of the keys has signed about this bundle as the newest; undefined if none has. */
export async function newestOf(
  jws: string | undefined,
  { tenant, bundle }: NamedBundle,
  keys: readonly BundleKey[],
): Promise<(NewestBundle & { atMs: number }) | undefined> {
  const newest = jws === undefined ? undefined : await readNewest(jws, keys);
  return newest?.bundle === bundle && newest.tenant === tenant ? newest : undefined;
}
