import { ProblemError } from '@authz-service/core/problem';
import { isReached, MIN_REVISION_HEADER, type MinRevision, minRevisionText, unknownRevision } from './min-revision.js';

/** Outcomes of a request that had to wait for a revision; `gone`: its caller went away, or the process stops. */
export const WAIT_OUTCOMES = ['reached', 'unknown', 'late', 'refused', 'gone'] as const;
export type WaitOutcome = (typeof WAIT_OUTCOMES)[number];

/** The source of revisions, as a waiting request sees it. */
export interface RevisionSource {
  /** The revision that would answer at this moment: `NUMBER.DIGEST`, and the epoch if there is one. */
  served(): string | undefined;
  /** Whether it finds out by itself what a restored cloud still has of earlier epochs. */
  tellsPast?: boolean;
  /** Resolves when that may have changed, and at the latest after so many milliseconds. */
  changed(ms: number): Promise<void>;
  /** Whether the tenant has this revision by the records of the cloud; undefined if that cannot be told at present. */
  exists(wanted: MinRevision): Promise<boolean | undefined>;
}

const WAIT_MS = 5_000;
const WAITING_MAX = 1_000;
/** The part of all places that one tenant's requests may take, and the part that they may take once half are taken. */
const SHARE = 1 / 4;
const SCARCE_SHARE = 1 / 100;

/** The requests of one process that wait for a revision: so many at most, and each so long at most. */
export class RevisionWaits {
  #waiting = 0;
  /** By tenant, where there are several. */
  readonly #ofTenant = new Map<string, number>();
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
   * that there is none, `behind_revision` when the time is up, and `too_many_requests` if too many wait already. A
   * process of several tenants names the one that waits: a tenant may take its share of the places, not those of others.
   */
  async reach(wanted: MinRevision, source: RevisionSource, tenant?: string): Promise<void> {
    try {
      if (isReached(wanted, source.served(), source)) return;
      const leave = this.#enter(tenant);
      try {
        await this.#wait(wanted, source);
      } finally {
        leave();
      }
      this.ended('reached');
    } catch (error) {
      this.ended(outcomeOf(error));
      throw error;
    }
  }

  /** Takes a place, and returns what gives it back. */
  #enter(tenant: string | undefined): () => void {
    const all = this.#waitingMax;
    if (this.#waiting >= all) throw tooMany(this.#waiting);
    if (tenant !== undefined) {
      const own = this.#ofTenant.get(tenant) ?? 0;
      if (own >= Math.max(1, all * (this.#waiting < all / 2 ? SHARE : SCARCE_SHARE)))
        throw tooMany(own, ' of the tenant');
      this.#ofTenant.set(tenant, own + 1);
    }
    this.#waiting++;
    return () => {
      this.#waiting--;
      if (tenant === undefined) return;
      const left = (this.#ofTenant.get(tenant) ?? 0) - 1;
      if (left > 0) this.#ofTenant.set(tenant, left);
      else this.#ofTenant.delete(tenant);
    };
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
    while (!isReached(wanted, source.served(), source)) {
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
  if (code === 'unknown_revision') return 'unknown';
  if (code === 'behind_revision') return 'late';
  return code === 'too_many_requests' ? 'refused' : 'gone';
}

function late(wanted: MinRevision, served: string | undefined, ms: number): ProblemError {
  const has = served === undefined ? 'serves nothing yet' : `still serves ${served}`;
  return new ProblemError(
    'behind_revision',
    `${MIN_REVISION_HEADER} names ${minRevisionText(wanted)}, and after ${ms / 1000} seconds this process ${has}: ask again, or ask another one.`,
    [],
    { retryAfterSeconds: 1 },
  );
}

function tooMany(waiting: number, whose = ''): ProblemError {
  return new ProblemError(
    'too_many_requests',
    `${waiting} requests${whose} wait for a revision at this process already: ask again in a second.`,
    [],
    { retryAfterSeconds: 1 },
  );
}
