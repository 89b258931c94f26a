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
import { SerialQueue } from '../concurrency/serial-queue.js';
import type { KeyStore, SigningKeyRow } from '../store/key-store.js';
import type { Store } from '../store/store.js';
import type { Grant } from './credential.js';

export const TOKEN_SECONDS = 3600;
/** A key signs for so long, if this program runs or starts again in time. */
export const KEY_DAYS = 1;
const AUDIENCE = 'authz-service';
const ALGORITHM = 'ES256';
const CACHED_MAX = 10_000;
/** The largest difference between the clocks of replicas. */
const SKEW_MS = 60_000;
/** For keys that this process does not know, it looks into the store no more often than this. */
const LOOK_MS = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

const claimsSchema = z.object({
  client_id: z.string(),
  tenant: z.string(),
  scope: z.string(),
  generation: z.string(),
  iat: z.number(),
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

/** The keys of one moment. */
interface TokenKeys {
  version: number;
  /** When the key was made that signs, in milliseconds since the epoch. */
  signsSince: number;
  signer: { kid: string; key: CryptoKey };
  /** By their ids. What a key has signed is good until its time, in milliseconds since the epoch. */
  known: Map<string, { key: CryptoKey; jwk: JWK; until: number }>;
}

type TokenStore = Pick<Store, 'alone'> & Pick<KeyStore, 'signingKeys' | 'addSigningKey'>;

/**
 * Issues and verifies access tokens: JWTs signed with ES256 by keys that the store keeps (RFC 7519, RFC 9068). Each day a new
 * key takes over; what the one before has signed is good as long as a token lives.
 */
export class Tokens {
  readonly #queue = new SerialQueue();
  #verified = new Map<string, TokenClaims>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly store: TokenStore,
    private readonly now: () => number,
    private keys: TokenKeys,
  ) {}

  /** Reads the signing keys, and makes one if there is none, or none that is young enough. */
  static async open(store: TokenStore, now: () => number): Promise<Tokens> {
    const rows = await store.signingKeys();
    if (rows.length === 0) {
      const made = await newSigningKey(undefined, now());
      await store.addSigningKey(made, made.version);
      rows.push(made);
    }
    const tokens = new Tokens(store, now, await opened(rows));
    if (tokens.#isOld()) await tokens.#renew({ revoke: false });
    return tokens;
  }

  /** The version of the key that signs. */
  get version(): number {
    return this.keys.version;
  }

  get jwks(): { keys: JWK[] } {
    const now = this.now();
    return { keys: [...this.keys.known.values()].flatMap(({ jwk, until }) => (until > now ? [jwk] : [])) };
  }

  /** Signs with a new key from now on; `revoke` makes every token worthless that an earlier key has signed. Returns the id of the key. */
  rotate({ revoke }: { revoke: boolean }): Promise<string> {
    return this.#queue.run(() =>
      this.store.alone(async () => {
        await this.follow();
        return await this.#renew({ revoke });
      }),
    );
  }

  /** Signs with a new key if the present one is old. */
  async rotateIfOld(): Promise<void> {
    if (!this.#isOld()) return;
    await this.#queue.run(() =>
      this.store.alone(async () => {
        // Another process may have done it.
        await this.follow();
        if (this.#isOld()) await this.#renew({ revoke: false });
      }),
    );
  }

  /** Takes over what others have made. */
  async follow(): Promise<void> {
    const rows = await this.store.signingKeys();
    if ((rows.at(-1)?.version ?? 0) > this.version) await this.#take(rows);
  }

  async issue(issuer: string, claims: Omit<TokenClaims, 'expiresAt'>): Promise<string> {
    const seconds = Math.floor(this.now() / 1000);
    const { clientId, tenant, grants, generation } = claims;
    const { kid, key } = this.keys.signer;
    return await new SignJWT({ client_id: clientId, tenant, scope: grants.join(' '), generation })
      .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(AUDIENCE)
      .setSubject(clientId)
      .setJti(randomUUID())
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + TOKEN_SECONDS)
      .sign(key);
  }

  /**
   * The claims of a token that one of these keys signed, that has not expired, and that lives no longer than those that are
   * issued here. The issuer is not compared: only this cloud has the keys, and its address may change between starts.
   */
  async verify(token: string): Promise<TokenClaims | undefined> {
    const now = this.now();
    const verified = this.#verified;
    const cached = verified.get(token);
    if (cached) return cached.expiresAt > now ? cached : undefined;
    const claims = await this.#read(token, now);
    // The keys may have changed meanwhile, and with them what is remembered.
    if (claims) remember(verified, token, claims);
    return verified === this.#verified ? claims : await this.#read(token, now);
  }

  async #read(token: string, now: number): Promise<TokenClaims | undefined> {
    try {
      const { payload } = await jwtVerify(token, ({ kid }) => this.#key(kid ?? '', now), {
        algorithms: [ALGORITHM],
        audience: AUDIENCE,
        typ: 'at+jwt',
        currentDate: new Date(now),
      });
      const { client_id, tenant, scope, generation, iat, exp } = claimsSchema.parse(payload);
      if (exp - iat > TOKEN_SECONDS || iat * 1000 > now + SKEW_MS) return undefined;
      return { clientId: client_id, tenant, grants: scope.split(' ') as Grant[], generation, expiresAt: exp * 1000 };
    } catch {
      return undefined;
    }
  }

  async #key(kid: string, now: number): Promise<CryptoKey> {
    if (!this.keys.known.has(kid) && Math.abs(now - this.#lookedAt) >= LOOK_MS) {
      // Another process may sign with a key of which this one has not heard yet.
      this.#lookedAt = now;
      await this.follow();
    }
    const found = this.keys.known.get(kid);
    if (found === undefined || found.until <= now) throw new Error('unknown key');
    return found.key;
  }

  #isOld(): boolean {
    return Math.abs(this.now() - this.keys.signsSince) >= KEY_DAYS * DAY_MS;
  }

  async #renew({ revoke }: { revoke: boolean }): Promise<string> {
    const rows = await this.store.signingKeys();
    const made = await newSigningKey(this.version, this.now());
    // A key goes on until its last token has expired.
    const kept = revoke ? [] : rows.filter(({ kid }) => (this.keys.known.get(kid)?.until ?? 0) > this.now());
    await this.store.addSigningKey(made, kept[0]?.version ?? made.version);
    await this.#take([...kept, made]);
    return made.kid;
  }

  async #take(rows: readonly SigningKeyRow[]): Promise<void> {
    this.keys = await opened(rows);
    this.#verified = new Map();
  }
}

/** Ends every token that was issued by what the database was before: a copy of it may be in other hands. */
export async function endTokens(store: Pick<KeyStore, 'signingKeys' | 'addSigningKey'>, now: number): Promise<void> {
  const made = await newSigningKey((await store.signingKeys()).at(-1)?.version, now);
  await store.addSigningKey(made, made.version);
}

async function opened(rows: readonly SigningKeyRow[]): Promise<TokenKeys> {
  const known: TokenKeys['known'] = new Map();
  let newest: Omit<TokenKeys, 'known'> | undefined;
  for (const [index, { version, kid, jwk, created_at }] of rows.entries()) {
    const { d, ...rest } = JSON.parse(jwk) as JWK;
    const successor = rows[index + 1];
    const until = successor && Date.parse(successor.created_at) + TOKEN_SECONDS * 1000 + SKEW_MS;
    known.set(kid, {
      key: (await importJWK(rest, ALGORITHM)) as CryptoKey,
      jwk: { ...rest, kid, use: 'sig', alg: ALGORITHM },
      until: until ?? Number.POSITIVE_INFINITY,
    });
    const signer = { kid, key: (await importJWK({ ...rest, d }, ALGORITHM)) as CryptoKey };
    newest = { version, signsSince: Date.parse(created_at), signer };
  }
  if (newest === undefined) throw new Error('the store kept no signing key');
  return { ...newest, known };
}

function remember(verified: Map<string, TokenClaims>, token: string, claims: TokenClaims): void {
  if (verified.size >= CACHED_MAX) {
    const [oldest] = verified.keys();
    if (oldest !== undefined) verified.delete(oldest);
  }
  verified.set(token, claims);
}

async function newSigningKey(before: number | undefined, now: number): Promise<SigningKeyRow> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  // Versions come from the clock, so that a cloud restored from a backup does not use one twice.
  const version = Math.max((before ?? 0) + 1, Math.floor(now / 1000));
  return { version, kid, jwk: JSON.stringify(jwk), created_at: new Date(now).toISOString() };
}
