import { describe, expect, it } from 'vitest';
import { hashApiKey, hashClientSecret, isClientSecret, newApiKey, newClientSecret } from './secrets.js';

describe('an API key', () => {
  it('has the prefix and 256 random bits', () => {
    const [one, other] = [newApiKey(), newApiKey()];
    expect(one).toMatch(/^svc_[A-Za-z0-9_-]{43}$/);
    expect(one).not.toBe(other);
  });

  it('is kept as SHA-256', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('a client secret', () => {
  it('is known by its hash', async () => {
    const secret = newClientSecret();
    const hash = await hashClientSecret(secret);
    expect(hash).not.toContain(secret);
    expect(await isClientSecret(secret, hash)).toBe(true);
    expect(await isClientSecret(`${secret}x`, hash)).toBe(false);
    expect(await isClientSecret('', hash)).toBe(false);
  });

  it('that was found right stays so, and no other becomes right by it', async () => {
    const [hash, other] = [await hashClientSecret('right'), await hashClientSecret('other')];
    for (let round = 0; round < 2; round++) {
      expect(await isClientSecret('right', hash)).toBe(true);
      expect(await isClientSecret('wrong', hash)).toBe(false);
      expect(await isClientSecret('right', other)).toBe(false);
      expect(await isClientSecret('right', undefined)).toBe(false);
    }
  });

  it('is salted', async () => {
    expect(await hashClientSecret('same')).not.toBe(await hashClientSecret('same'));
  });

  it('of an unknown client is false', async () => {
    expect(await isClientSecret('x', undefined)).toBe(false);
  });

  it('is checked for many at once', async () => {
    const hash = await hashClientSecret('x');
    const checked = await Promise.all(
      Array.from({ length: 8 }, (_, index) => isClientSecret(index % 2 ? 'x' : 'y', hash)),
    );
    expect(checked).toEqual([false, true, false, true, false, true, false, true]);
  });
});
