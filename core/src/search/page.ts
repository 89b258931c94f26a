import type { CompiledEngine } from '../decision/compiled-engine.js';
import type { ResolvedRequest } from '../decision/evaluate/resolved-request.js';
import { ProblemError } from '../problem.js';
import { firstAfter, type Ordered } from './ordered.js';

/** All that may be found, in order, and how to ask the engine of one. */
export interface Candidates<T, R> {
  ordered: readonly Ordered<T>[];
  /** Set where only some of these are candidates. */
  isCandidate?: ((item: T) => boolean) | undefined;
  ask(item: T): ResolvedRequest;
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

/** So many that are no candidates are passed over in one step. */
const STEP = 256;

/**
 * One page of the candidates that the engine allows, exactly as it would decide on each. It looks for one more result
 * than it shows, so that the last page is known to be the last.
 */
export function* pageOf<T, R>(
  engine: Pick<CompiledEngine, 'decideResolved' | 'mayAllow'>,
  { ordered, isCandidate, ask, show }: Candidates<T, R>,
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
  let [asked, skipped] = [0, 0];
  for (let at = firstAfter(ordered, after); at < ordered.length; at++) {
    const { key, item } = ordered[at] as Ordered<T>;
    if (isCandidate?.(item) === false) {
      passed = key;
      if (++skipped % STEP !== 0) continue;
    } else {
      if (asked === CANDIDATES_MAX) return page(passed);
      asked++;
      const resolved = ask(item);
      const answer = answerOf(engine, resolved, now);
      if (answer === 'allowed') {
        if (results.length === limit) return page(passed);
        results.push(show(item));
      } else if (answer !== 'denied' && (answer.allows || engine.mayAllow(resolved, now))) {
        // Whom no ALLOW leads to is denied whatever the request says: proposed because of a link or policy that is gone.
        undecided++;
        if (answer.absent !== undefined) absent.add(answer.absent);
      }
      passed = key;
    }
    yield;
    if (late()) return page(at + 1 < ordered.length ? passed : undefined);
  }
  return page();
}

/** What is neither allowed nor denied for good. */
interface Open {
  absent?: string | undefined;
  /** Whether it is known that an ALLOW is among the candidates. */
  allows: boolean;
}

/** A failed evaluation grants nothing, so such a candidate is not a result. */
function answerOf(
  engine: Pick<CompiledEngine, 'decideResolved'>,
  resolved: ResolvedRequest,
  now: number,
): 'allowed' | 'denied' | Open {
  try {
    const { decision, absent, access_path } = engine.decideResolved(resolved, now);
    if (decision) return 'allowed';
    // Where nothing applied it is an ALLOW that lacks the attribute; one whose place is not known does not count here.
    const allows = access_path === 'none' && (resolved.where?.unknown ?? null) === null;
    return absent === undefined ? 'denied' : { absent, allows };
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'evaluation_failed') return { allows: false };
    throw error;
  }
}
