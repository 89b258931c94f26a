import type { RecordChange } from '../../decision/api/engine.js';
import type { CompiledEngine } from '../../decision/compiled-engine.js';
import type { CauseRecord } from '../api/finding.js';
import type { TenantSide } from '../api/side.js';
import type { ChangedRecord } from '../universe/record-changes.js';
import { minimalSets } from './minimal-sets.js';
import { type CausedAt, RelevantChanges } from './relevant-changes.js';
import { Dependencies } from './subsets.js';

/** More changes than these are not gone through one by one where those that seem relevant do not bring a finding. */
const ALL_MAX = 200;

/** Finds which changed records bring a finding, by making some of them and asking the engine (docs/semantics.md 10.9). */
export class Causes {
  readonly #relevant: RelevantChanges;
  readonly #dependencies: Dependencies;

  /** `engine` is in the state before, and is again after each question. */
  constructor(
    private readonly engine: CompiledEngine,
    private readonly changes: readonly ChangedRecord[],
    private readonly sides: { before: TenantSide; after: TenantSide },
  ) {
    this.#relevant = new RelevantChanges(engine, changes);
    this.#dependencies = new Dependencies(changes);
  }

  /** `shows` says whether the finding is there in the engine's present state; without it, all that is relevant is named. */
  of(at: CausedAt, shows: ((engine: CompiledEngine) => boolean) | undefined): CauseRecord[][] {
    let relevant = this.#dependencies.closed(this.#relevant.of(at));
    if (shows === undefined) return [this.#records(relevant)];
    const holds = (set: ReadonlySet<ChangedRecord>) => this.#holds(set, shows);
    if (!holds(relevant)) {
      if (this.changes.length > ALL_MAX) return [this.#records(relevant)];
      relevant = new Set(this.changes);
    }
    return minimalSets(relevant, this.#dependencies, holds).map((set) => this.#records(set));
  }

  #holds(set: ReadonlySet<ChangedRecord>, shows: (engine: CompiledEngine) => boolean): boolean {
    const made = [...set];
    this.engine.apply(made);
    const held = shows(this.engine);
    this.engine.apply(made.map(({ before, after }): RecordChange => ({ before: after, after: before })));
    return held;
  }

  #records(set: ReadonlySet<ChangedRecord>): CauseRecord[] {
    return [...set]
      .map(({ address, before, after }): CauseRecord => {
        const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
        const place = (change === 'removed' ? this.sides.before : this.sides.after).placeOf?.(address);
        return { address, change, ...(place !== undefined && { file: place.file, line: place.line }) };
      })
      .sort((left, right) => (left.address < right.address ? -1 : 1));
  }
}
