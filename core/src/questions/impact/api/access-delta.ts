import type { PairAnswer, PairChange } from '../../../access/delta/pair-change.js';
import type { Finding } from './finding.js';

/** One recorded subject, action and recorded resource whose answer changes; its members stand in the order of `--pairs`. */
export interface PairLine {
  /** The paths of records: `user/alice`, `billing/invoice/INV-1`. */
  readonly subject: string;
  readonly action: string;
  readonly resource: string;
  readonly before: PairAnswer;
  readonly after: PairAnswer;
  readonly change: PairChange;
}

/** Everything that becomes possible and impossible between two states of a tenant (docs/semantics.md section 10). */
export interface AccessDelta {
  readonly format: 1;
  /** RFC 3339: the start that instants are looked at from. */
  readonly now: string;
  /** Recorded triples by change, as `pairs` lists them. */
  readonly counts: Readonly<Record<PairChange, number>>;
  /** False if a count is an upper bound. */
  readonly exact: boolean;
  /** Set if there was too much to look at: too many places, or several together, in which requests may place resources. */
  readonly complete?: false;
  /** Worst first. */
  readonly findings: readonly Finding[];
}
