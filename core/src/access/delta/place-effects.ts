import { type Path, path } from '../../records/address.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import { rulesOf } from '../grants/grants.js';
import type { Rule } from '../grants/rule.js';
import { Below, type Resource } from '../grants/target.js';
import { itemsOf } from '../graph/few-or-many.js';
import { heldRoles } from '../graph/held-roles.js';
import { hierarchyNodeOf } from '../graph/hierarchy-node.js';
import { includedIn } from '../graph/included-roles.js';
import type { Principal } from '../graph/principal.js';
import { withAncestors } from '../graph/whereabouts.js';
import type { ColumnTables } from './columns.js';
import type { GrantedRules } from './granted-rules.js';

/** An allowance or denial for somebody where a resource lies, whatever it requires. */
export interface Effect {
  readonly principal: number;
  readonly deny: boolean;
  /** The type of the resources; undefined for all. */
  readonly type: Path | undefined;
  /** Whether its condition asks what a resource lies below. */
  readonly asks: boolean;
}

/** The places above a resource, as far as any of them makes a difference. */
export interface Above {
  /** The places that it lies in or is. */
  readonly places: readonly Path[];
  /** The lowest of these. */
  readonly lowest: readonly Path[];
}

/**
 * The effects of places in one state, as plain data that outlives the state: it tells which parents of a resource make
 * another difference together than each alone.
 */
export interface PlaceEffects {
  /** Only whether anything that follows can make a difference: a DENY by a place, two places, or a question about places. */
  readonly together: boolean;
  /** Whether conditions ask what a resource lies below, or which roles the subject holds there. */
  readonly read: boolean;
  readonly effects: ReadonlyMap<Path, readonly Effect[]>;
  /** Effects that take two places: a role is held on one, and its policy covers what lies below the other. */
  readonly crossing: readonly { readonly effect: Effect; readonly places: readonly [Path, Path] }[];
  /** The places by type of resources in which others may lie; none for those for which no place makes a difference. */
  readonly above: ReadonlyMap<Path, Above>;
  /** By type, in which types its resources lie, by property. */
  readonly parents: ReadonlyMap<Path, readonly { readonly type: Path; readonly property: string }[]>;
}

/** Returns what the places of the engine's present state do. */
export function placeEffectsOf(engine: CompiledEngine, granted: GrantedRules, tables: ColumnTables): PlaceEffects {
  const parents = new Map<Path, { type: Path; property: string }[]>();
  for (const { path: of, parents: all } of engine.types.values())
    if (all.length > 0)
      parents.set(
        of,
        all.map(({ type, property }) => ({ type: type.path, property })),
      );
  const effects = new Map<Path, Effect[]>();
  const crossing: { effect: Effect; places: readonly [Path, Path] }[] = [];
  if (parents.size === 0) return { together: false, read: false, effects, crossing, above: new Map(), parents };
  let read = false;
  const atPlace = (place: Resource, effect?: Effect) => {
    const at = pathOf(place);
    const known = effects.get(at);
    if (known === undefined) effects.set(at, effect === undefined ? [] : [effect]);
    else if (effect !== undefined) known.push(effect);
  };
  const asks = ({ guard }: Rule['policy']) => guard !== null && tables.guard(guard).reads.ancestors.length > 0;
  for (const { rule } of granted.all()) {
    const { guard } = rule.policy;
    if (asks(rule.policy) || (guard !== null && tables.guard(guard).reads.roles.length > 0)) read = true;
  }
  for (const below of granted.belows)
    for (const { principal, rule } of granted.on(below))
      atPlace(below.resource, {
        ...{ principal: tables.principals.of(principal), deny: rule.policy.deny },
        ...{ type: undefined, asks: asks(rule.policy) },
      });
  const givenBy = new Map<Principal, readonly Given[]>();
  for (const holder of granted.holders) {
    const principal = tables.principals.of(holder);
    for (const [role, places] of heldRoles(holder.held)) {
      const given = givenBy.get(role) ?? [...givenOf(role, asks)];
      givenBy.set(role, given);
      for (const place of itemsOf(places)) {
        atPlace(place);
        for (const { deny, target, asks } of given) {
          if (typeof target === 'string') atPlace(place, { principal, deny, type: target, asks });
          else {
            const effect = { principal, deny, type: undefined, asks };
            if (withAncestors([place]).includes(target)) atPlace(place, effect);
            else if (withAncestors([target]).includes(place)) atPlace(target, effect);
            else crossing.push({ effect, places: [pathOf(place), pathOf(target)] });
          }
        }
      }
    }
  }
  const together = read || crossing.length > 0 || [...effects.values()].some((all) => all.some(({ deny }) => deny));
  const above = together ? aboveOf(engine, effects) : new Map<Path, Above>();
  return { together, read, effects, crossing, above, parents };
}

/** The grants of a role: on resources of a type, or below a resource. */
interface Given {
  readonly deny: boolean;
  readonly asks: boolean;
  readonly target: Path | Resource;
}

function* givenOf(role: Principal, asks: (policy: Rule['policy']) => boolean): Generator<Given, void> {
  const seen = new Set<string | Resource>();
  for (const one of [role, ...includedIn(role)])
    for (const { target, policy } of one.grants === null ? [] : rulesOf(one.grants)) {
      const { deny } = policy;
      // A single resource without a record is covered by nothing that names it.
      const of = target instanceof Below ? target.resource : 'type' in target ? undefined : target.path;
      if (of === undefined) continue;
      const asked = asks(policy);
      const key = `${deny} ${asked} ${typeof of === 'string' ? of : pathOf(of)} ${typeof of}`;
      if (!seen.has(key)) yield { deny, asks: asked, target: of };
      seen.add(key);
    }
}

/** Returns the places above resources that others may lie in, if any place makes a difference. */
function aboveOf(engine: CompiledEngine, effects: ReadonlyMap<Path, unknown>): ReadonlyMap<Path, Above> {
  const found = new Map<Path, Above>();
  const known = new Map<Resource, Above>();
  const of = (resource: Resource): Above => {
    let above = known.get(resource);
    if (above === undefined) {
      const own = pathOf(resource);
      const over = (hierarchyNodeOf(resource)?.parents ?? []).map(of);
      const places = new Set(over.flatMap(({ places }) => places));
      const lowest = effects.has(own) ? [own] : [...new Set(over.flatMap(({ lowest }) => lowest))];
      if (effects.has(own)) places.add(own);
      above = { places: [...places].sort(), lowest: lowest.sort() };
      known.set(resource, above);
    }
    return above;
  };
  const holding = new Set([...engine.types.values()].flatMap(({ parents }) => parents.map(({ type }) => type)));
  for (const type of holding) {
    for (const resource of type.places === 0 ? [] : type.resources.values()) {
      if (resource.id === undefined || resource.place === null) continue;
      const above = of(resource);
      if (above.places.length > 0) found.set(pathOf(resource), above);
    }
  }
  return found;
}

function pathOf({ type, name }: Resource): Path {
  return `${type.path}/${path(name)}`;
}
