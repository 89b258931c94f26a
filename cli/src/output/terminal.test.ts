import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Terminal } from './terminal.js';

describe('colour', () => {
  it.each<[string, boolean, Record<string, string>, boolean]>([
    ['on a terminal', true, {}, true],
    ['not in a pipe', false, {}, false],
    ['not where NO_COLOR is set', true, { NO_COLOR: '1' }, false],
    ['where NO_COLOR is empty, as its standard says', true, { NO_COLOR: '' }, true],
    ['not on a dumb terminal', true, { TERM: 'dumb' }, false],
  ])('%s', (_, isTTY, environment, colour) => {
    const terminal = new Terminal(Object.assign(new PassThrough(), { isTTY }), environment);
    expect(terminal.style('red', 'x')).toBe(colour ? '\u001B[31mx\u001B[39m' : 'x');
  });
});

it('writes the names in a warning so that they forge no line', () => {
  const stream = new PassThrough();
  void new Terminal(stream, {}).warning('no "a\u001B[2K\nerror: b"');
  expect(String(stream.read())).toBe('warning: no "a\\u001b[2K\\nerror: b"\n');
});
