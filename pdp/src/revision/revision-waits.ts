import { ProblemError } from '@authz-service/core/problem';
import { isReached, MIN_REVISION_HEADER, type MinRevision, unknownRevision } from './min-revision.js';

/** What became of a request that had to wait for a revision. */
export const WAIT_OUTCOMES = ['reached', 'unknown', 'late', 'refused'] as const;
export type WaitOutcome = (typeof WAIT_OUTCOMES)[number];

/** Where revisions come from, as a waiting request sees it. */
export interface RevisionSource {
  /** The revision that would answer at this moment (`NUMBER.DIGEST`). */
  served(): string | undefined;
  /** Resolves when that may have changed, and at the latest after so many milliseconds. */
  changed(ms: number): Promise<void>;
  /** Whether the tenant has this revision by the records of the cloud; undefined if that cannot be told at present. */
  exists(wanted: MinRevision): Promise<boolean | undefined>;
}

const WAIT_MS = 5_000;
const WAITING_MAX = 1_000;

/** The requests of one process that wait for a revision: so many at most, and each so long at most. */
export class RevisionWaits {
  #waiting = 0;
  readonly #waitMs: number;
  readonly #waitingMax: number;

  /** `ended` learns what became of each request that was not answered at once. */
  constructor(
    private readonly ended: (outcome: WaitOutcome) => void,
    { waitMs = WAIT_MS, waitingMax = WAITING_MAX }: { waitMs?: number; waitingMax?: number } = {},
  ) {
    this.#waitMs = waitMs;
    this.#waitingMax = waitingMax;
  }

  /**
   * Resolves once `source` serves the wanted revision or a later one. Throws `unknown_revision` as soon as it is known
   * that there is none, `behind_revision` when the time is up, and `too_many_requests` if too many wait already.
   */
  async reach(wanted: MinRevision, source: RevisionSource): Promise<void> {
    try {
      if (isReached(wanted, source.served())) return;
      if (this.#waiting >= this.#waitingMax) throw tooMany(this.#waiting);
      this.#waiting++;
      try {
        await this.#wait(wanted, source);
      } finally {
        this.#waiting--;
      }
      this.ended('reached');
    } catch (error) {
      this.ended(outcomeOf(error));
      throw error;
    }
  }

  async #wait(wanted: MinRevision, source: RevisionSource): Promise<void> {
    const endsAt = performance.now() + this.#waitMs;
    let unknown = false;
    // What is asked may take long; the revision may arrive meanwhile.
    const asked = source.exists(wanted).then(
      (exists) => {
        unknown = exists === false;
      },
      () => undefined,
    );
    let answered: Promise<void> | undefined = asked;
    const forget = () => {
      answered = undefined;
    };
    asked.then(forget);
    while (!isReached(wanted, source.served())) {
      if (unknown) throw unknownRevision(wanted);
      const left = endsAt - performance.now();
      if (left <= 0) throw late(wanted, source.served(), this.#waitMs);
      const changed = source.changed(left);
      await (answered === undefined ? changed : Promise.race([changed, answered]));
    }
  }
}

function outcomeOf(error: unknown): WaitOutcome {
  const code = error instanceof ProblemError ? error.code : undefined;
  return code === 'unknown_revision' ? 'unknown' : code === 'behind_revision' ? 'late' : 'refused';
}

function late({ number, token }: MinRevision, served: string | undefined, ms: number): ProblemError {
  const has = served === undefined ? 'serves nothing yet' : `still serves ${served}`;
  return new ProblemError(
    'behind_revision',
    `${MIN_REVISION_HEADER} names ${token ?? number}, and after ${ms / 1000} seconds this process ${has}: ask again, or ask another one.`,
    [],
    { retryAfterSeconds: 1 },
  );
}

function tooMany(waiting: number): ProblemError {
  return new ProblemError(
    'too_many_requests',
    `${waiting} requests wait for a revision at this process already: ask again in a second.`,
    [],
    { retryAfterSeconds: 1 },
  );
}
