import { ProblemError } from '../../problem.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import type { ResolvedRequest } from '../evaluate/resolved-request.js';
import { firstAfter, type Ordered } from './ordered.js';

/** All that may be found, in order, and how to ask the engine of one. */
export interface Candidates<T, R> {
  ordered: readonly Ordered<T>[];
  /** Set where only some of these are candidates. */
  isCandidate?: ((item: T) => boolean) | undefined;
  /** Whether only what conditions ask of the resource can tell this one from the others for which it is true. */
  isAlike?: (item: T) => boolean;
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

/** The most resources that are passed over in one step because they are no candidates, or their answer is known. */
const STEP = 256;

/**
 * One page of the candidates that the engine allows, exactly as it would decide on each. It looks for one more result
 * than it shows, so that the last page is known to be the last.
 */
export function* pageOf<T, R>(
  engine: Pick<CompiledEngine, 'decideResolved' | 'mayAllow'>,
  { ordered, isCandidate, isAlike, ask, show }: Candidates<T, R>,
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
  let [asked, quick] = [0, 0];
  /** The answer for all that are alike, once one was asked about; null where conditions may tell them apart. */
  let common: CandidateAnswer | null | undefined;
  for (let at = firstAfter(ordered, after); at < ordered.length; at++) {
    const { key, item } = ordered[at] as Ordered<T>;
    let isQuick = true;
    if (isCandidate?.(item) !== false) {
      if (asked === CANDIDATES_MAX) return page(passed);
      asked++;
      const alike = common !== null && isAlike?.(item) === true;
      let answer = alike ? common : undefined;
      if (answer == null) {
        isQuick = false;
        const reads = { resource: false };
        answer = answerOf(engine, ask(item), now, alike ? reads : undefined);
        if (alike) common = reads.resource ? null : answer;
      }
      if (answer === 'allowed') {
        if (results.length === limit) return page(passed);
        results.push(show(item));
        isQuick = false;
      } else if (answer !== 'denied') {
        undecided++;
        if (answer.absent !== undefined) absent.add(answer.absent);
      }
    }
    passed = key;
    if (isQuick && ++quick % STEP !== 0) continue;
    yield;
    if (late()) return page(at + 1 < ordered.length ? passed : undefined);
  }
  return page();
}

/** `absent` is the attribute without which it is neither allowed nor denied for good; undefined after a failure. */
type CandidateAnswer = 'allowed' | 'denied' | { absent: string | undefined };

/** A failed evaluation grants nothing, so such a candidate is not a result. */
function answerOf(
  engine: Pick<CompiledEngine, 'decideResolved' | 'mayAllow'>,
  resolved: ResolvedRequest,
  now: number,
  reads: { resource: boolean } | undefined,
): CandidateAnswer {
  // Whom no ALLOW leads to is denied whatever the request says: proposed because of a link or policy that is gone.
  const open = (absent?: string) => (engine.mayAllow(resolved, now) ? { absent } : 'denied');
  try {
    const { decision, absent, access_path } = engine.decideResolved(resolved, now, reads);
    if (decision) return 'allowed';
    if (absent === undefined) return 'denied';
    // Where nothing applied it is an ALLOW that lacks the attribute; one whose place is not known does not count here.
    return access_path === 'none' && (resolved.where?.unknown ?? null) === null ? { absent } : open(absent);
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'evaluation_failed') return open();
    throw error;
  }
}
