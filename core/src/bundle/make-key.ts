import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import {
  BUNDLE_KEY_ALGORITHM,
  BUNDLE_KEY_PREFIX,
  type BundleKey,
  bundleKeySchema,
  type SigningKey,
} from './signing-key.js';

/** A new key that signs bundles, its private half as JWK for storage. */
export async function makeBundleKey(): Promise<{ kid: string; privateJwk: JWK; publicKey: BundleKey }> {
  const { privateKey } = await generateKeyPair(BUNDLE_KEY_ALGORITHM, { extractable: true });
  const privateJwk = await exportJWK(privateKey);
  const kid = `${BUNDLE_KEY_PREFIX}${await calculateJwkThumbprint(privateJwk)}`;
  // The schema drops the private member.
  const publicKey = bundleKeySchema.parse({ ...privateJwk, kid, use: 'sig', alg: BUNDLE_KEY_ALGORITHM });
  return { kid, privateJwk, publicKey };
}

/** Restores the signing key from its stored form. */
export async function signingKey(kid: string, privateJwk: JWK): Promise<SigningKey> {
  return { kid, privateKey: (await importJWK(privateJwk, BUNDLE_KEY_ALGORITHM)) as SigningKey['privateKey'] };
}
