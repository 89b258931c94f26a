import { createHash } from 'node:crypto';
import { canonicalJson } from '../../json/json.js';
import { type Path, typeOfResource } from '../../records/address.js';
import type { FindingResources } from '../impact/api/finding.js';
import type { ScopedRecords } from './review-scope.js';

/** The most resources that are named; beyond, their number says how many there are. */
export const NAMES_SHOWN = 20;

/** Resources of one type of which a finding says the same. */
export interface ResourcePart {
  readonly type: Path;
  /** Names the part among all. */
  readonly index: number;
  readonly said: readonly FindingResources[];
  /** The paths of all that are recorded. */
  readonly recorded: readonly Path[];
}

/** The union of several parts, in one form however they were split. */
export interface ResourceSet {
  readonly key: string;
  readonly resources: readonly FindingResources[];
  /** The paths of all that are recorded, sorted. */
  readonly recorded: readonly Path[];
}

/** Joins parts, each combination once. */
export class ResourceSets {
  readonly #known = new Map<string, ResourceSet>();
  readonly #totals = new Map<Path, number>();

  constructor(private readonly scoped: ScopedRecords) {
    for (const { kind, address } of scoped.records) {
      if (kind !== 'resource') continue;
      const type = typeOfResource(address.slice('resource/'.length));
      this.#totals.set(type, (this.#totals.get(type) ?? 0) + 1);
    }
  }

  /** Those of these recorded resources that belong to the scope under review. */
  within(recorded: readonly Path[]): readonly Path[] {
    const { resources } = this.scoped;
    return resources === undefined ? recorded : recorded.filter((one) => resources.has(one));
  }

  of(parts: readonly ResourcePart[]): ResourceSet {
    const name = parts.map(({ index }) => index).join();
    let known = this.#known.get(name);
    if (known === undefined) {
      known = this.#joined(parts);
      this.#known.set(name, known);
    }
    return known;
  }

  #joined(parts: readonly ResourcePart[]): ResourceSet {
    const type = (parts[0] as ResourcePart).type;
    const total = this.#totals.get(type) ?? 0;
    const recorded = [...new Set(parts.flatMap((part) => part.recorded))].sort();
    const said = parts.flatMap((part) => part.said);
    const anywhere = said.filter(({ below, not_below, among_others }) => !below && !not_below && !among_others);
    const has = (which: FindingResources['which']) => anywhere.some((one) => one.which === which);
    const unrecorded = has('all') || has('unrecorded') || (has('nowhere') && has('unsaid')) || isAnywhere(said);
    const every = this.scoped.resources === undefined && recorded.length === total;
    const resources: FindingResources[] = [];
    if (unrecorded && every) resources.push({ type, which: 'all', recorded: total });
    else {
      if (every && total > 1) resources.push({ type, which: 'recorded', recorded: total });
      else if (recorded.length > 0)
        resources.push({ type, which: 'named', names: recorded.slice(0, NAMES_SHOWN), recorded: recorded.length });
      if (unrecorded) resources.push({ type, which: 'unrecorded', recorded: 0 });
    }
    if (!unrecorded) resources.push(...others(said));
    const key = createHash('sha256')
      .update(canonicalJson([resources, recorded] as never))
      .digest('hex');
    return { key, resources, recorded };
  }
}

/** Whether all places that one says nothing of are told by others. */
function isAnywhere(said: readonly FindingResources[]): boolean {
  const told = new Set(said.flatMap((one) => (one.and_below || one.which !== 'unrecorded' ? [] : (one.below ?? []))));
  return said.some(
    ({ which, below, not_below, among_others }) =>
      (which === 'all' || which === 'unrecorded') &&
      !below &&
      !among_others &&
      not_below?.every((place) => told.has(place)) === true,
  );
}

/** Merges what is said of resources without a record, each once. */
function others(said: readonly FindingResources[]): FindingResources[] {
  const found = new Map<string, FindingResources>();
  for (const one of said) {
    if (one.which === 'named' || one.which === 'recorded') continue;
    const { names: _, ...rest } = one;
    const told = { ...rest, which: one.which === 'all' ? 'unrecorded' : one.which, recorded: 0 } as const;
    found.set(canonicalJson(told as never), told);
  }
  return [...found].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one);
}
