import * as z from 'zod';
import { type BundleKey, bundleKeySchema, claimsOf, type SigningKey, signJson, verifiedJson } from './signing-key.js';

const TYPE = 'policy-bundle-keys+jws';

const keySetSchema = z.strictObject({
  /** Grows with every rotation. */
  version: z.int().min(1),
  keys: z.array(bundleKeySchema).min(1),
});

/**
 * The keys with which bundles are verified. Version 0 is a set that was not announced: it was pinned, or trusted at the
 * first contact.
 */
export interface KeySet {
  version: number;
  keys: readonly BundleKey[];
}

/** Announces the new keys, signed by a key of the previous set. */
export function announceKeys({ version, keys }: KeySet, signer: SigningKey): Promise<string> {
  return signJson({ version, keys }, TYPE, signer);
}

/**
 * The newest set that announcements lead to from a trusted one, step by step: each must be signed by a key of the set
 * before it and have a higher version, so that neither a stranger nor an old announcement changes anything.
 */
export async function followAnnouncements(from: KeySet, announcements: readonly string[]): Promise<KeySet> {
  let trusted = from;
  for (const announcement of inOrder(announcements)) {
    const next = keySetSchema.safeParse(await verifiedJson(announcement, TYPE, trusted.keys));
    if (next.success && next.data.version > trusted.version) trusted = next.data;
  }
  return trusted;
}

/** The set in a trusted announcement, which needs no verification. */
export function announcedKeys(announcement: string): KeySet {
  return keySetSchema.parse(claimsOf(announcement));
}

function inOrder(announcements: readonly string[]): string[] {
  const versions = new Map(announcements.map((text) => [text, versionOf(text)]));
  return [...versions.keys()].sort((left, right) => (versions.get(left) ?? 0) - (versions.get(right) ?? 0));
}

function versionOf(announcement: string): number {
  return Number(claimsOf(announcement)?.version) || 0;
}
