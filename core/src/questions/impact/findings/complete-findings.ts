import type { TypeUniverse } from '../../../access/delta/column-groups.js';
import type { PresentLists } from '../../../access/delta/present-list.js';
import type { CompiledEngine } from '../../../access/engine/compiled-engine.js';
import { withAncestors } from '../../../access/graph/whereabouts.js';
import type { PrincipalIds } from '../../../access/universe/principal-ids.js';
import type { ChangedRecord } from '../../../access/universe/record-changes.js';
import { propertiesOf, type ResourceUnit } from '../../../access/universe/resource-places.js';
import type { TenantSide } from '../../../access/universe/side.js';
import type { JsonObject } from '../../../json/json.js';
import { ProblemError } from '../../../problem.js';
import { type Address, type Path, path, typeOfResource } from '../../../records/address.js';
import type { Fields } from '../../../records/registry.js';
import type { Finding, FindingRisk, Witness } from '../api/finding.js';
import { FINDING_RISKS } from '../api/finding.js';
import { type CausedPoint, Causes } from '../causes/causes.js';
import { chainsOf } from '../causes/chains.js';
import type { CausedAt } from '../causes/relevant-changes.js';
import type { DraftFinding } from './findings.js';
import type { Sample } from './rectangles.js';
import { Samples } from './samples.js';
import { type AskedAt, askedUnit, type FreshNames, isAllowed, requestOf } from './witnesses.js';

interface Input {
  readonly drafts: readonly DraftFinding[];
  /** In the state before, as it is again afterwards. */
  readonly engine: CompiledEngine;
  readonly changes: readonly ChangedRecord[];
  readonly sides: { before: TenantSide; after: TenantSide };
  readonly principals: PrincipalIds;
  readonly universe: (type: Path) => TypeUniverse;
  readonly lists: PresentLists;
}

/** Findings with the requests that show them, checked by the engine in both states, and their causes. */
export function completeFindings(input: Input): Finding[] {
  const { drafts, engine, changes, sides } = input;
  const back = changes.map(({ address, before, after }) => ({ address, before: after, after: before }));
  const byAddress = new Map(changes.map((change) => [change.address, change]));
  const fresh = new Fresh(engine, byAddress, input.universe);
  const samples = new Samples(input.principals, changes);
  const points = drafts.map((draft) => samples.of(draft).map((sample) => new Point(draft, sample)));
  const all = points.flat();
  const note = () => {
    for (const { draft, sample, places } of all) {
      fresh.see(askedUnit(sample, draft.rectangle.statement));
      placesOf(engine, sample.cell.unit, places);
    }
  };
  note();
  engine.apply(changes);
  note();
  for (const one of all) {
    const asked = requestOf(one.sample, one.draft.rectangle.statement, fresh);
    if (asked !== undefined) one.asked = { asked, after: isAllowed(engine, asked), chains: chainsAt(engine, asked) };
  }
  engine.apply(back);
  const causes = new Causes(engine, changes, sides);
  const findings: Finding[] = [];
  for (const [index, draft] of drafts.entries()) {
    const own = points[index] as [Point, ...Point[]];
    const [shown] = own.map((point) => shownBy(point, engine));
    const found = causes.of(own.map((point) => pointOf(point, input)) as [CausedPoint, ...CausedPoint[]]);
    const weakened =
      own[0].asked?.after === true &&
      found.some((set) => set.some(({ address }) => isDeny(engine, byAddress.get(address))));
    findings.push({
      ...draft.finding,
      causes: found,
      risks: FINDING_RISKS.filter(
        (risk) => draft.finding.risks.includes(risk) || (risk === 'deny_weakened' && weakened),
      ) as FindingRisk[],
      ...(shown !== undefined && { witness: witnessOf(shown.asked, !shown.after, shown.after) }),
    });
  }
  return findings;
}

interface Answered {
  readonly asked: AskedAt;
  /** Whether the state after allows it. */
  readonly after: boolean;
  /** The records by which the state after decides. */
  readonly chains: readonly ReadonlySet<Address>[];
}

/** A sample of a finding, and what the engine says to it. */
class Point {
  /** The places of the resource in either state. */
  readonly places = new Set<Path>();
  /** Absent where the comparison found no request. */
  asked: Answered | undefined;

  constructor(
    readonly draft: DraftFinding,
    readonly sample: Sample,
  ) {}
}

/** The answers to a request that the state before, in which the engine is, answers otherwise than that after. */
function shownBy({ asked }: Point, engine: CompiledEngine): Answered | undefined {
  return asked !== undefined && isAllowed(engine, asked.asked) !== asked.after ? asked : undefined;
}

function pointOf(point: Point, { engine, principals, lists }: Input): CausedPoint {
  const at = causedAt(point, principals);
  const shown = shownBy(point, engine);
  if (shown === undefined) return { at, shows: listedAs(point, lists), chains: [] };
  const { asked, after, chains } = shown;
  return { at, shows: (state) => isAllowed(state, asked) === after, chains: waysOf(chainsAt(engine, asked), chains) };
}

/** Whether the engine's present state leaves the finding's subject the same to be decided as the state after does. */
function listedAs({ draft, sample }: Point, lists: PresentLists): () => boolean {
  const { block, member, cell, span } = sample;
  const { unit, action } = cell;
  const at = { one: block.one, member, unit, action, at: span.from, open: !draft.rectangle.exact };
  return () => lists.of(at) === span.after;
}

/** The records by which candidates decide a request; none where it is refused or fails. */
function chainsAt(engine: CompiledEngine, { request, now }: AskedAt): ReadonlySet<Address>[] {
  try {
    return chainsOf(engine.explain(request, now));
  } catch (error) {
    if (error instanceof ProblemError) return [];
    throw error;
  }
}

/** Returns what decides afterwards, alone or with what decided before; and what decided before alone, which may have gone. */
function waysOf(
  before: readonly ReadonlySet<Address>[],
  after: readonly ReadonlySet<Address>[],
): ReadonlySet<Address>[] {
  const old = new Set(before.flatMap((chain) => [...chain]));
  return [...after, ...(old.size > 0 ? [old, ...after.map((chain) => new Set([...old, ...chain]))] : [])];
}

function witnessOf({ request, now }: AskedAt, before: boolean, after: boolean): Witness {
  return { request, now: new Date(now).toISOString(), before, after };
}

function causedAt({ sample, places }: Point, principals: PrincipalIds): CausedAt {
  const { block, member, cell } = sample;
  const { one } = block;
  const ids = new Set([...one.before.ids, ...one.after.ids]);
  const subject = member.id !== '' ? [`subject/${member.path}`] : [];
  const { unit, action } = cell;
  return {
    principals: new Set([...subject, ...[...ids].map((id) => principals.at(id).address)]),
    places,
    type: unit.type,
    action,
  };
}

/** Adds where a unit lies in the engine's present state. */
function placesOf(engine: CompiledEngine, unit: ResourceUnit, into: Set<Path>): void {
  if (unit.place === 'record') into.add(unit.key);
  const starts = typeof unit.place === 'object' ? unit.place.below : unit.place === 'record' ? [unit.key] : [];
  for (const start of starts) {
    into.add(start);
    const type = typeOfResource(start);
    const resource = engine.types.get(type)?.resources.get(decodeURIComponent(start.slice(type.length + 1)));
    for (const place of resource === undefined ? [] : withAncestors([resource]))
      into.add(`${place.type.path}/${path(place.name)}`);
  }
}

/** Whether a change is about a DENY of the state before, or about who has it. */
function isDeny(engine: CompiledEngine, change: ChangedRecord | undefined): boolean {
  const before = change?.before;
  if (before?.kind === 'policy') return (before.fields as Fields<'policy'>).effect === 'DENY';
  if (before?.kind !== 'policy_assignment') return false;
  return engine.rulesOf((before.fields as Fields<'policy_assignment'>).policy).some(({ policy }) => policy.deny);
}

/** Names that neither state has. */
class Fresh implements FreshNames {
  readonly #placing = new Map<string, JsonObject>();
  readonly type: string;

  constructor(
    private readonly engine: CompiledEngine,
    private readonly changes: ReadonlyMap<Address, ChangedRecord>,
    private readonly universe: (type: Path) => TypeUniverse,
  ) {
    const types = new Set(
      [...changes.values()].flatMap(({ after }) =>
        after?.kind === 'subject' ? [(after.fields as Fields<'subject'>).type] : [],
      ),
    );
    this.type = free('someone', (name) => engine.subjects.has(name) || types.has(name));
  }

  see(unit: ResourceUnit): void {
    const type = this.engine.types.get(unit.type);
    const properties = type && propertiesOf(this.engine, type, unit);
    if (properties != null) this.#placing.set(unit.key, { ...this.#placing.get(unit.key), ...properties });
  }

  subject(type: string): string {
    return free(
      'anyone',
      (id) => this.engine.subjects.get(type)?.get(id) !== undefined || this.#added(`subject/${path(type, id)}`),
    );
  }

  resource(type: Path): string {
    const known = (name: string) => this.engine.types.get(type)?.resources.get(name)?.id !== undefined;
    return free('anything', (name) => known(name) || this.#added(`resource/${type}/${path(name)}`));
  }

  action(type: Path): string {
    const { actions, named } = this.universe(type);
    return free('anything', (name) => actions.has(name) || named.has(name));
  }

  placing({ key }: ResourceUnit): JsonObject {
    return this.#placing.get(key) ?? {};
  }

  #added(address: Address): boolean {
    return this.changes.has(address);
  }
}

function free(name: string, taken: (name: string) => boolean): string {
  let candidate = name;
  for (let number = 2; taken(candidate); number++) candidate = `${name}-${number}`;
  return candidate;
}
