import { describe, expect, it } from 'vitest';
import { Completeness } from './completeness.js';

const line = (id: string, after?: string) => JSON.stringify({ msg: 'decision', id, after });
const gap = (first: string, last: string, lost: number) =>
  JSON.stringify({ msg: 'gap', lost, first, last, from: 'then', to: 'later', cause: 'full' });

const reportOf = (lines: string[]) => {
  const found = new Completeness();
  for (const [at, text] of lines.entries()) found.take(text, `d.jsonl:${at + 1}`);
  return found.report;
};
const none = { missing: [], gaps: [], repeated: 0, disordered: { count: 0 }, unreadable: { count: 0 } };

describe('the completeness of a log', () => {
  it.each<[string, string[], object]>([
    ['is nothing to tell of', [line('a.5'), line('a.6'), line('b.1'), line('a.7')], { ...none, lines: 4 }],
    ['is seen behind what syslog writes', [`<134>1 host ${line('a.1')}`, line('a.2')], none],
    ['lacks a line', [line('a.1'), line('a.3')], { ...none, missing: [{ process: 'a', first: 2, last: 2 }] }],
    ['lacks nothing where a gap tells of it', [line('a.1'), gap('a.2', 'a.4', 3), line('a.5')], { missing: [] }],
    [
      'lacks what a gap is short of',
      [line('a.1'), gap('a.2', 'a.3', 2), line('a.5')],
      { missing: [{ process: 'a', first: 4, last: 4 }], gaps: [{ lost: 2 }] },
    ],
    [
      'counts what comes again, and a gap once',
      [line('a.1'), line('a.2'), line('a.1'), line('a.2')],
      { repeated: 2, missing: [], disordered: { count: 0 } },
    ],
    ['counts a gap once', [gap('a.2', 'a.4', 3), gap('a.2', 'a.4', 3)], { gaps: [{ lost: 3 }] }],
    [
      'is out of order',
      [line('a.1'), line('a.3'), line('a.2')],
      { missing: [], disordered: { count: 1, first: 'd.jsonl:3' } },
    ],
    [
      'lacks the end of a process that the next one names',
      [line('a.1'), line('a.2'), line('b.1', 'a.4')],
      { missing: [{ process: 'a', first: 3, last: 4 }] },
    ],
    ['lacks nothing if the next process names the last line', [line('a.1'), line('b.1', 'a.1')], { missing: [] }],
    [
      'holds gaps that are none: they end before they begin, or in another process',
      [line('a.1'), line('a.20'), gap('a.15', 'a.3', 3), gap('a.2', 'b.19', 18)],
      { gaps: [], missing: [{ process: 'a', first: 2, last: 19 }], unreadable: { count: 2, first: 'd.jsonl:3' } },
    ],
    [
      'holds lines of another kind',
      [line('a.1'), '{"msg":"decision"}', 'x'],
      { unreadable: { count: 2, first: 'd.jsonl:2' } },
    ],
  ])('%s', (_, lines, expected) => {
    expect(reportOf(lines)).toMatchObject(expected);
  });
});
