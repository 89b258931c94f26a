import { describe, expect, it } from 'vitest';
import { bundlePath, deltaPath, pointerText, publishedFile, readPointer } from './publication.js';

const kid = 'bundle-abc_DEF-123';
const revision = '42.9f86d081884c7d65';

describe('the names in a publication', () => {
  it('follow from key and revision', () => {
    expect(bundlePath(kid, revision)).toBe(`${kid}/bundle-${revision}.tar.gz`);
    expect(deltaPath(kid, revision)).toBe(`${kid}/delta-${revision}.tar.gz`);
    expect(publishedFile(`delta-${revision}.tar.gz`)).toEqual({ is: 'delta', revision });
  });

  it('end with the epoch where there is one', () => {
    const token = `${revision}.1795450000-7f3a9c1e`;
    expect(bundlePath(kid, token)).toBe(`${kid}/bundle-${token}.tar.gz`);
    expect(publishedFile(`delta-${token}.tar.gz`)).toEqual({ is: 'delta', revision: token });
    expect(readPointer(pointerText({ newest: 'a.b.c', bundle: token })).bundle).toBe(token);
  });

  it.each([
    ['a path as the key', '../bundle-x', revision],
    ['a key that is not one of bundles', 'token-abc', revision],
    ['a path behind the prefix of keys', 'bundle-../x', revision],
    ['a path as the revision', kid, '../../etc/passwd'],
    ['a revision with a path behind it', kid, `${revision}/../../x`],
    ['something else than an epoch', kid, `${revision}.7f3a9c1e`],
    ['a number with a leading zero', kid, '042.9f86d081884c7d65'],
    ['nothing', kid, ''],
  ])('are not made of %s', (_, key, text) => {
    expect(() => bundlePath(key, text)).toThrow(expect.objectContaining({ code: 'invalid_bundle' }));
    expect(() => deltaPath(key, text)).toThrow(expect.objectContaining({ code: 'invalid_bundle' }));
  });

  it.each(['notes.txt', 'bundle-42.tar.gz', `bundle-${revision}.tar.gz.tmp`, `other-${revision}.tar.gz`, ''])(
    'are not those of other files: %s',
    (name) => expect(publishedFile(name)).toBeUndefined(),
  );
});

describe('a pointer', () => {
  it('is read as it was written', () => {
    const pointer = { newest: 'a.b.c', bundle: revision };
    expect(readPointer(pointerText(pointer))).toEqual({ format: 1, ...pointer });
  });

  it.each([
    ['nothing', ''],
    ['a page', '<html>'],
    ['another format', JSON.stringify({ format: 2, newest: 'a', bundle: revision })],
    ['a path as the bundle', JSON.stringify({ format: 1, newest: 'a', bundle: '../../x' })],
    ['a list', '[]'],
  ])('is not read from %s', (_, text) => {
    expect(() => readPointer(text)).toThrow(expect.objectContaining({ code: 'invalid_bundle' }));
  });
});
