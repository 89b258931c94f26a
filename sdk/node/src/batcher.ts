import { BatchSize } from './batch-size.js';
import type { Decision, Outcome } from './decision.js';
import { jsonText, WrittenJson } from './json-text.js';
import { Limit, until } from './limit.js';
import { isWithoutBatches } from './one-by-one.js';
import type { DecisionQuestion } from './question.js';
import { ServiceError } from './service-error.js';
import type { CallOptions, CountedOptions } from './transport.js';

interface Asking {
  max: number;
  /** The deadline of a call that sets none. */
  timeoutMs: number;
  one(question: DecisionQuestion, options: CountedOptions): Promise<Decision>;
  /** Asks a batch that is written already. */
  many(body: WrittenJson, count: number, options: CallOptions): Promise<Outcome[]>;
  /** Learns that the decision point takes no batches. */
  withoutBatches(): void;
}

/** One caller's question, and how long that caller waits. */
interface Waiting {
  question: DecisionQuestion;
  /** The question as it is sent in a batch. */
  text: string;
  options: CountedOptions;
  endsAt: number;
  limit: Limit;
  settle(outcome: Promise<Decision>): void;
}

/** Statuses by which a batch is refused as a whole: for a question in it, its size, or what it asks for. */
const REFUSED_WHOLE: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

/**
 * Joins the questions of one turn of the event loop into batches. Every caller keeps a deadline and a signal of its own,
 * and gets its own answer with its reason: one that gives up does not end the others' batch.
 */
export class Batcher {
  readonly #asking: Asking;
  #queue: Waiting[] = [];
  /** How many questions go into one batch. */
  readonly #count: BatchSize;
  /** How many characters they have together. */
  readonly #length = new BatchSize(Number.POSITIVE_INFINITY);

  constructor(asking: Asking) {
    this.#asking = asking;
    this.#count = new BatchSize(asking.max);
  }

  /**
   * Undefined if the call must go alone: it has a request id of its own, or the decision point refuses batches. Throws
   * `invalid_request` for what cannot be sent, which so fails no other question.
   */
  decide(question: DecisionQuestion, options: CountedOptions): Promise<Decision> | undefined {
    if (this.#count.limit < 2 || options.requestId !== undefined || options.attemptTimeoutMs !== undefined)
      return undefined;
    const { options: _, ...sent } = question;
    const text = jsonText(sent);
    const timeoutMs = options.timeoutMs ?? this.#asking.timeoutMs;
    const limit = new Limit(
      options.signal,
      timeoutMs,
      () => new ServiceError('timeout', `The decision was not there within ${timeoutMs / 1000} s.`),
    );
    const answered = new Promise<Decision>((settle) => {
      this.#queue.push({ question, text, options, endsAt: performance.now() + timeoutMs, limit, settle });
    });
    if (this.#queue.length === 1) nextTurn(() => this.#flush());
    return until(limit.signal, answered).finally(() => limit.end());
  }

  #flush(): void {
    const groups = new Map<string, Waiting[]>();
    for (const waiting of this.#queue) {
      const key = JSON.stringify(waiting.question.options ?? {});
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [waiting]);
      else group.push(waiting);
    }
    this.#queue = [];
    for (const group of groups.values()) for (const chunk of this.#chunks(group)) this.#send(chunk);
  }

  #chunks(group: Waiting[]): Waiting[][] {
    const { limit } = this.#count;
    const longest = this.#length.limit;
    const chunks: Waiting[][] = [];
    let length = 0;
    for (const waiting of group) {
      const last = chunks.at(-1);
      length += waiting.text.length;
      if (last !== undefined && last.length < limit && length <= longest) last.push(waiting);
      else {
        chunks.push([waiting]);
        length = waiting.text.length;
      }
    }
    return chunks;
  }

  #send(all: Waiting[]): void {
    const chunk = all.filter(({ limit }) => !limit.signal.aborted);
    if (chunk.length < 2) {
      this.#alone(chunk);
      return;
    }
    const length = chunk.reduce((sum, { text }) => sum + text.length, 0);
    const done = new AbortController();
    let left = chunk.length;
    for (const { limit } of chunk) {
      limit.signal.addEventListener('abort', () => {
        left -= 1;
        if (left === 0) done.abort(limit.signal.reason);
      });
    }
    const timeoutMs = Math.max(1, ...chunk.map(({ endsAt }) => endsAt - performance.now()));
    this.#asking.many(joined(chunk), chunk.length, { signal: done.signal, timeoutMs }).then(
      (outcomes) => {
        this.#count.took(chunk.length);
        this.#length.took(length);
        chunk.forEach(({ settle }, index) => {
          const outcome = outcomes[index] as Outcome;
          settle(outcome.ok ? Promise.resolve(outcome.decision) : Promise.reject(outcome.error));
        });
      },
      (error: unknown) => {
        if (isWithoutBatches(error)) this.#alone(chunk, () => this.#asking.withoutBatches());
        else if (error instanceof ServiceError && REFUSED_WHOLE.has(error.status)) {
          this.#alone(chunk, () => {
            if (error.status === 413) this.#length.refused(length);
            else this.#count.refused(chunk.length);
          });
        } else for (const { settle } of chunk) settle(Promise.reject(error));
      },
    );
  }

  /** `learn` is called when each of a refused batch is answered alone, so that no question in it was at fault. */
  #alone(chunk: Waiting[], learn?: () => void): void {
    let answered = 0;
    for (const { question, options, endsAt, limit, settle } of chunk) {
      if (limit.signal.aborted) continue;
      const timeoutMs = Math.max(1, endsAt - performance.now());
      const asked = this.#asking.one(question, { ...options, signal: limit.signal, timeoutMs });
      settle(
        asked.then((decision) => {
          answered += 1;
          if (answered === chunk.length) learn?.();
          return decision;
        }),
      );
    }
  }
}

function joined(chunk: Waiting[]): WrittenJson {
  const options = JSON.stringify({ ...chunk[0]?.question.options, reasons: true });
  return new WrittenJson(`{"evaluations":[${chunk.map(({ text }) => text).join(',')}],"options":${options}}`);
}

/** Runs after everything that has arrived in this turn, on any socket. */
function nextTurn(work: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(work);
  else setTimeout(work, 0);
}
