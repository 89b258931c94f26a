import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Secret } from '@authz-service/core/values/secret';
import { base64url, type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Oidc } from './oidc.js';

const CLIENT = 'console';
const SECRET = 'the secret of the console';

interface Pair {
  key: CryptoKey;
  jwk: JWK;
}

async function pair(kid: string, alg = 'RS256'): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  return { key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** An issuer over HTTP; what it signs, and with what, is up to each test. */
let server: Server;
let issuer: string;
let own: Pair;
let other: Pair;
let published: JWK[];
let jwksReads: number;
let idToken: (nonce: string) => Promise<string>;
let nonce: string;
let elsewhere: number;
let oidc: Oidc;

beforeAll(async () => {
  [own, other] = await Promise.all([pair('own'), pair('other')]);
  server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const body = await answerOf(path);
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  published = [own.jwk];
  jwksReads = 0;
  elsewhere = 0;
  oidc = new Oidc(
    {
      issuer,
      clientId: CLIENT,
      clientSecret: new Secret(SECRET),
      scope: 'openid',
      subject: { type: 'user', by: 'sub' },
      groupsClaim: 'groups',
      groups: new Map(),
    },
    () => 'http://127.0.0.1/console/oidc/callback',
  );
});
afterEach(() => vi.useRealTimers());

async function answerOf(path: string): Promise<unknown> {
  if (path === '/.well-known/openid-configuration')
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      // A provider may say anything: only signatures with public keys count.
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
    };
  if (path === '/token') return { access_token: 'a', token_type: 'Bearer', id_token: await idToken(nonce) };
  if (path === '/keys') {
    jwksReads++;
    return { keys: published };
  }
  if (path === '/elsewhere') {
    elsewhere++;
    return { keys: [other.jwk] };
  }
  return undefined;
}

const seconds = () => Math.floor(Date.now() / 1000);

interface Token {
  by?: CryptoKey | Uint8Array;
  header?: object;
  claims?: object;
  times?: { iat?: number; exp?: number };
}

const signed =
  ({ by = own.key, header = {}, claims = {}, times: { iat = 0, exp = 60 } = {} }: Token) =>
  (at: string): Promise<string> =>
    new SignJWT({
      iss: issuer,
      aud: CLIENT,
      sub: 'ann',
      nonce: at,
      iat: seconds() + iat,
      exp: seconds() + exp,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'own', ...header })
      .sign(by);

async function signIn(): Promise<string> {
  const { url, pending } = await oidc.begin('default', Date.now());
  const { searchParams } = new URL(url);
  nonce = searchParams.get('nonce') ?? '';
  const { person } = await oidc.finish(`code=c&state=${searchParams.get('state')}`, pending, Date.now());
  return person.subject.id;
}

describe('an ID token', () => {
  it.each<[string, Token]>([
    ['by RS256', {}],
    ['with the client as the authorized party', { claims: { aud: [CLIENT, 'b'], azp: CLIENT } }],
    ['with a key in its header, which counts for nothing', { header: { jwk: { kty: 'oct', k: 'AA' } } }],
  ])('signs somebody in: %s', async (_name, token) => {
    idToken = signed(token);
    expect(await signIn()).toBe('ann');
  });

  it('signs somebody in by ES256', async () => {
    const ec = await pair('ec', 'ES256');
    published = [own.jwk, ec.jwk];
    idToken = signed({ by: ec.key, header: { alg: 'ES256', kid: 'ec' } });
    expect(await signIn()).toBe('ann');
  });

  const forgeries: [string, () => Token | ((at: string) => Promise<string>)][] = [
    ['by another key under the kid of the right one', () => ({ by: other.key })],
    ['by another key, with an unknown kid', () => ({ by: other.key, header: { kid: 'other' } })],
    ['by another key, without a kid', () => ({ by: other.key, header: { kid: undefined } })],
    ['by the key in its jwk', () => ({ by: other.key, header: { kid: 'other', jwk: other.jwk } })],
    ['by the key in its jwk, under the right kid', () => ({ by: other.key, header: { jwk: other.jwk } })],
    ['by the key at its jku', () => ({ by: other.key, header: { kid: 'other', jku: `${issuer}/elsewhere` } })],
    ['by the key at its x5u', () => ({ by: other.key, header: { kid: 'other', x5u: `${issuer}/elsewhere` } })],
    [
      'by HS256 with the client secret',
      () => ({ by: new TextEncoder().encode(SECRET.padEnd(32, '.')), header: { alg: 'HS256' } }),
    ],
    [
      'by HS256 with the public key',
      () => ({ by: new TextEncoder().encode(JSON.stringify(own.jwk)), header: { alg: 'HS256' } }),
    ],
    ['by nobody (alg none)', () => async (at) => unsigned(await signed({})(at), 'none', '')],
    ['by nobody (an empty signature)', () => async (at) => unsigned(await signed({})(at), 'RS256', '')],
    ['with other claims under the same signature', () => async (at) => altered(await signed({})(at))],
    ['of another issuer', () => ({ claims: { iss: 'http://127.0.0.1:1' } })],
    ['for another audience', () => ({ claims: { aud: 'other' } })],
    ['for several, without an authorized party', () => ({ claims: { aud: [CLIENT, 'other'] } })],
    ['for another authorized party', () => ({ claims: { azp: 'other' } })],
    ['with another nonce', () => ({ claims: { nonce: 'other' } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['that has expired', () => ({ times: { exp: -61 } })],
    ['without an end', () => ({ claims: { exp: undefined } })],
    ['from the future', () => ({ times: { iat: 120, exp: 600 } })],
    ['from long ago', () => ({ times: { iat: -3600 } })],
    ['without the time of its issue', () => ({ claims: { iat: undefined } })],
  ];
  it.each(forgeries)('is refused: %s', async (_name, of) => {
    const token = of();
    idToken = typeof token === 'function' ? token : signed(token);
    await expect(signIn()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(elsewhere).toBe(0);
  });

  it('of a new key makes the keys be read again, but not for each that is unknown', async () => {
    idToken = signed({});
    await signIn();
    const next = await pair('next');
    published = [own.jwk, next.jwk];
    idToken = signed({ by: next.key, header: { kid: 'next' } });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    expect(await signIn()).toBe('ann');
    expect(jwksReads).toBe(2);
    idToken = signed({ by: other.key, header: { kid: 'other' } });
    for (let turn = 0; turn < 3; turn++) await expect(signIn()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(jwksReads).toBe(2);
  });
});

function unsigned(token: string, alg: string, signature: string): string {
  const [, claims] = token.split('.');
  return `${base64url.encode(JSON.stringify({ alg, kid: 'own' }))}.${claims}.${signature}`;
}

function altered(token: string): string {
  const [header, claims = '', signature] = token.split('.');
  const read = JSON.parse(new TextDecoder().decode(base64url.decode(claims)));
  return `${header}.${base64url.encode(JSON.stringify({ ...read, sub: 'root' }))}.${signature}`;
}
