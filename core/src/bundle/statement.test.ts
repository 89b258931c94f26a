import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { announceKeys, followAnnouncements, type KeySet } from './key-set.js';
import { makeBundleKey, signingKey } from './make-key.js';
import { readServedKeys } from './served-keys.js';
import { keyIdOf, signJson } from './signing-key.js';
import { signStatement, statementOf, verifyStatement } from './statement.js';

async function testKey() {
  const { kid, privateJwk, publicKey } = await makeBundleKey();
  return { public: publicKey, signer: await signingKey(kid, privateJwk) };
}

const [one, two, three] = [await testKey(), await testKey(), await testKey()];
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const tenant = { id: 't1', name: 'acme', revision: '7.0123456789abcdef', digest: '0'.repeat(64) };
const statement = statementOf({ revision: tenant.revision, tenants: [tenant] }, sha256('bytes'), new Date(0));
const signed = await signStatement(statement, one.signer);

describe('verifyStatement', () => {
  it('gives what a trusted key stated of these bytes', async () => {
    expect(keyIdOf(signed)).toBe(one.signer.kid);
    expect(await verifyStatement(signed, sha256('bytes'), [two.public, one.public])).toEqual(statement);
  });

  const changed = (part: number, edit: (text: string) => string) =>
    signed
      .split('.')
      .map((text, index) => (index === part ? edit(text) : text))
      .join('.');
  const recoded = (edit: (value: Record<string, unknown>) => unknown) => (text: string) => {
    const value = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Buffer.from(JSON.stringify(edit(value))).toString('base64url');
  };
  const flip = (text: string) => `${text.slice(0, 9)}${text[9] === 'A' ? 'B' : 'A'}${text.slice(10)}`;

  it.each<[string, () => string | undefined | Promise<string>, RegExp]>([
    ['no signature', () => undefined, /not signed/],
    ['an empty one', () => '', /not a JWS/],
    ['any text', () => 'a.b.c', /not a JWS/],
    ['a key that is not trusted', () => signStatement(statement, three.signer), /not trusted .trusted: bundle-/],
    [
      'another key under the same id',
      () => signStatement(statement, { ...three.signer, kid: one.signer.kid }),
      /not made with/,
    ],
    ['a changed signature', () => changed(2, flip), /not made with/],
    [
      'a changed statement',
      () =>
        changed(
          1,
          recoded((value) => ({ ...value, revision: '8.0' })),
        ),
      /not made with/,
    ],
    [
      'no algorithm',
      () =>
        changed(
          0,
          recoded((value) => ({ ...value, alg: 'none' })),
        ).replace(/[^.]*$/, ''),
      /not made with/,
    ],
    [
      'a shared secret in place of a key',
      () =>
        changed(
          0,
          recoded((value) => ({ ...value, alg: 'HS256' })),
        ),
      /not made with/,
    ],
    ['what was signed for another purpose', () => signJson(statement, 'at+jwt', one.signer), /not made with/],
    ['a statement of another shape', () => signJson({ format: 1 }, 'policy-bundle+jws', one.signer), /not made with/],
    ['other bytes', () => signStatement({ ...statement, sha256: sha256('other') }, one.signer), /another bundle/],
  ])('refuses %s', async (_, jws, detail) => {
    await expect(verifyStatement(await jws(), sha256('bytes'), [one.public, two.public])).rejects.toMatchObject({
      code: 'invalid_bundle',
      detail: expect.stringMatching(detail),
    });
  });
});

describe('followAnnouncements', () => {
  const root: KeySet = { version: 0, keys: [one.public] };
  const first = { version: 1, keys: [one.public] };
  const second = { version: 2, keys: [two.public, one.public] };
  const third = { version: 3, keys: [three.public] };

  it('goes from key to key, whatever the order of the list', async () => {
    const chain = [await announceKeys(third, two.signer), await announceKeys(second, one.signer)];
    chain.push(await announceKeys(first, one.signer));
    expect(await followAnnouncements(root, chain)).toEqual(third);
    expect(await followAnnouncements(second, chain)).toEqual(third);
    expect(await followAnnouncements(third, chain)).toEqual(third);
  });

  it.each<[string, () => Promise<string[]>]>([
    ['no announcement', async () => []],
    ['one of a stranger', async () => [await announceKeys(third, three.signer)]],
    ['a chain with a link missing', async () => [await announceKeys(third, two.signer)]],
    ['one signed by the key it brings', async () => [await announceKeys(second, two.signer)]],
    ['a bundle in place of one', async () => [signed]],
    ['one for another purpose', async () => [await signJson(second, 'at+jwt', one.signer)]],
    ['one without keys', async () => [await announceKeys({ version: 2, keys: [] }, one.signer)]],
    ['noise', async () => ['', 'x', 'a.b.c', `${(await announceKeys(second, one.signer)).slice(0, -9)}`]],
  ])('stays where it is on %s', async (_, announcements) => {
    expect(await followAnnouncements(root, await announcements())).toEqual(root);
  });

  it('never goes back to an older set, and takes nothing from a key that was dropped', async () => {
    const old = await announceKeys(second, one.signer);
    const stolen = await announceKeys({ version: 9, keys: [one.public] }, one.signer);
    expect(await followAnnouncements(third, [old, stolen])).toEqual(third);
  });
});

describe('readServedKeys', () => {
  it('takes the keys of bundles out of a JWKS with others', () => {
    const token = { kty: 'EC', crv: 'P-256', x: 'a', y: 'b', kid: 'abc' };
    expect(readServedKeys(JSON.stringify({ keys: [token, one.public], more: 1 }))).toEqual({
      keys: [one.public],
      announcements: [],
    });
  });

  it.each([
    ['', /not a JWKS/],
    ['[]', /not a JWKS/],
    ['{"keys":{}}', /not a JWKS/],
    ['{"keys":[]}', /no bundle key/],
    ['{"keys":[{"kid":"abc","kty":"EC"}]}', /no bundle key/],
    ['{"keys":[{"kid":"bundle-1","kty":"oct","k":"abc"}]}', /not a public EC key/],
  ])('refuses %s', (text, detail) => {
    expect(() => readServedKeys(text)).toThrow(
      expect.objectContaining({ code: 'invalid_bundle', detail: expect.stringMatching(detail) }),
    );
  });
});
