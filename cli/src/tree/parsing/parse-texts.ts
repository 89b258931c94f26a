import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { MAX_FILE_LENGTH } from '@authz-service/core/manifest/limits';
import type { ParsedText } from '@authz-service/core/manifest/parsed-text';

/** A thread takes some tens of milliseconds to start: so many characters for each make that worth while. */
const LEAST_TEXT = 100_000;
/** Each thread has a heap of its own: beyond these, memory is short before time is. */
const THREADS_MAX = 8;

/** The work that a thread is sent, and its answer. */
export interface ParseWork {
  index: number;
  text: string;
}
export interface ParseDone {
  index: number;
  parsed: ParsedText;
}

/** Parses texts, in threads if they are long, while the caller does something else. `onText` hears of each before it is begun. */
export async function parseTexts(
  texts: readonly string[],
  onText: (begun: number, characters: number) => void,
): Promise<ParsedText[]> {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  // One thread has the longest: others are worth while for what is left then.
  const left = length - Math.max(0, ...texts.map((text) => text.length));
  const wanted = Math.min(Math.floor(length / LEAST_TEXT), 1 + Math.floor(left / LEAST_TEXT));
  const processors = availableParallelism();
  const count = processors === 1 ? 0 : Math.min(processors, THREADS_MAX, texts.length, wanted);
  const jobs = new Jobs(texts, onText);
  // A thread that cannot start, or that ends early, leaves its work to others, and at last to this one.
  await Promise.all(Array.from({ length: count }, () => work(jobs)));
  if (jobs.parsed.filter((one) => one !== undefined).length === texts.length) return jobs.parsed as ParsedText[];
  // The parser is a large module, which threads load by themselves.
  const { parsedText } = await import('@authz-service/core/manifest/parsed-text');
  return texts.map((text, index) => jobs.parsed[index] ?? parsedText(jobs.begin({ index, text }).text));
}

/** Texts to parse, the longest first, so that none is left over for long at the end. */
class Jobs {
  readonly parsed: (ParsedText | undefined)[] = [];
  readonly #waiting: ParseWork[];
  readonly #onText: (begun: number, characters: number) => void;
  readonly #begun = new Set<number>();
  /** The characters that are being parsed: what a file of the greatest size takes of memory is enough. */
  #characters = 0;
  #onRoom: (() => void)[] = [];

  constructor(texts: readonly string[], onText: (begun: number, characters: number) => void) {
    this.#waiting = texts
      .map((text, index) => ({ index, text }))
      .sort((left, right) => right.text.length - left.text.length);
    this.#onText = onText;
  }

  /** The next one, when there is room for it; undefined if none is left. */
  async take(): Promise<ParseWork | undefined> {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined) return undefined;
      if (this.#characters === 0 || this.#characters + next.text.length <= MAX_FILE_LENGTH) {
        this.#waiting.shift();
        this.#characters += next.text.length;
        return this.begin(next);
      }
      await new Promise<void>((resolve) => this.#onRoom.push(resolve));
    }
  }

  begin(job: ParseWork): ParseWork {
    this.#begun.add(job.index);
    this.#onText(this.#begun.size, job.text.length);
    return job;
  }

  leave({ text }: ParseWork): void {
    this.#characters -= text.length;
    for (const wake of this.#onRoom.splice(0)) wake();
  }
}

/** Parses in one thread until no text is left, or the thread ends. */
async function work(jobs: Jobs): Promise<void> {
  let worker: Worker;
  try {
    worker = new Worker(new URL('./parse-thread.js', import.meta.url));
  } catch {
    return;
  }
  // It may fail at any time, also while it has nothing to do.
  const ended = new Promise<never>((_, reject) => {
    worker.once('error', reject);
    worker.once('exit', reject);
  });
  ended.catch(() => undefined);
  try {
    for (let job = await jobs.take(); job !== undefined; job = await jobs.take()) {
      try {
        jobs.parsed[job.index] = await Promise.race([answerOf(worker, job), ended]);
      } finally {
        jobs.leave(job);
      }
    }
  } catch {
    // What it was parsing is parsed by the calling thread, where an error is one of the program.
  } finally {
    await worker.terminate();
  }
}

function answerOf(worker: Worker, job: ParseWork): Promise<ParsedText> {
  return new Promise((resolve) => {
    worker.once('message', ({ parsed }: ParseDone) => resolve(parsed));
    worker.postMessage(job);
  });
}
