import type { Decision, Outcome } from './decision.js';
import { Limit, until } from './limit.js';
import { isWithoutBatches } from './one-by-one.js';
import type { DecisionQuestion, EvaluationsQuestion } from './question.js';
import { ServiceError } from './service-error.js';
import type { CallOptions, CountedOptions } from './transport.js';

interface Asking {
  max: number;
  /** The deadline of a call that sets none. */
  timeoutMs: number;
  one(question: DecisionQuestion, options: CountedOptions): Promise<Decision>;
  many(question: EvaluationsQuestion, options: CallOptions): Promise<Outcome[]>;
  /** Learns that the decision point takes no batches. */
  withoutBatches(): void;
}

/** One caller's question, and how long that caller waits. */
interface Waiting {
  question: DecisionQuestion;
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
  /** The most questions that go into one batch. */
  #max: number;

  constructor(asking: Asking) {
    this.#asking = asking;
    this.#max = asking.max;
  }

  /** Undefined if the call must go alone: it has a request id of its own, or the decision point refuses batches. */
  decide(question: DecisionQuestion, options: CountedOptions): Promise<Decision> | undefined {
    if (this.#max < 2 || options.requestId !== undefined || options.attemptTimeoutMs !== undefined) return undefined;
    const timeoutMs = options.timeoutMs ?? this.#asking.timeoutMs;
    const limit = new Limit(
      options.signal,
      timeoutMs,
      () => new ServiceError('timeout', `The decision was not there within ${timeoutMs / 1000} s.`),
    );
    const answered = new Promise<Decision>((settle) => {
      this.#queue.push({ question, options, endsAt: performance.now() + timeoutMs, limit, settle });
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
    for (const group of groups.values()) {
      for (let at = 0; at < group.length; at += this.#max) this.#send(group.slice(at, at + this.#max));
    }
  }

  #send(all: Waiting[]): void {
    const chunk = all.filter(({ limit }) => !limit.signal.aborted);
    if (chunk.length < 2) {
      this.#alone(chunk);
      return;
    }
    const { questions, options } = joined(chunk);
    const done = new AbortController();
    let left = chunk.length;
    for (const { limit } of chunk) {
      limit.signal.addEventListener('abort', () => {
        left -= 1;
        if (left === 0) done.abort(limit.signal.reason);
      });
    }
    const timeoutMs = Math.max(1, ...chunk.map(({ endsAt }) => endsAt - performance.now()));
    this.#asking.many({ evaluations: questions, options }, { signal: done.signal, timeoutMs }).then(
      (outcomes) => {
        chunk.forEach(({ settle }, index) => {
          const outcome = outcomes[index] as Outcome;
          settle(outcome.ok ? Promise.resolve(outcome.decision) : Promise.reject(outcome.error));
        });
      },
      (error: unknown) => {
        if (isWithoutBatches(error)) this.#alone(chunk, () => this.#asking.withoutBatches());
        else if (error instanceof ServiceError && REFUSED_WHOLE.has(error.status)) {
          this.#alone(chunk, () => {
            this.#max = Math.min(this.#max, Math.floor(chunk.length / 2));
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

function joined(chunk: Waiting[]) {
  const questions = chunk.map(({ question: { options: _, ...question } }) => question);
  return { questions, options: { ...chunk[0]?.question.options, reasons: true } };
}

/** Runs after everything that has arrived in this turn, on any socket. */
function nextTurn(work: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(work);
  else setTimeout(work, 0);
}
