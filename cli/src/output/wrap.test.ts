import { describe, expect, it } from 'vitest';
import { wrapped } from './wrap.js';

describe('wrapped', () => {
  it.each<[string, string, number, string]>([
    ['a short line', 'a b', 10, 'a b'],
    ['no terminal', 'a '.repeat(100), Number.POSITIVE_INFINITY, 'a '.repeat(100)],
    ['words', 'one two three four', 9, 'one two\nthree\nfour'],
    ['an indent', '  one two three', 9, '  one two\n  three'],
    [
      'a column of labels',
      '    New   user/bob may now read',
      20,
      '    New   user/bob\n          may now\n          read',
    ],
    ['what is longer than a line', '  x aaaaaaaaaaaa b', 8, '  x\n  aaaaaaaaaaaa\n  b'],
    ['paint', '\u001b[33mone\u001b[39m two three', 9, '\u001b[33mone\u001b[39m two\nthree'],
    ['several lines', 'one two three\n\n  b', 9, 'one two\nthree\n\n  b'],
  ])('keeps %s within the columns', (_, text, columns, expected) => {
    expect(wrapped(text, columns)).toBe(expected);
  });
});
