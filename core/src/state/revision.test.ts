import { describe, expect, it } from 'vitest';
import { compareTokens, isToken, revisionNumber, revisionText, splitToken, tokenOf } from './revision.js';

describe('revisions', () => {
  it('are a number and the start of the digest', () => {
    expect(revisionText(42, '9f86d081884c7d659a2feaa0c55ad015')).toBe('42.9f86d081884c7d65');
    expect(revisionNumber('42.9f86d081884c7d65')).toBe(42);
    expect(revisionNumber('0.9f86d081884c7d65')).toBe(0);
  });

  it.each([
    '',
    '42',
    '42.',
    '-1.9f86d081884c7d65',
    '042.9f86d081884c7d65',
    '42.9F86d081884c7d65',
    '42.9f86d081884c7d65 ',
  ])('are not %j', (text) => {
    expect(() => revisionNumber(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('tokens', () => {
  const at = (number: number, epoch?: string) => tokenOf(`${number}.9f86d081884c7d65`, epoch);

  it('are a revision, and the epoch where there is one', () => {
    expect(at(42, '7-7f3a9c1e')).toBe('42.9f86d081884c7d65.7-7f3a9c1e');
    expect(splitToken(at(42, '7-7f3a9c1e'))).toEqual({ revision: at(42), epoch: '7-7f3a9c1e' });
    expect(splitToken(at(42))).toEqual({ revision: at(42) });
    expect([at(42), at(42, '7-7f3a9c1e')].every(isToken)).toBe(true);
  });

  it.each(['', '42', '42.9f86d081884c7d65.', '42.9f86d081884c7d65.7', '42.7-7f3a9c1e', '../42.9f86d081884c7d65'])(
    'are not %j',
    (text) => expect(isToken(text)).toBe(false),
  );

  it.each<[string, string, string, number]>([
    ['an earlier revision', at(5), at(9), -1],
    ['a later revision of an earlier epoch', at(9, '1-00000001'), at(5, '2-00000001'), -1],
    ['a later revision from before the first epoch', at(9), at(5, '1-00000001'), -1],
    ['an earlier revision of the same epoch', at(5, '2-00000001'), at(9, '2-00000001'), -1],
    ['epochs by their number, not their digits', at(5, '9-00000001'), at(5, '10-00000001'), -1],
    ['the same', at(5, '2-00000001'), at(5, '2-00000001'), 0],
  ])('are compared: %s', (_, one, other, sign) => {
    expect(Math.sign(compareTokens(one, other))).toBe(sign);
    expect(Math.sign(compareTokens(other, one)) + sign).toBe(0);
  });
});
