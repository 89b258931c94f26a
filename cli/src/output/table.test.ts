import { describe, expect, it } from 'vitest';
import { table } from './table.js';
import { style } from './terminal.js';
import { width } from './text.js';

const PLAIN = style(false);
const ENDLESS = Number.POSITIVE_INFINITY;

describe('table', () => {
  it('aligns columns by what people see, and ends lines without blanks', () => {
    const rows = [
      ['漢字', '1', 'x'],
      ['a', '22', ''],
    ];
    expect(table(['NAME', 'N', 'NOTE'], rows, PLAIN, ENDLESS)).toBe('NAME  N   NOTE\n漢字  1   x\na     22');
  });

  it('leaves out a column in which no row says anything', () => {
    expect(table(['NAME', 'EMPTY', 'N'], [['a', '', '1']], PLAIN, ENDLESS)).toBe('NAME  N\na     1');
  });

  it('keeps the first column, which is empty or not', () => {
    expect(table(['NAME'], [['']], PLAIN, ENDLESS)).toBe('NAME\n');
  });

  it('goes on in the next line where the terminal is narrow', () => {
    const rows = [['key', '14c88e7b-b398-48e9-804c-ca45e4841270', 'bundle, decisions, records:read, records:write']];
    expect(table(['NAME', 'ID', 'SCOPES'], rows, PLAIN, 60)).toBe(
      [
        'NAME  ID                                    SCOPES',
        'key   14c88e7b-b398-48e9-804c-ca45e4841270  bundle,',
        '                                            decisions,',
        '                                            records:read, r…',
      ].join('\n'),
    );
  });

  it('cuts the widest columns where the terminal is narrow, and the first one last', () => {
    const text = table(
      ['PATH', 'DESCRIPTION', 'OWNER'],
      [['billing/accountant', 'x'.repeat(80), 'default']],
      PLAIN,
      60,
    );
    for (const line of text.split('\n')) expect(width(line)).toBeLessThanOrEqual(60);
    expect(text).toContain('billing/accountant  xxx');
    expect(text).toContain('…  default');
  });

  it('shows control characters of records as escapes', () => {
    expect(table(['NAME'], [['a\u001B[31m']], PLAIN, ENDLESS)).toContain('a\\u001b[31m');
  });
});
