import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

export const API_KEY_PREFIX = 'svc_';

/** A new API key: the prefix and 256 random bits. */
export function newApiKey(): string {
  return API_KEY_PREFIX + randomBytes(32).toString('base64url');
}

/** A new client secret: 256 random bits. */
export function newClientSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of an API key. It has 256 random bits, so that a fast hash gives nothing to guess. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

const COST = { N: 16_384, r: 8, p: 1 } as const;
const HASH_BYTES = 32;

/** What is stored of a client secret, which may have been chosen by a person: `scrypt$N$r$p$SALT$HASH`. */
export async function hashClientSecret(secret: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(secret, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

const NOBODY = ['scrypt', COST.N, COST.r, COST.p, 'AAAAAAAAAAAAAAAAAAAAAA', 'A'.repeat(43)].join('$');

/**
 * Secrets that were derived and found right, by what is stored of them: a pipeline asks for a token at each of its steps,
 * and each derivation takes 50 ms. Kept in memory alone, under a key that this process makes; the oldest is forgotten.
 */
const proven = new Map<string, Buffer>();
const PROVEN_MAX = 10_000;
const provenKey = randomBytes(32);

/** Whether the secret is the stored one. Without a stored one it takes as long as with a wrong one, and is false. */
export async function isClientSecret(secret: string, stored: string | undefined): Promise<boolean> {
  const proof = createHmac('sha256', provenKey).update(secret).digest();
  const known = stored === undefined ? undefined : proven.get(stored);
  if (known !== undefined && timingSafeEqual(known, proof)) return true;
  if (!(await isDerived(secret, stored))) return false;
  if (stored !== undefined) {
    const [oldest] = proven.keys();
    if (oldest !== undefined && proven.size >= PROVEN_MAX) proven.delete(oldest);
    proven.set(stored, proof);
  }
  return true;
}

async function isDerived(secret: string, stored: string | undefined): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (stored ?? NOBODY).split('$');
  const expected = Buffer.from(hash, 'base64url');
  const derived = await derive(secret, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return derived.length === expected.length && timingSafeEqual(derived, expected) && stored !== undefined;
}

/** Key derivations take threads and 16 MiB each: the rest of the process must not wait for a flood of them. */
const DERIVATIONS_MAX = 2;
let running = 0;
const waiting: (() => void)[] = [];

async function derive(secret: string, salt: Buffer, cost: { N: number; r: number; p: number }): Promise<Buffer> {
  if (running >= DERIVATIONS_MAX) await new Promise<void>((resume) => waiting.push(resume));
  else running += 1;
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const options = { ...cost, maxmem: 64 * 1024 * 1024 };
      scrypt(secret, salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
    });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
