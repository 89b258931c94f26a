import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskQueue } from './disk-queue.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'queue-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const segments = () => readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

/** Takes out all lines, so many at a time. */
async function taken(queue: DiskQueue, linesMax = 100): Promise<string[]> {
  const lines: string[] = [];
  for (let batch = await queue.read(linesMax); batch !== undefined; batch = await queue.read(linesMax)) {
    lines.push(...batch.lines);
    queue.commit(batch);
  }
  return lines;
}

const numbered = (count: number) => Array.from({ length: count }, (_, number) => `line ${number}`);

describe('a queue on disk', () => {
  it('gives lines in the order they came, over many files, and removes the files that it gave', async () => {
    const queue = new DiskQueue(folder, 4000);
    const lines = numbered(300);
    for (const line of lines) expect(queue.write(`${line}\n`)).toBe(true);
    expect(segments().length).toBeGreaterThan(5);
    expect(await taken(queue, 7)).toEqual(lines);
    expect(queue.queuedBytes).toBe(0);
    expect(segments()).toHaveLength(1);
  });

  it('refuses what exceeds its bound, and says when there is room', async () => {
    const queue = new DiskQueue(folder, 30);
    expect(['12345678\n', '12345678\n', '12345678\n', '12345678\n'].map((line) => queue.write(line))).toEqual([
      ...[true, true, true, false],
    ]);
    expect(queue.room()).toBeUndefined();
    queue.write('12\n');
    const rooms: string[] = [];
    const room = queue.room()?.then(() => rooms.push('awaited'));
    queue.onRoom = () => rooms.push('told');
    const batch = await queue.read(1);
    if (batch !== undefined) queue.commit(batch);
    await room;
    expect(rooms.sort()).toEqual(['awaited', 'told']);
    expect(queue.write('12345678\n')).toBe(true);
  });

  it('gives again what was not said to have arrived, and only that, after its process was killed', async () => {
    const queue = new DiskQueue(folder, 4000);
    const lines = numbered(200);
    for (const line of lines) queue.write(`${line}\n`);
    for (let batches = 0; batches < 3; batches++) {
      const batch = await queue.read(20);
      if (batch !== undefined) queue.commit(batch);
    }
    await queue.read(20);
    const next = new DiskQueue(folder, 4000);
    expect(next.lastLine).toBe('line 199');
    next.write('later\n');
    expect(await taken(next)).toEqual([...lines.slice(60), 'later']);
    expect(new DiskQueue(folder, 4000).lastLine).toBe('later');
  });

  it('drops the line that a killed process has not written as a whole', async () => {
    new DiskQueue(folder, 4000).write('whole\n');
    appendFileSync(join(folder, segments()[0] ?? ''), 'torn');
    const queue = new DiskQueue(folder, 4000);
    queue.write('next\n');
    expect(await taken(queue)).toEqual(['whole', 'next']);
  });

  it.each(['000000000001 garbage\n', 'garbage', '\0'.repeat(29)])(
    'gives all lines again after a damaged cursor: %j',
    async (cursor) => {
      new DiskQueue(folder, 4000).write('one\n');
      writeFileSync(join(folder, 'cursor'), cursor);
      const queue = new DiskQueue(folder, 4000);
      expect(queue.write('two\n')).toBe(true);
      expect(await taken(queue)).toEqual(['one', 'two']);
    },
  );

  it('goes on behind a file that somebody has removed', async () => {
    const first = new DiskQueue(folder, 4000);
    for (const line of numbered(300)) first.write(`${line}\n`);
    rmSync(join(folder, segments()[2] ?? ''));
    const queue = new DiskQueue(folder, 4000);
    const lines = await taken(queue);
    expect(lines[0]).toBe('line 0');
    expect(lines.at(-1)).toBe('line 299');
    expect(queue.queuedBytes).toBe(0);
  });

  it('gives a line that is longer than what it reads at once', async () => {
    const queue = new DiskQueue(folder, 100_000_000);
    const long = 'x'.repeat(3_000_000);
    queue.write(`${long}\n`);
    queue.write('short\n');
    expect((await taken(queue)).map((line) => line.length)).toEqual([3_000_000, 5]);
  });
});
