import { beforeEach, describe, expect, it } from 'vitest';
import { ClientSecrets } from './client-secrets.js';
import { type Derive, derive } from './scrypt.js';
import { hashGeneratedSecret } from './secrets.js';

let derivations = 0;
let secrets: ClientSecrets;
const counted: Derive = (...of) => {
  derivations += 1;
  return derive(...of);
};

beforeEach(() => {
  derivations = 0;
  secrets = new ClientSecrets(() => 0, counted);
});

const AT = { address: '192.0.2.1', clientId: 'client' };
const verify = async (secret: string, stored: string | undefined, at = AT) =>
  (await secrets.verify([secret], stored === undefined ? [] : [stored], at)) !== undefined;

describe('a secret that was generated', () => {
  it('is known by its hash, without any derivation', async () => {
    const stored = hashGeneratedSecret('generated');
    expect([await verify('generated', stored), await verify('other', stored)]).toEqual([true, false]);
    expect(await secrets.verify(['other', 'generated'], [stored], AT)).toBe(stored);
    expect(derivations).toBe(0);
  });

  it('makes nobody wait, however often it was wrong', async () => {
    const stored = hashGeneratedSecret('generated');
    for (let count = 0; count < 100; count++) expect(await verify('other', stored)).toBe(false);
    expect(await verify('generated', stored)).toBe(true);
  });
});

describe('a secret of an unknown client', () => {
  it('is false, without any derivation', async () => {
    expect(await verify('x', undefined)).toBe(false);
    expect(derivations).toBe(0);
  });
});

describe('a secret that somebody chose', () => {
  const choose = (secret: string) => secrets.hashChosen(secret, 'tenant');

  it('is known by a salted hash', async () => {
    const [stored, other] = [await choose('chosen'), await choose('chosen')];
    expect(stored).toMatch(/^scrypt\$16384\$8\$1\$/);
    expect(stored).not.toBe(other);
    secrets = new ClientSecrets(() => 0, counted);
    expect([await verify('wrong', stored), await verify('', stored)]).toEqual([false, false]);
    expect(await secrets.verify(['wrong', 'chosen'], [stored], AT)).toBe(stored);
  });

  it('is derived no more once it is known to be right', async () => {
    const stored = await choose('chosen');
    expect(await verify('chosen', stored)).toBe(true);
    expect(derivations).toBe(1);
    expect(await verify('chosen', await choose('another'))).toBe(false);
  });

  it('is derived once for many who send it at the same time', async () => {
    const stored = await choose('chosen');
    secrets = new ClientSecrets(() => 0, counted);
    derivations = 0;
    const checked = await Promise.all(Array.from({ length: 20 }, () => verify('chosen', stored)));
    expect(checked).toEqual(Array.from({ length: 20 }, () => true));
    expect(derivations).toBe(1);
  });

  it('is not looked at after ten wrong ones, neither in the queue nor later, but from another address', async () => {
    const stored = await choose('chosen');
    derivations = 0;
    const wrong = Array.from({ length: 30 }, (_, index) => verify(`wrong ${index}`, stored));
    const outcomes = (await Promise.allSettled(wrong)).map((result) =>
      result.status === 'fulfilled' ? result.value : result.reason.code,
    );
    expect(outcomes).toEqual([...Array(10).fill(false), ...Array(20).fill('too_many_requests')]);
    expect(derivations).toBe(10);
    await expect(verify('chosen', stored)).rejects.toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
    expect(await verify('chosen', stored, { ...AT, clientId: 'other' })).toBe(true);
    expect(await verify('chosen', stored, { ...AT, address: '192.0.2.2' })).toBe(true);
  });

  it('makes all addresses of an IPv6 network wait', async () => {
    const stored = await choose('chosen');
    for (let host = 1; host <= 10; host++) await verify('wrong', stored, { ...AT, address: `2001:db8::${host}` });
    await expect(verify('chosen', stored, { ...AT, address: '2001:db8::ffff' })).rejects.toThrow();
    expect(await verify('chosen', stored, { ...AT, address: '2001:db8:0:1::1' })).toBe(true);
  });
});
