import type { RecordChange } from '../../../access/api/engine.js';
import type { CompiledEngine } from '../../../access/engine/compiled-engine.js';
import type { ChangedRecord } from '../../../access/universe/record-changes.js';
import type { TenantSide } from '../../../access/universe/side.js';
import type { Address } from '../../../records/address.js';
import type { Fields } from '../../../records/registry.js';
import { equalJson } from '../../../state/equal-json.js';
import type { CauseRecord } from '../api/finding.js';
import { minimalSets, withAlternatives } from './minimal-sets.js';
import { type CausedAt, RelevantChanges } from './relevant-changes.js';
import { Dependencies } from './subsets.js';

/** The most changes that are made and taken back for all findings together; after that causes are no longer made smaller. */
const MADE_MAX = 1_000_000;

type Changes = ReadonlySet<ChangedRecord>;

const NONE: Changes = new Set();

/** One subject, resource and action of a finding. */
export interface CausedPoint {
  readonly at: CausedAt;
  /** Whether the finding is there in the engine's present state. */
  readonly shows: (engine: CompiledEngine) => boolean;
  /** The records by which candidates apply that decide the answer before or after, where these are known. */
  readonly chains: readonly ReadonlySet<Address>[];
}

/** Finds which changed records bring a finding, by making some of them and asking the engine (docs/semantics.md 10.9). */
export class Causes {
  readonly #relevant: RelevantChanges;
  readonly #dependencies: Dependencies;
  readonly #byAddress: ReadonlyMap<Address, ChangedRecord>;
  /** The changes that the engine's present state has beyond the state before. */
  #present: Changes = NONE;
  /** How many changes have been made and taken back to ask. */
  #made = 0;

  /** `engine` is in the state before, and is again after each finding. */
  constructor(
    private readonly engine: CompiledEngine,
    private readonly changes: readonly ChangedRecord[],
    private readonly sides: { before: TenantSide; after: TenantSide },
  ) {
    this.#relevant = new RelevantChanges(engine, changes);
    this.#dependencies = new Dependencies(changes);
    this.#byAddress = new Map(changes.map((change) => [change.address, change]));
  }

  /**
   * Returns the causes of a finding, which is there when it shows at every one of these points. An alternative holds at all
   * of them, too.
   */
  of(points: readonly [CausedPoint, ...CausedPoint[]]): CauseRecord[][] {
    const [first, ...others] = points;
    const sets = this.#setsAt(first);
    const found = others.length === 0 ? sets : this.#together(points, sets);
    this.#become(NONE);
    return found.map((set) => this.#records(set));
  }

  /** Each set is of the first point; what the others need besides is added. */
  #together(points: readonly CausedPoint[], sets: readonly Changes[]): readonly Changes[] {
    const own = new Map<CausedPoint, readonly Changes[]>();
    const starts: Changes[] = [];
    const enough = sets.filter((set, at) => {
      let all = set;
      for (const point of points.slice(1)) {
        if (this.#holds(all, point.shows)) continue;
        const found = own.get(point) ?? this.#setsAt(point);
        own.set(point, found);
        all = new Set([...all, ...(found[at] ?? found[0] ?? [])]);
      }
      if (all !== set) starts.push(all);
      return all === set;
    });
    if (enough.length > 0) return enough;
    const holds = (set: Changes) => this.#holds(set, (engine) => points.every(({ shows }) => shows(engine)));
    const found = minimalSets(starts, this.#dependencies, holds);
    return found.length > 0 ? found : starts.slice(0, 1);
  }

  #setsAt({ at, shows, chains }: CausedPoint): Changes[] {
    const holds = (set: Changes) => this.#holds(set, shows);
    const found = minimalSets(this.#starts(at, chains), this.#dependencies, holds);
    if (found.length > 0) return found;
    const relevant = this.#dependencies.closed(this.#relevant.of(at));
    if (this.#made > MADE_MAX) return [relevant];
    const [set] = minimalSets(this.#wider(relevant), this.#dependencies, holds);
    return set === undefined ? [relevant] : withAlternatives(set, relevant, this.#dependencies, holds);
  }

  *#wider(relevant: Changes): Generator<Changes, void> {
    yield relevant;
    yield new Set(this.changes);
  }

  /** The changes along each chain, with those of the resource, its type and what it lies below. */
  *#starts({ places, type }: CausedAt, chains: readonly ReadonlySet<Address>[]): Generator<Set<ChangedRecord>, void> {
    const around = [`resource_type/${type}`, ...[...places].map((place) => `resource/${place}`)];
    for (const chain of chains) {
      const changed = [...chain, ...around].map((address) => this.#byAddress.get(address));
      const own = this.#dependencies.closed(changed.filter((one) => one !== undefined));
      if (own.size > 0) yield own;
    }
  }

  /** Undefined once too many changes have been made. */
  #holds(set: ReadonlySet<ChangedRecord>, shows: (engine: CompiledEngine) => boolean): boolean | undefined {
    if (this.#made > MADE_MAX) return undefined;
    this.#become(set);
    return shows(this.engine);
  }

  /** Brings the engine to the state before with these changes: sets that are asked one after the other are nearly equal. */
  #become(set: Changes): void {
    const steps: RecordChange[] = [];
    for (const one of this.#present) if (!set.has(one)) steps.push({ before: one.after, after: one.before });
    for (const one of set) if (!this.#present.has(one)) steps.push(one);
    this.#made += steps.length + 1;
    if (steps.length > 0) this.engine.apply(steps);
    this.#present = set;
  }

  #records(set: ReadonlySet<ChangedRecord>): CauseRecord[] {
    return [...set]
      .map(({ address, before, after }): CauseRecord => {
        const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
        const place = placeOf({ address, before, after }, this.sides);
        const given = change === 'removed' ? givenBy(before) : undefined;
        const gone =
          given !== undefined && this.#byAddress.get(given)?.after === undefined && this.#byAddress.has(given);
        return {
          ...{ address, change },
          ...(place !== undefined && { file: place.file, line: place.line }),
          ...(gone && { removed_with: given }),
        };
      })
      .sort((left, right) => (left.address < right.address ? -1 : 1));
  }
}

/** The place that brings a change: in an environment, also of what that takes away, or else where the record is written. */
function placeOf(
  { address, before, after }: ChangedRecord,
  sides: { before: TenantSide; after: TenantSide },
): { file: string; line: number } | undefined {
  const fields = before === undefined || after === undefined ? [undefined] : changedFields(before.fields, after.fields);
  for (const field of fields) {
    const [old, present] = [sides.before, sides.after].map((side) => side.environmentPlaceOf?.(address, field));
    // A condition that is written otherwise has been changed in the base.
    if (old?.written === present?.written || old === undefined || present === undefined) {
      const place = present ?? old;
      if (place !== undefined) return place;
    }
  }
  return (after === undefined ? sides.before : sides.after).placeOf?.(address);
}

function changedFields(before: object, after: object): string[] {
  const [left, right] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (name) => !equalJson(left[name], right[name]),
  );
}

/** The address of the policy, role or group that a link gives. */
function givenBy(record: ChangedRecord['before']): Address | undefined {
  if (record?.kind === 'policy_assignment') return `policy/${(record.fields as Fields<'policy_assignment'>).policy}`;
  if (record?.kind === 'role_assignment') return `role/${(record.fields as Fields<'role_assignment'>).role}`;
  if (record?.kind === 'group_membership') return `group/${(record.fields as Fields<'group_membership'>).group}`;
  return undefined;
}
