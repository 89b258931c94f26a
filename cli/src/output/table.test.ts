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

  it('folds what the terminal has no room for, and cuts only words that are too long', () => {
    const rows = [['key', '14c88e7b-b398-48e9-804c-ca45e4841270', 'bundle, decisions, records:read, records:write']];
    expect(table(['NAME', 'ID', 'SCOPES'], rows, PLAIN, 60)).toBe(
      [
        'NAME  ID                                    SCOPES',
        'key   14c88e7b-b398-48e9-804c-ca45e4841270  bundle,',
        '                                            decisions,',
        '                                            records:read,',
        '                                            records:write',
      ].join('\n'),
    );
  });

  it.each([80, 60])('keeps the names of policies whole in %i columns', (columns) => {
    const name = 'billing/approve-small-invoices-of-customers';
    const headings = ['PATH', 'EFFECT', 'PRIORITY', 'COVERS', 'CONDITION', 'MANAGED BY'];
    const row = [
      name,
      'ALLOW',
      '10',
      'read, approve on billing/invoice',
      'resource.properties.amount < 10000',
      'billing',
    ];
    const text = table(headings, [row, ['漢字'.repeat(4), ...row.slice(1)]], PLAIN, columns);
    expect(text).toContain(name);
    expect(text).toContain('漢字'.repeat(4));
  });

  it('fits the terminal where names leave room, with wide characters too', () => {
    const rows = [
      ['billing/clerk', '説明'.repeat(20), 'default'],
      ['hr', 'x'.repeat(80), 'hr'],
    ];
    for (const line of table(['PATH', 'DESCRIPTION', 'OWNER'], rows, PLAIN, 60).split('\n'))
      expect(width(line)).toBeLessThanOrEqual(60);
  });

  it('shows control characters of records as escapes', () => {
    expect(table(['NAME'], [['a\u001B[31m']], PLAIN, ENDLESS)).toContain('a\\u001b[31m');
  });
});
