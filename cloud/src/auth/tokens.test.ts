import { importJWK, type JWK, SignJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SigningKeyRow } from '../store/key-store.js';
import { endTokens, TOKEN_SECONDS, Tokens } from './tokens.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const CLAIMS = { clientId: 'c', tenant: 't', grants: ['records:read' as const], generation: 'g' };

let now: number;
let rows: SigningKeyRow[];
let reads: number;
const store = {
  alone: <T>(work: () => Promise<T>) => work(),
  signingKeys: async () => {
    reads++;
    return [...rows];
  },
  addSigningKey: async (row: SigningKeyRow, oldest: number) => {
    rows = [...rows.filter(({ version }) => version >= oldest), row];
  },
};
const open = () => Tokens.open(store, () => now);
const issue = (tokens: Tokens) => tokens.issue('http://issuer', CLAIMS);

beforeEach(() => {
  now = Date.parse('2026-05-01T12:00:00Z');
  rows = [];
  reads = 0;
});

/** Signs with a stolen key; times are seconds from now. */
async function forge({ iat, exp }: { iat?: number; exp: number }, stolen = rows[0] as SigningKeyRow): Promise<string> {
  const seconds = Math.floor(now / 1000);
  const claims = { client_id: 'c', tenant: 't', scope: 'records:read', generation: 'g' };
  const token = new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: stolen.kid, typ: 'at+jwt' })
    .setAudience('authz-service')
    .setExpirationTime(seconds + exp);
  if (iat !== undefined) token.setIssuedAt(seconds + iat);
  return await token.sign(await importJWK(JSON.parse(stolen.jwk) as JWK, 'ES256'));
}

describe('the life of an access token', () => {
  it.each<[string, { iat?: number; exp: number }, boolean]>([
    ['as long as those that are issued', { iat: 0, exp: TOKEN_SECONDS }, true],
    ['within the skew of clocks', { iat: 59, exp: TOKEN_SECONDS }, true],
    ['longer than those that are issued', { iat: 0, exp: TOKEN_SECONDS + 1 }, false],
    ['ten years', { iat: -1, exp: 10 * 365 * 24 * 3600 }, false],
    ['issued in the future', { iat: 62, exp: TOKEN_SECONDS }, false],
    ['issued years ahead', { iat: 10 ** 8, exp: 10 ** 8 + 60 }, false],
    ['without the time of its issue', { exp: 60 }, false],
    ['over', { iat: -10, exp: -1 }, false],
  ])('is bounded by its iat: %s', async (_name, times, good) => {
    const tokens = await open();
    expect((await tokens.verify(await forge(times))) !== undefined).toBe(good);
  });
});

describe('the keys of access tokens', () => {
  it('change each day, and what the one before has signed is good as long as it lives', async () => {
    const tokens = await open();
    await tokens.rotateIfOld();
    expect(rows).toHaveLength(1);
    now += DAY_MS - 1000;
    const before = await issue(tokens);
    now += 1000;
    await tokens.rotateIfOld();
    expect(rows).toHaveLength(2);
    expect(tokens.jwks.keys).toHaveLength(2);
    expect(await tokens.verify(before)).toBeDefined();
    expect(await tokens.verify(await issue(tokens))).toBeDefined();
    now += (TOKEN_SECONDS + 61) * 1000;
    expect(tokens.jwks.keys.map(({ kid }) => kid)).toEqual([rows[1]?.kid]);
    expect(await tokens.verify(await forge({ iat: 0, exp: 60 }))).toBeUndefined();
    now += DAY_MS;
    await tokens.rotateIfOld();
    expect(rows.map(({ version }) => version)).toEqual([...rows.map(({ version }) => version)].sort());
    expect(rows).toHaveLength(2);
  });

  it('change at a start that comes late, and after a clock that was far ahead', async () => {
    await open();
    now += DAY_MS;
    await open();
    expect(rows).toHaveLength(2);
    now -= 10 * DAY_MS;
    const tokens = await open();
    expect(rows.at(-1)?.created_at).toBe(new Date(now).toISOString());
    expect(await tokens.verify(await issue(tokens))).toBeDefined();
  });

  it('are worthless when they are revoked, whatever was remembered of their tokens, here and in other processes', async () => {
    const [here, there] = [await open(), await open()];
    const token = await issue(here);
    const forged = await forge({ iat: 0, exp: 60 });
    const stolen = rows[0];
    for (const tokens of [here, there])
      for (const one of [token, forged]) expect(await tokens.verify(one)).toBeDefined();
    await here.rotate({ revoke: true });
    expect(rows).toHaveLength(1);
    for (const one of [token, forged]) expect(await here.verify(one)).toBeUndefined();
    // A token of the new key is news to the other process.
    expect(await there.verify(await issue(here))).toBeDefined();
    for (const one of [token, forged, await forge({ iat: 0, exp: 61 }, stolen)])
      expect(await there.verify(one)).toBeUndefined();
  });

  it('keep what each of them has signed, however often they change', async () => {
    const tokens = await open();
    const issued = [];
    for (let turn = 0; turn < 4; turn++) {
      issued.push(await issue(tokens));
      await tokens.rotate({ revoke: false });
    }
    for (const one of issued) expect(await tokens.verify(one)).toBeDefined();
    const again = await open();
    for (const one of issued) expect(await again.verify(one)).toBeDefined();
    now += (TOKEN_SECONDS + 61) * 1000;
    await tokens.rotate({ revoke: false });
    expect(rows).toHaveLength(2);
  });

  it('are looked for once a second at most', async () => {
    const tokens = await open();
    const strange = await forge({ iat: 0, exp: 60 });
    await endTokens(store, now);
    const unknown = await forge({ iat: 0, exp: 60 });
    await tokens.follow();
    await endTokens(store, now);
    reads = 0;
    const other = { ...(rows[0] as SigningKeyRow), kid: 'nobody' };
    for (let turn = 0; turn < 5; turn++)
      expect(await tokens.verify(await forge({ exp: 60, iat: 0 }, other))).toBeUndefined();
    expect(reads).toBe(1);
    for (const one of [strange, unknown]) expect(await tokens.verify(one)).toBeUndefined();
  });
});
