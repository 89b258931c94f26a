import { describe, expect, it } from 'vitest';
import { makeBundleKey, signingKey } from './make-key.js';
import { newestOf, readNewest, signNewest } from './newest.js';
import { signJson } from './signing-key.js';

async function testKey() {
  const { kid, privateJwk, publicKey } = await makeBundleKey();
  return { public: publicKey, signer: await signingKey(kid, privateJwk) };
}

const [one, two] = [await testKey(), await testKey()];
const at = Date.parse('2026-11-23T16:00:00.000Z');
const named = { tenant: 't1', bundle: '7.0123456789abcdef' };
const several = { tenant: undefined, bundle: 'a digest' };

describe('the statement of when a bundle was the newest', () => {
  it('gives the time of the bundle that it names', async () => {
    for (const bundle of [named, several]) {
      const jws = await signNewest(bundle, new Date(at), one.signer);
      expect(await newestOf(jws, bundle, [two.public, one.public])).toMatchObject({ atMs: at });
      expect(await readNewest(jws, [one.public])).toEqual({ ...bundle, atMs: at });
    }
  });

  it.each([
    ['another bundle', { ...named, bundle: '8.0123456789abcdef' }],
    ['the bundle of the same name of another tenant', { ...named, tenant: 't2' }],
    ['a bundle of several tenants', { ...named, tenant: undefined }],
  ])('says nothing of %s', async (_, other) => {
    expect(await newestOf(await signNewest(named, new Date(at), one.signer), other, [one.public])).toBeUndefined();
  });

  it.each<[string, () => Promise<string | undefined>]>([
    ['nothing', async () => undefined],
    ['any text', async () => 'a.b.c'],
    ['the signature of a stranger', () => signNewest(named, new Date(at), two.signer)],
    [
      'a signature of another type',
      () => signJson({ format: 1, ...named, at: new Date(at).toISOString() }, 'policy-bundle+jws', one.signer),
    ],
  ])('is not read from %s', async (_, make) => {
    expect(await newestOf(await make(), named, [one.public])).toBeUndefined();
  });
});
