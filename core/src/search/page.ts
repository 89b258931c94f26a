import type { DecisionRequest } from '../decision/api/request.js';
import type { CompiledEngine } from '../decision/compiled-engine.js';
import { ProblemError } from '../problem.js';
import { firstAfter, type Ordered } from './ordered.js';

/** All that may be found, in order, and how to ask the engine of one. */
export interface Candidates<T, R> {
  ordered: readonly Ordered<T>[];
  ask(item: T): DecisionRequest;
  show(item: T): R;
}

/** Which part of the results is wanted. */
export interface PageBounds {
  /** Only results after this key; all if it is empty. */
  after: string;
  /** The most results. */
  limit: number;
  /** Milliseconds since the epoch: when the decisions are made. */
  now: number;
  /** Whether the page has taken so long that it should end with what it has. */
  late: () => boolean;
}

export interface Page<R> {
  results: R[];
  /** The key after which the next page starts; absent on the last page. */
  next?: string;
  /** The candidates of this page for which the request says too little; absent if there are none. */
  undecided?: Undecided;
}

/** Candidates that are no results, but may be if the request said more. */
export interface Undecided {
  count: number;
  /** The attributes that were missing, sorted. */
  absent: string[];
}

/** The largest number of candidates for one page, however few results they give. */
const CANDIDATES_MAX = 10_000;

/**
 * One page of the candidates that the engine allows, exactly as it would decide on each. It looks for one more result
 * than it shows, so that the last page is known to be the last.
 */
export function* pageOf<T, R>(
  engine: Pick<CompiledEngine, 'decide' | 'inspect'>,
  { ordered, ask, show }: Candidates<T, R>,
  { after, limit, now, late }: PageBounds,
): Generator<undefined, Page<R>> {
  const results: R[] = [];
  let undecided = 0;
  const absent = new Set<string>();
  const page = (next?: string): Page<R> => ({
    results,
    ...(next !== undefined && { next }),
    ...(undecided > 0 && { undecided: { count: undecided, absent: [...absent].sort() } }),
  });
  let passed = after;
  let at = firstAfter(ordered, after);
  const end = Math.min(ordered.length, at + CANDIDATES_MAX);
  for (; at < end; at++) {
    const { key, item } = ordered[at] as Ordered<T>;
    const request = ask(item);
    const answer = answerOf(engine, request, now);
    if (answer === 'allowed') {
      if (results.length === limit) return page(passed);
      results.push(show(item));
    } else if (answer !== 'denied' && engine.inspect(request, now).allows) {
      // Whom no ALLOW leads to is denied whatever the request says: proposed because of a link or policy that is gone.
      undecided++;
      if (answer.absent !== undefined) absent.add(answer.absent);
    }
    passed = key;
    yield;
    if (late()) return page(at + 1 < ordered.length ? passed : undefined);
  }
  return page(end < ordered.length ? passed : undefined);
}

/** A failed evaluation grants nothing, so such a candidate is not a result. */
function answerOf(
  engine: Pick<CompiledEngine, 'decide'>,
  request: DecisionRequest,
  now: number,
): 'allowed' | 'denied' | { absent?: string | undefined } {
  try {
    const { decision, absent } = engine.decide(request, now);
    if (decision) return 'allowed';
    return absent === undefined ? 'denied' : { absent };
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'evaluation_failed') return {};
    throw error;
  }
}
