import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Progress } from './progress.js';
import { Terminal } from './terminal.js';

let written: string;
const progressOn = (isTTY: boolean, TERM = 'xterm') => {
  written = '';
  const write = (text: string, done: () => void) => {
    written += text;
    done();
    return true;
  };
  return new Progress(new Terminal({ write, isTTY } as never, { NO_COLOR: '1', TERM }));
};

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('on a terminal', () => {
  it('says nothing of what is done soon', () => {
    const progress = progressOn(true);
    progress.phase('Reading');
    vi.advanceTimersByTime(300);
    progress.done();
    expect(written).toBe('');
  });

  it('shows how far work has come that lets no timer run', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const progress = progressOn(true);
    progress.phase('Reading the tree');
    for (let records = 0; records <= 3000; records += 500) {
      progress.step(`Reading the tree: ${records} records`);
      vi.advanceTimersByTime(300);
    }
    expect(written).not.toContain(': 500 records');
    expect(written).toContain(': 1000 records …');
    expect(written).toContain(': 3000 records … 1 s');
    progress.done();
    expect(written.endsWith('\r\u001B[2K')).toBe(true);
  });

  it('announces a long step whatever was shown when', () => {
    const progress = progressOn(true);
    progress.phase('Reading the tree');
    progress.step('file 1 of 2', true);
    progress.step('file 2 of 2', true);
    expect(written).toContain('file 1 of 2 …');
    expect(written).toContain('file 2 of 2 …');
  });

  it('shows what takes long and since when, and leaves no trace', () => {
    const progress = progressOn(true);
    progress.phase('Applying 10,000 changes');
    vi.advanceTimersByTime(3100);
    expect(written).toContain('Applying 10,000 changes … 3 s');
    progress.done();
    expect(written.endsWith('\r\u001B[2K')).toBe(true);
    expect(written).not.toContain('\n');
  });
});

describe('where no line can move', () => {
  it.each([
    ['in a log', false, 'xterm'],
    ['on a dumb terminal', true, 'dumb'],
  ])('%s, writes a line now and then, ever more rarely', (_, isTTY, term) => {
    const progress = progressOn(isTTY, term);
    progress.phase('Applying 10,000 changes');
    vi.advanceTimersByTime(21_000);
    progress.done();
    const seconds = written
      .trimEnd()
      .split('\n')
      .map((line) => line.replace('Applying 10,000 changes … ', ''));
    expect(seconds).toEqual(['5 s', '10 s', '20 s']);
  });
});
