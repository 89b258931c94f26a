import type { CompiledEngine } from '../../decision/compiled-engine.js';
import { withAncestors } from '../../decision/graph/whereabouts.js';
import type { JsonObject } from '../../json.js';
import { ProblemError } from '../../problem.js';
import { type Address, type Path, path, typeOfResource } from '../../records/address.js';
import type { Fields } from '../../records/registry.js';
import type { TypeUniverse } from '../access/column-groups.js';
import type { PresentLists } from '../access/present-list.js';
import type { Finding, FindingRisk, Witness } from '../api/finding.js';
import { FINDING_RISKS } from '../api/finding.js';
import type { TenantSide } from '../api/side.js';
import { Causes } from '../causes/causes.js';
import { chainsOf } from '../causes/chains.js';
import type { CausedAt } from '../causes/relevant-changes.js';
import type { PrincipalIds } from '../universe/principal-ids.js';
import type { ChangedRecord } from '../universe/record-changes.js';
import { propertiesOf, type ResourceUnit } from '../universe/resource-places.js';
import type { DraftFinding } from './findings.js';
import { type AskedAt, type FreshNames, isAllowed, requestOf } from './witnesses.js';

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
export function* completeFindings(input: Input): Generator<undefined, Finding[]> {
  const { drafts, engine, changes, sides } = input;
  const back = changes.map(({ address, before, after }) => ({ address, before: after, after: before }));
  const fresh = new Fresh(engine, changes, input.universe);
  const lies = new Map<DraftFinding, Set<Path>>();
  const note = () => {
    for (const draft of drafts) {
      fresh.see(draft.rectangle.sample.cell.unit);
      placesOf(engine, draft.rectangle.sample.cell.unit, lies.get(draft) ?? setIn(lies, draft));
    }
  };
  note();
  engine.apply(changes);
  note();
  const asked = drafts.map(({ rectangle }) => requestOf(rectangle, fresh));
  const after = asked.map((one) => one !== undefined && isAllowed(engine, one));
  const chains = asked.map((one) => (one === undefined ? [] : chainsAt(engine, one)));
  engine.apply(back);
  const causes = new Causes(engine, changes, sides);
  const findings: Finding[] = [];
  const byAddress = new Map(changes.map((change) => [change.address, change]));
  for (const [index, draft] of drafts.entries()) {
    yield;
    const question = asked[index];
    const allowed = after[index] === true;
    const before = question !== undefined && isAllowed(engine, question);
    const shown = question !== undefined && before !== allowed ? question : undefined;
    const at = causedAt(draft, input.principals, lies.get(draft) ?? new Set());
    const own = question === undefined ? [] : chainsAt(engine, question);
    const ways = waysOf(own, chains[index] ?? []);
    const answered = shown && ((state: CompiledEngine) => isAllowed(state, shown) === allowed);
    const found = causes.of(at, answered ?? listedAs(draft, input.lists), shown === undefined ? [] : ways);
    const weakened = allowed && found.some((set) => set.some(({ address }) => isDeny(engine, byAddress.get(address))));
    findings.push({
      ...draft.finding,
      causes: found,
      risks: FINDING_RISKS.filter(
        (risk) => draft.finding.risks.includes(risk) || (risk === 'deny_weakened' && weakened),
      ) as FindingRisk[],
      ...(shown !== undefined && { witness: witnessOf(shown, before, allowed) }),
    });
  }
  return findings;
}

/** Whether the engine's present state leaves the finding's subject the same to be decided as the state after does. */
function listedAs({ rectangle }: DraftFinding, lists: PresentLists): () => boolean {
  const { block, cell, span } = rectangle.sample;
  const { unit, action } = cell;
  const at = { one: block.one, member: block.first, unit, action, at: span.from, open: !rectangle.exact };
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

/** What decides afterwards, by itself or with what decided before; what decided before alone, which may have gone. */
function waysOf(
  before: readonly ReadonlySet<Address>[],
  after: readonly ReadonlySet<Address>[],
): ReadonlySet<Address>[] {
  const old = new Set(before.flatMap((chain) => [...chain]));
  return [...after, ...(old.size > 0 ? [old, ...after.map((chain) => new Set([...old, ...chain]))] : [])];
}

function setIn<K>(map: Map<K, Set<Path>>, key: K): Set<Path> {
  const made = new Set<Path>();
  map.set(key, made);
  return made;
}

function witnessOf({ request, now }: AskedAt, before: boolean, after: boolean): Witness {
  return { request, now: new Date(now).toISOString(), before, after };
}

function causedAt({ rectangle }: DraftFinding, principals: PrincipalIds, places: ReadonlySet<Path>): CausedAt {
  const { block, cell } = rectangle.sample;
  const { one, members } = block;
  const ids = new Set([...one.before.ids, ...one.after.ids]);
  const subject = one.kind === 'recorded' ? [`subject/${members[0]?.path}`] : [];
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
    private readonly changes: readonly ChangedRecord[],
    private readonly universe: (type: Path) => TypeUniverse,
  ) {
    const types = new Set(
      changes.flatMap(({ after }) => (after?.kind === 'subject' ? [(after.fields as Fields<'subject'>).type] : [])),
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

  #added(address: string): boolean {
    return this.changes.some((change) => change.address === address);
  }
}

function free(name: string, taken: (name: string) => boolean): string {
  let candidate = name;
  for (let number = 2; taken(candidate); number++) candidate = `${name}-${number}`;
  return candidate;
}
