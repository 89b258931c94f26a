import { describe, expect, it } from 'vitest';
import { counted, moment, printable, width } from './text.js';

describe('printable', () => {
  it.each([
    ['plain text stays', 'Zoë 漢字 ✓', 'Zoë 漢字 ✓'],
    ['an escape cannot paint or move', 'a\u001B[2Jb', 'a\\u001b[2Jb'],
    ['a line feed cannot forge a line', 'a\nallowed', 'a\\nallowed'],
    ['text cannot be turned around', 'a\u202Eb', 'a\\u202eb'],
    ['C1 controls', 'a\u009Bb', 'a\\u009bb'],
  ])('%s', (_, text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});

describe('moment', () => {
  it.each([
    ['2026-11-20T14:20:38.104Z', '2026-11-20 14:20:38Z'],
    ['2026-11-20T14:20:38Z', '2026-11-20 14:20:38Z'],
  ])('shows %s as %s', (timestamp, shown) => {
    expect(moment(timestamp)).toBe(shown);
  });
});

describe('width', () => {
  it.each([
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['漢字', 4],
    ['👍', 2],
  ])('%s takes %i columns', (text, columns) => {
    expect(width(text)).toBe(columns);
  });
});

describe('counted', () => {
  it.each([
    [0, '0 records'],
    [1, '1 record'],
    [12_345, '12,345 records'],
  ])('%i', (count, expected) => {
    expect(counted(count, 'record')).toBe(expected);
  });
});
