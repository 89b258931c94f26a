import { describe, expect, it } from 'vitest';
import { hashApiKey, hashGeneratedSecret, looksSecret, newApiKey, newClientSecret } from './secrets.js';

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

describe('a client secret that is made here', () => {
  it('has 256 random bits, and is kept as SHA-256', () => {
    expect(newClientSecret()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(newClientSecret()).not.toBe(newClientSecret());
    expect(hashGeneratedSecret('abc')).toBe('sha256$ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});

describe('a text that looks like a secret', () => {
  it.each([
    ['an API key', newApiKey(), true],
    ['the beginning of one', 'svc_abc', true],
    ['a client secret', newClientSecret(), true],
    ['a client id', '3b0d1b1e-6f0b-4d3a-9a53-0d6d0f6a4d11', false],
    ['a name', 'admin', false],
  ])('is %s', (_, text, looks) => {
    expect(looksSecret(text)).toBe(looks);
  });
});
