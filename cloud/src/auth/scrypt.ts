import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** Derives a key of 32 bytes from a secret. `N`, `r` and `p` are the parameters of RFC 7914 section 2. */
export type Derive = (secret: string, salt: Buffer, cost: { N: number; r: number; p: number }) => Promise<Buffer>;

const PREFIX = 'scrypt$';
const COST = { N: 16_384, r: 8, p: 1 } as const;
const HASH_BYTES = 32;

/** Uses one thread, 16 MiB and some 50 ms. */
export const derive: Derive = (secret, salt, cost) =>
  new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: 64 * 1024 * 1024 };
    scrypt(secret, salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });

/** Whether `scryptHash` returned this text. */
export function isScryptHash(stored: string): boolean {
  return stored.startsWith(PREFIX);
}

/** Returns `scrypt$N$r$p$SALT$HASH` for a secret, with a new salt. */
export async function scryptHash(secret: string, deriveKey: Derive): Promise<string> {
  const salt = randomBytes(16);
  const hash = await deriveKey(secret, salt, COST);
  return PREFIX + [COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Whether `scryptHash` returned this hash for the secret. */
export async function isScryptOf(secret: string, stored: string, deriveKey: Derive): Promise<boolean> {
  const [N, r, p, salt = '', hash = ''] = stored.slice(PREFIX.length).split('$');
  const expected = Buffer.from(hash, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await deriveKey(secret, Buffer.from(salt, 'base64url'), cost);
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}
