import type { GuardReads } from '../../conditions/residual/reads.js';
import { Absent } from '../../conditions/values/outcome.js';
import type { Ancestry } from '../../conditions/values/scope.js';
import type { Value, ValueMap } from '../../conditions/values/value.js';
import { canonicalJson, type JsonObject } from '../../json/json.js';
import { type Path, path as pathOf } from '../../records/address.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import { Ancestors } from '../evaluate/ancestors.js';
import type { Period } from '../grants/period.js';
import { itemsOf } from '../graph/few-or-many.js';
import { heldRoles } from '../graph/held-roles.js';
import { hierarchyNodeOf } from '../graph/hierarchy-node.js';
import { holdingOf, holdings } from '../graph/holders.js';
import { includedIn } from '../graph/included-roles.js';
import type { Principal } from '../graph/principal.js';
import type { PrincipalIds } from '../universe/principal-ids.js';
import { type LocatedUnit, recordedUnit } from '../universe/resource-places.js';

/** Somebody who holds a role where a resource lies, where it may lie as nobody says (8.3), or where a request may say. */
interface Holding {
  readonly role: Path;
  readonly holder: number;
  readonly period: Period | null;
  readonly place: 'known' | 'unsaid' | 'possible';
  /** The place where it is held, if a request may say that the resource lies there. */
  readonly at: Path | undefined;
}

/** The facts that one state has about a resource, as far as a guard reads them; plain data that outlives the state. */
export interface GuardedFacts {
  readonly key: string;
  readonly type: string;
  readonly application: string;
  readonly typePath: Path;
  readonly recorded: boolean;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly properties: JsonObject;
  /** The properties that requests may send; null for all. */
  readonly sendable: ReadonlySet<string> | null;
  readonly ancestry: Ancestry;
  /** Whether it may have more ancestors than these. */
  readonly among: boolean;
  readonly holdings: readonly Holding[];
  /** The name of the action, if the guard reads it. */
  readonly action: string | undefined;
}

const NOTHING: JsonObject = {};

/** The facts of a resource that these reads look at. */
export function resourceFacts(
  engine: CompiledEngine,
  { unit, type, resource, where }: LocatedUnit,
  reads: GuardReads,
  principals: PrincipalIds,
  { id: knownId, action, holders }: { id: string | undefined; action: string; holders: readonly Principal[] },
): GuardedFacts {
  const stored = resource?.properties ?? NOTHING;
  const properties = reads.resourceProperties === undefined ? stored : picked(stored, reads.resourceProperties);
  const recorded = resource !== undefined;
  const source = where === null ? undefined : new Ancestors({ type, resource, where });
  const ancestors = new Map<Path, readonly ValueMap[] | Absent>();
  for (const path of reads.ancestors) ancestors.set(path, withKnownIds(path, source?.of(path) ?? []));
  const asksPlaces = reads.ancestors.length > 0 || reads.roles.length > 0;
  const among = asksPlaces && typeof unit.place === 'object' && unit.place.among === true;
  const holdings = reads.roles.flatMap((role) => [...holdingsOf(engine, role, where, principals, holders, among)]);
  const name = unit.name;
  const names = reads.resourceNames ? [recorded, knownId, name ?? unit.key] : [];
  const sendable = type.sendable && [...type.sendable].filter((one) => reads.resourceProperties?.includes(one) ?? true);
  const told = [...ancestors].map(([path, found]) => [path, found instanceof Absent ? found.attribute : found]);
  const held = holdings.map(({ role, holder, period, place, at }) => [
    ...[role, holder, period?.start, period?.end, place],
    ...(at === undefined ? [] : [at]),
  ]);
  const key = `${reads.resourceType || reads.resourceNames || reads.actionName ? type.path : ''}\n${canonicalJson([properties, sendable, names, told, held, recorded, among, reads.actionName ? action : ''] as never)}`;
  return {
    key,
    type: type.name,
    application: type.application,
    typePath: type.path,
    recorded,
    id: recorded ? knownId : undefined,
    name,
    properties,
    sendable: type.sendable,
    ancestry: { of: (path) => ancestors.get(path) ?? [] },
    among,
    holdings,
    action: reads.actionName ? action : undefined,
  };
}

/** Ancestors of a type without the addresses that stand for ids which are not known. */
function withKnownIds(type: Path, found: readonly ValueMap[] | Absent): readonly ValueMap[] | Absent {
  if (found instanceof Absent) return found;
  return found.map(({ id, ...facts }) =>
    id === `resource/${type}/${pathOf(String(facts.name))}` ? facts : { ...facts, id: id as Value },
  );
}

function picked(properties: JsonObject, names: readonly string[]): JsonObject {
  const found = names.filter((name) => Object.hasOwn(properties, name)).sort();
  return Object.fromEntries(found.map((name) => [name, properties[name] as never]));
}

function* holdingsOf(
  engine: CompiledEngine,
  path: Path,
  where: LocatedUnit['where'],
  principals: PrincipalIds,
  holders: readonly Principal[],
  among: boolean,
): Generator<Holding, void> {
  const role = engine.roles.get(path);
  if (role === undefined || where === null) return;
  for (const place of where.places)
    for (const [holder, { to, period }] of holdings(hierarchyNodeOf(place)?.holders ?? null))
      if (to === role || includedIn(to).includes(role))
        yield { role: path, holder: principals.of(holder), period, place: 'known', at: undefined };
  if (where.unknown === null && !among) return;
  for (const holder of holders)
    for (const [held, places] of heldRoles(holder.held))
      for (const place of held === role || includedIn(held).includes(role) ? itemsOf(places) : []) {
        if (where.places.includes(place)) continue;
        const unsaid = where.unknown?.has(place.type) === true;
        if (!unsaid && !among) continue;
        const period = holdingOf(hierarchyNodeOf(place)?.holders ?? null, holder, held)?.period ?? null;
        const at = unsaid ? undefined : recordedUnit(place.type.path, place.name).key;
        yield { role: path, holder: principals.of(holder), period, place: unsaid ? 'unsaid' : 'possible', at };
      }
}
