import { createHash, randomBytes } from 'node:crypto';

export const API_KEY_PREFIX = 'svc_';

/** A new API key: the prefix and 256 random bits. */
export function newApiKey(): string {
  return API_KEY_PREFIX + randomBytes(32).toString('base64url');
}

/** A new client secret: 256 random bits. */
export function newClientSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored hash of an API key. A key has 256 random bits, so a fast hash cannot be reversed by guessing. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

const GENERATED = 'sha256$';

/** The stored hash of a secret from `newClientSecret`: `sha256$HASH`. */
export function hashGeneratedSecret(secret: string): string {
  return GENERATED + createHash('sha256').update(secret).digest('base64url');
}

/** Returns what is stored of a credential that has no secret: each has another one, and none is the hash of anything known. */
export function hashOfNoSecret(): string {
  return GENERATED + randomBytes(32).toString('base64url');
}

/** A stored hash that matches no secret. */
export const NO_SECRET = GENERATED + Buffer.alloc(32).toString('base64url');

/** Whether the text could be a secret that this service generated and that was sent in another field by mistake. */
export function looksSecret(text: string): boolean {
  return text.startsWith(API_KEY_PREFIX) || /^[\w-]{43}$/.test(text);
}
