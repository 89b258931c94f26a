import type { EventEmitter } from 'node:events';
import { MAX_FILE_LENGTH } from '@authz-service/core/manifest/limits';
import { parsedText } from '@authz-service/core/manifest/parsed-text';
import { beforeEach, expect, it, vi } from 'vitest';
import { type ParseDone, type ParseWork, parseTexts } from './parse-texts.js';

/** Threads whose moments of failing the tests choose. */
const threads = vi.hoisted(() => [] as Thread[]);

interface Thread extends EventEmitter {
  sent: ParseWork[];
}

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  availableParallelism: () => 2,
}));
vi.mock('node:worker_threads', async () => {
  const { EventEmitter: Emitter } = await import('node:events');
  class Worker extends Emitter implements Thread {
    sent: ParseWork[] = [];
    constructor() {
      super();
      threads.push(this);
    }
    postMessage(work: ParseWork): void {
      this.sent.push(work);
    }
    async terminate(): Promise<number> {
      return 0;
    }
  }
  return { Worker };
});

beforeEach(() => void threads.splice(0));

/** There is no room for the others while the first is parsed. */
const TEXTS = [' '.repeat(MAX_FILE_LENGTH), ' '.repeat(200_000), 'b: 2\n'];
const ANSWER = parsedText('a: 1\n');

it.each([
  ['fails', 'error', new Error('out of memory')],
  ['ends', 'exit', 1],
])(
  'parses here what a thread leaves that %s while it waits for room',
  async (_, event, value) => {
    const all = parseTexts(TEXTS, () => {});
    await vi.waitFor(() => expect(threads[0]?.sent).toHaveLength(1));
    threads[1]?.emit(event, value);
    const answer = (index: number) => threads[0]?.emit('message', { index, parsed: ANSWER } satisfies ParseDone);
    answer(0);
    await vi.waitFor(() => expect(threads[0]?.sent).toHaveLength(2));
    answer(1);
    expect(await all).toEqual([ANSWER, ANSWER, parsedText('b: 2\n')]);
  },
  20_000,
);

it.each([
  ['two short texts', [' '.repeat(1000), 'b: 2\n'], 0],
  ['one long text and a short one', [' '.repeat(1_000_000), 'b: 2\n'], 1],
  ['two long texts', [' '.repeat(1_000_000), ' '.repeat(100_000)], 2],
])('starts no thread that saves no time: for %s', async (_, texts, count) => {
  const all = parseTexts(texts, () => {});
  await new Promise((resolve) => setImmediate(resolve));
  expect(threads).toHaveLength(count);
  for (const thread of threads) thread.emit('exit', 1);
  expect(await all).toHaveLength(texts.length);
});
