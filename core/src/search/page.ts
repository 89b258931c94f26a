import type { Engine } from '../decision/api/engine.js';
import type { DecisionRequest } from '../decision/api/request.js';
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
}

/** The largest number of candidates for one page, however few results they give. */
const CANDIDATES_MAX = 10_000;

/**
 * One page of the candidates that the engine allows, exactly as it would decide on each. It looks for one more result
 * than it shows, so that the last page is known to be the last.
 */
export function* pageOf<T, R>(
  engine: Engine,
  { ordered, ask, show }: Candidates<T, R>,
  { after, limit, now, late }: PageBounds,
): Generator<undefined, Page<R>> {
  const results: R[] = [];
  let passed = after;
  let at = firstAfter(ordered, after);
  const end = Math.min(ordered.length, at + CANDIDATES_MAX);
  for (; at < end; at++) {
    const { key, item } = ordered[at] as Ordered<T>;
    if (allows(engine, ask(item), now)) {
      if (results.length === limit) return { results, next: passed };
      results.push(show(item));
    }
    passed = key;
    yield;
    if (late()) return at + 1 < ordered.length ? { results, next: passed } : { results };
  }
  return end < ordered.length ? { results, next: passed } : { results };
}

/** A failed evaluation grants nothing, so such a candidate is not a result. */
function allows(engine: Engine, request: DecisionRequest, now: number): boolean {
  try {
    return engine.decide(request, now).decision;
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'evaluation_failed') return false;
    throw error;
  }
}
