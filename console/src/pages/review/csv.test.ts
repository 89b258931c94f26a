import { describe, expect, it } from 'vitest';
import { csvOf } from './csv.js';

describe('CSV', () => {
  it.each([
    ['plain', '"plain"\r\n'],
    ['', '""\r\n'],
    ['a "word", and\nmore', '"a ""word"", and\nmore"\r\n'],
    ['=cmd()', `"'=cmd()"\r\n`],
    ['+1', `"'+1"\r\n`],
    ['-1', `"'-1"\r\n`],
    ['@SUM(A1)', `"'@SUM(A1)"\r\n`],
    ['  =1+1', `"'  =1+1"\r\n`],
    ['\tplain', `"'\tplain"\r\n`],
    ['\t=1', `"'\t'=1"\r\n`],
    ['\r=1', `"'\r'=1"\r\n`],
    ['Smith;=1+1', `"Smith;'=1+1"\r\n`],
    ['Smith; @SUM(A1)', `"Smith; '@SUM(A1)"\r\n`],
    ['Smith;"=1', `"Smith;""'=1"\r\n`],
    ['a\t+1', `"a\t'+1"\r\n`],
    ['a\r\n-1', `"a\r\n'-1"\r\n`],
    ['a;;=1;=2', `"a;;'=1;'=2"\r\n`],
    ['=1;=2', `"'=1;'=2"\r\n`],
    ['a; b=c', '"a; b=c"\r\n'],
    ['2026-01-01', '"2026-01-01"\r\n'],
  ])('writes %j so that it is read as that text', (cell, line) => {
    expect(csvOf([[cell]])).toBe(line);
  });

  it('writes cells and lines in order', () => {
    expect(
      csvOf([
        ['who', 'what'],
        ['a', 'b'],
      ]),
    ).toBe('"who","what"\r\n"a","b"\r\n');
  });
});
