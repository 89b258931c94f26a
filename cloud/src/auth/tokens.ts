import { randomUUID } from 'node:crypto';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import * as z from 'zod';
import type { SigningKeyRow, Store } from '../store/store.js';
import type { Grant } from './credential.js';

export const TOKEN_SECONDS = 3600;
const AUDIENCE = 'authz-service';
const ALGORITHM = 'ES256';
const CACHED_MAX = 10_000;

const claimsSchema = z.object({
  client_id: z.string(),
  tenant: z.string(),
  scope: z.string(),
  generation: z.string(),
  exp: z.number(),
});

/** The claims of an access token. */
export interface TokenClaims {
  clientId: string;
  tenant: string;
  grants: Grant[];
  /** See `KnownCredential.generation`. */
  generation: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Issues and verifies access tokens: JWTs signed with ES256 by keys that the store keeps (RFC 7519, RFC 9068). */
export class Tokens {
  readonly #verified = new Map<string, TokenClaims>();

  private constructor(
    readonly jwks: { keys: JWK[] },
    private readonly signer: { kid: string; key: CryptoKey },
    private readonly keys: Map<string, CryptoKey>,
    private readonly now: () => number,
  ) {}

  /** Reads the signing keys and creates the first one if there is none. */
  static async open(store: Store, now: () => number): Promise<Tokens> {
    const rows = await store.signingKeys();
    if (rows.length === 0) {
      const made = await newSigningKey(now());
      await store.addSigningKey(made);
      rows.push(made);
    }
    const jwks: { keys: JWK[] } = { keys: [] };
    const keys = new Map<string, CryptoKey>();
    let signer: { kid: string; key: CryptoKey } | undefined;
    for (const { kid, jwk } of rows) {
      const { d, ...rest } = JSON.parse(jwk) as JWK;
      jwks.keys.push({ ...rest, kid, use: 'sig', alg: ALGORITHM });
      keys.set(kid, (await importJWK(rest, ALGORITHM)) as CryptoKey);
      signer = { kid, key: (await importJWK({ ...rest, d }, ALGORITHM)) as CryptoKey };
    }
    if (signer === undefined) throw new Error('the store kept no signing key');
    return new Tokens(jwks, signer, keys, now);
  }

  async issue(issuer: string, claims: Omit<TokenClaims, 'expiresAt'>): Promise<string> {
    const seconds = Math.floor(this.now() / 1000);
    const { clientId, tenant, grants, generation } = claims;
    return await new SignJWT({ client_id: clientId, tenant, scope: grants.join(' '), generation })
      .setProtectedHeader({ alg: ALGORITHM, kid: this.signer.kid, typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(AUDIENCE)
      .setSubject(clientId)
      .setJti(randomUUID())
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + TOKEN_SECONDS)
      .sign(this.signer.key);
  }

  /**
   * The claims of a token that one of these keys signed and that has not expired. The issuer is not compared: only this
   * cloud has the keys, and its address may change between starts.
   */
  async verify(token: string): Promise<TokenClaims | undefined> {
    const now = this.now();
    const cached = this.#verified.get(token);
    if (cached) return cached.expiresAt > now ? cached : undefined;
    const claims = await this.#read(token, now);
    if (claims) this.#remember(token, claims);
    return claims;
  }

  async #read(token: string, now: number): Promise<TokenClaims | undefined> {
    try {
      const { payload } = await jwtVerify(token, ({ kid }) => this.#key(kid), {
        algorithms: [ALGORITHM],
        audience: AUDIENCE,
        typ: 'at+jwt',
        currentDate: new Date(now),
      });
      const { client_id, tenant, scope, generation, exp } = claimsSchema.parse(payload);
      return { clientId: client_id, tenant, grants: scope.split(' ') as Grant[], generation, expiresAt: exp * 1000 };
    } catch {
      return undefined;
    }
  }

  #key(kid: string | undefined): CryptoKey {
    const key = this.keys.get(kid ?? '');
    if (key === undefined) throw new Error('unknown key');
    return key;
  }

  #remember(token: string, claims: TokenClaims): void {
    if (this.#verified.size >= CACHED_MAX) {
      const [oldest] = this.#verified.keys();
      if (oldest !== undefined) this.#verified.delete(oldest);
    }
    this.#verified.set(token, claims);
  }
}

async function newSigningKey(now: number): Promise<SigningKeyRow> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { kid, jwk: JSON.stringify(jwk), created_at: new Date(now).toISOString() };
}
