import { CompactSign, type CryptoKey, compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import * as z from 'zod';

/** ECDSA on P-256 with SHA-256 (RFC 7518 section 3.4): every JOSE library has it. */
export const BUNDLE_KEY_ALGORITHM = 'ES256';

/** The key ids of bundle keys start with this, so that they are told apart from those of tokens in one JWKS. */
export const BUNDLE_KEY_PREFIX = 'bundle-';

/** The public half of a key that signs bundles (RFC 7517), as it is announced and pinned. */
export const bundleKeySchema = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string().startsWith(BUNDLE_KEY_PREFIX),
  use: z.literal('sig'),
  alg: z.literal(BUNDLE_KEY_ALGORITHM),
});
export type BundleKey = z.infer<typeof bundleKeySchema>;

/** Signs bundles and deltas. */
export interface SigningKey {
  kid: string;
  privateKey: CryptoKey;
}

/**
 * A compact JWS of this JSON value. `type` prevents a text that was signed for one purpose from being used for another.
 */
export async function signJson(value: unknown, type: string, { kid, privateKey }: SigningKey): Promise<string> {
  return await new CompactSign(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: BUNDLE_KEY_ALGORITHM, kid, typ: type })
    .sign(privateKey);
}

/** The JSON value of a compact JWS that one of these keys has signed as this type; undefined for any other text. */
export async function verifiedJson(jws: string, type: string, keys: readonly BundleKey[]): Promise<unknown> {
  try {
    const { payload, protectedHeader } = await compactVerify(
      jws,
      ({ kid }) => {
        const key = keys.find((known) => known.kid === kid);
        if (key === undefined) throw new Error('unknown key');
        // The library imports it once and keeps it as long as this object lives.
        return key;
      },
      { algorithms: [BUNDLE_KEY_ALGORITHM] },
    );
    if (protectedHeader.typ !== type) return undefined;
    return JSON.parse(new TextDecoder().decode(payload));
  } catch {
    return undefined;
  }
}

/** The JSON object in a JWS, not yet verified; undefined for any other text. */
export function claimsOf(jws: string): Record<string, unknown> | undefined {
  try {
    return decodeJwt(jws);
  } catch {
    return undefined;
  }
}

/** The id of the key that a JWS names, not yet verified; undefined if it names none. */
export function keyIdOf(jws: string): string | undefined {
  try {
    return decodeProtectedHeader(jws).kid;
  } catch {
    return undefined;
  }
}
