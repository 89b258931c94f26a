import { eachInSteps } from '@authz-service/core/concurrency/time-slicing';
import type { Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Staged } from '@authz-service/core/state/change';

/** Changes made in one step: some tenths of a millisecond. */
const STEP = 100;

/** A record that a commit takes out or puts in. */
export interface Changed {
  record: StoredRecord;
  /** Whether it is there afterwards. */
  there: boolean;
}

/** The value that is made of the records of a kind. */
export interface Made {
  change(changed: Changed): void;
}

interface Making<T> {
  /** The commits that it lacks. */
  missed: Staged[];
  done: Promise<T>;
}

/**
 * Values made of the records of each kind: step by step when it is first asked for, and then changed by each commit, at
 * once by a small one and step by step by a large one.
 */
export class KeptByKind<T extends Made> {
  readonly #made = new Map<Kind, T>();
  readonly #making = new Map<Kind, Making<T>>();

  /** `run` runs work step by step; `records` are those of a kind now. */
  constructor(
    private readonly run: <R>(steps: Generator<undefined, R>) => Promise<R>,
    private readonly records: (kind: Kind) => Iterable<StoredRecord>,
    private readonly make: (records: readonly StoredRecord[]) => Generator<undefined, T>,
    private readonly inPlaceMax = STEP,
  ) {}

  /** With all commits so far; read it within this turn of the event loop. */
  async current(kind: Kind): Promise<T> {
    for (let making = this.#making.get(kind); making !== undefined; making = this.#making.get(kind)) await making.done;
    return this.#made.get(kind) ?? (await this.#begin(kind, []));
  }

  /** With all commits so far, if that is at hand. */
  now(kind: Kind): T | undefined {
    return this.#making.has(kind) ? undefined : this.#made.get(kind);
  }

  /** As soon as there is anything: for a moment after a large commit, it has only some of its changes. */
  async atOnce(kind: Kind): Promise<T> {
    return this.#made.get(kind) ?? (await this.current(kind));
  }

  /** Applies a commit. */
  follow(staged: Staged): void {
    for (const { missed } of this.#making.values()) missed.push(staged);
    for (const [kind, made] of this.#made) {
      if (this.#making.has(kind)) continue;
      if (this.#isSmall(kind, staged)) for (const changed of changesOf(kind, staged)) made.change(changed);
      // What fails is made anew when it is asked for.
      else this.#begin(kind, [staged]).catch(() => undefined);
    }
  }

  /** Forgets everything: the records are others. */
  clear(): void {
    this.#made.clear();
    this.#making.clear();
  }

  #isSmall(kind: Kind, staged: Staged): boolean {
    let count = 0;
    for (const _ of changesOf(kind, staged)) if (++count > this.inPlaceMax) return false;
    return true;
  }

  #begin(kind: Kind, missed: Staged[]): Promise<T> {
    const making: Making<T> = { missed, done: Promise.resolve().then(() => this.#make(kind, making)) };
    this.#making.set(kind, making);
    return making.done;
  }

  async #make(kind: Kind, making: Making<T>): Promise<T> {
    const { missed } = making;
    const isMeant = () => this.#making.get(kind) === making;
    try {
      const made = this.#made.get(kind) ?? (await this.run(this.make([...this.records(kind)])));
      if (isMeant()) this.#made.set(kind, made);
      for (let staged = missed.shift(); staged !== undefined && isMeant(); staged = missed.shift())
        await this.run(eachInSteps(changesOf(kind, staged), STEP, (changed) => made.change(changed)));
      if (isMeant()) return made;
    } catch (error) {
      if (isMeant()) this.#made.delete(kind);
      throw error;
    } finally {
      if (isMeant()) this.#making.delete(kind);
    }
    // The records became others meanwhile.
    return await this.current(kind);
  }
}

/** The records of a kind that a commit takes out and puts in, in this order: records may swap their addresses. */
function* changesOf(kind: Kind, { put, remove }: Staged): Generator<Changed, void> {
  for (const record of remove) if (record.kind === kind) yield { record, there: false };
  for (const { previous } of put) if (previous?.kind === kind) yield { record: previous, there: false };
  for (const { record } of put) if (record.kind === kind) yield { record, there: true };
}
