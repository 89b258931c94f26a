import type { Provenance } from '@authz-service/core/origin/provenance';

/** The states that a commit can have where the pull requests are. */
export type CommitState = 'pending' | 'success' | 'failure';

/** An open pull request onto the followed branch. */
export interface PullRequest {
  number: number;
  /** The commit at its tip. */
  head: string;
  /** The ref from which Git fetches that. */
  ref: string;
}

/** A report about one commit. */
export interface CommitReport {
  commit: string;
  /** The name that tells it from other reports: `authz/payments`. */
  context: string;
  state: CommitState;
  description: string;
}

/** The place of a team's repository and pull requests. Every method throws `ForgeError`. */
export interface Forge {
  /** Shows the state of a commit. */
  setStatus(report: CommitReport, signal: AbortSignal): Promise<void>;
  /** The open pull requests onto a branch. */
  pullRequests(branch: string, signal: AbortSignal): Promise<PullRequest[]>;
  /** Writes the comment of a pull request that begins with the marker, or changes it if it is there. */
  comment(pull: number, comment: { marker: string; text: string }, signal: AbortSignal): Promise<void>;
  /** Who wrote a commit, the pull request that brought it, and who approved that; undefined where no pull request did. */
  provenance(commit: string, signal: AbortSignal): Promise<Provenance | undefined>;
}
