import type { CompiledEngine } from '../decision/compiled-engine.js';
import { rulesOf, visitRules } from '../decision/grants/grants.js';
import type { Rule } from '../decision/grants/rule.js';
import { Below, Resource, type ResourceType, type Target } from '../decision/grants/target.js';
import { groupsOf } from '../decision/graph/effective-principals.js';
import { itemsOf } from '../decision/graph/few-or-many.js';
import { heldRoles } from '../decision/graph/held-roles.js';
import { holdings } from '../decision/graph/holders.js';
import { includedIn } from '../decision/graph/included-roles.js';
import { findResource, findType } from '../decision/graph/names.js';
import { placeOf } from '../decision/graph/place.js';
import type { Principal } from '../decision/graph/principal.js';
import { type Whereabouts, whereaboutsOf } from '../decision/graph/whereabouts.js';
import { SplitTable } from '../split-table.js';
import { inOrder, type Ordered } from './ordered.js';
import { type Candidates, type Page, type PageBounds, pageOf } from './page.js';
import type {
  ActionSearch,
  FoundAction,
  FoundEntity,
  ResourceSearch,
  SearchQuestion,
  SubjectSearch,
} from './question.js';
import { Recent } from './recent.js';
import { recorded, SearchIndex } from './search-index.js';

/** Candidates kept for the pages that follow, at some 50 bytes each. */
const KEPT_MAX = 2_000_000;
const STEP = 256;

type Item = Principal | Resource;

/**
 * Searches a compiled tenant (AuthZEN 1.0 section 8). The candidates are those to whom some policy leads that allows
 * the action, and the engine decides on each: the results are exactly the recorded subjects and resources, or the
 * actions of the resource's type, that a decision would allow.
 *
 * All work is done in short steps, so that decisions need not wait for it.
 */
export class TenantSearch {
  readonly #kept = new Recent<Ordered<Item>>(KEPT_MAX);
  readonly #index: SearchIndex;

  /** `shouldEnd` says whether a page should end with what it has, for reasons of whoever runs the search. */
  constructor(
    private readonly engine: CompiledEngine,
    readonly shouldEnd: () => boolean = () => false,
  ) {
    this.#index = SearchIndex.of(engine);
  }

  /** Whether a change of the tenant waits until the searches that run have ended. */
  get holdsUp(): boolean {
    return this.engine.lock.changeWaits;
  }

  /** Throws `ambiguous_name`. */
  *find(request: SearchQuestion, bounds: PageBounds): Generator<undefined, Page<FoundEntity | FoundAction>> {
    switch (request.kind) {
      case 'subject':
        return yield* pageOf(this.engine, yield* this.#subjects(request), bounds);
      case 'resource':
        return yield* pageOf(this.engine, yield* this.#resources(request), bounds);
      case 'action':
        return yield* pageOf(this.engine, yield* this.#actions(request), bounds);
    }
  }

  *#subjects(request: SubjectSearch): Generator<undefined, Candidates<Item, FoundEntity>> {
    const { subject, resource, action, context } = request;
    const { type } = subject;
    const resourceType = findType(this.engine.types, resource.type);
    const roles = this.#roles(subject.roles);
    const one = resourceType && findResource(resourceType, this.engine.resourcesById, resource);
    const where = resourceType && whereaboutsOf(resourceType, one, resource.properties);
    const targets = targetsOf(resourceType, one, where ?? null);
    const member = this.engine.everyone.memberOf(type);
    const everyone = member === null ? [] : [...actedAs(member)];
    const anyone = [...roles, ...everyone].some((one) => covers(one, targets, action.name));
    const above = one === undefined ? where?.places.map((place) => `${place.type.path} ${place.name}`) : undefined;
    const key = ['subject', type, resourceType?.path, one?.name, action.name, ...(above ?? [])];
    const index = this.#index;
    const ordered = anyone
      ? yield* index.subjects(type)
      : yield* this.#ordered(key, function* () {
          const holders = where == null ? [] : yield* holdersOf(where.places, targets, action.name);
          if (holders.some((holder) => everyone.includes(holder))) return yield* index.subjects(type);
          if (targets.length === 0) return [];
          const reverse = yield* index.reverse();
          const found = yield* reverse.subjects(targets, holders, action.name, type);
          return yield* inOrder(found, nameOf);
        });
    return {
      ordered,
      ask: ({ name }) => ({ subject: { ...subject, id: name }, resource, action, context }),
      show: ({ name }) => ({ type, id: name }),
    };
  }

  *#resources(request: ResourceSearch): Generator<undefined, Candidates<Item, FoundEntity>> {
    const { subject, resource, action, context } = request;
    const type = findType(this.engine.types, resource.type);
    const roles = this.#roles(subject.roles);
    const principal = this.engine.subjects.get(subject.type)?.get(subject.id);
    const member = this.engine.everyone.memberOf(subject.type);
    const acting = [principal, member].filter((one) => one != null);
    const principals = [...acting.flatMap((one) => [...actedAs(one)]), ...roles];
    const anything = type !== undefined && principals.some((one) => covers(one, [type], action.name));
    const named = roles.map((role) => role.name).sort();
    const key = ['resource', type?.path, subject.type, principal?.address, named.join(' '), action.name];
    const ordered = anything
      ? yield* this.#index.resources(type.path)
      : yield* this.#ordered(key, function* () {
          if (type === undefined) return [];
          const found: Found = new SplitTable();
          yield* addCovered(found, principals, type, action.name);
          const holders = acting.flatMap((one) => [one, ...groupsOf(one.groups ?? []).keys()]);
          yield* addHeld(found, holders, type, action.name);
          return yield* inOrder(recorded(found.keys()), nameOf);
        });
    const idOf = (item: Item) => this.#idOf(item as Resource);
    return {
      ordered,
      ask: (item) => ({ subject, resource: { ...resource, id: idOf(item) }, action, context }),
      show: (item) => ({ type: resource.type, id: idOf(item) }),
    };
  }

  *#actions({ subject, resource, context }: ActionSearch): Generator<undefined, Candidates<string, FoundAction>> {
    this.#roles(subject.roles);
    const type = findType(this.engine.types, resource.type);
    if (type !== undefined) {
      // Throws where the request misplaces the resource, whatever actions there are.
      whereaboutsOf(type, findResource(type, this.engine.resourcesById, resource), resource.properties);
    }
    const names = type?.actions ?? [];
    return {
      ordered: yield* inOrder(names, (name) => name),
      ask: (name) => ({ subject, resource, action: { name }, context }),
      show: (name) => ({ name }),
    };
  }

  /** The roles that a request names, as far as they count. Throws `ambiguous_name`. */
  #roles(names: readonly string[] | undefined): Principal[] {
    return this.engine.namedRoles(names).counted.map(({ principal }) => principal);
  }

  /** The name of a resource, which decisions find it by, unless that is another one's id. */
  #idOf(resource: Resource): string {
    const other = this.engine.resourcesById.get(resource.name);
    return other === undefined || other === resource || other.type !== resource.type
      ? resource.name
      : (resource.id ?? resource.name);
  }

  /** The candidates that the key names, in order; `gather` finds them where they are not at hand. */
  *#ordered<T extends Item>(
    key: readonly (string | undefined)[],
    gather: () => Generator<undefined, readonly Ordered<T>[]>,
  ): Generator<undefined, readonly Ordered<Item>[]> {
    const text = JSON.stringify(key);
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const ordered: readonly Ordered<Item>[] = yield* gather();
    this.#kept.keep(text, ordered);
    return ordered;
  }
}

/** The resources found so far. */
type Found = SplitTable<Resource, true>;

const nameOf = ({ name }: Item) => name;

function targetsOf(
  type: ResourceType | undefined,
  resource: Resource | undefined,
  where: Whereabouts | null,
): Target[] {
  if (type === undefined) return [];
  return [type, ...(resource === undefined ? [] : [resource]), ...(where?.belows ?? [])];
}

/** Whom the subject acts as, as long as any of its memberships lasts. */
function actedAs(subject: Principal): Set<Principal> {
  const groups = groupsOf(subject.groups ?? []).keys();
  const found = new Set<Principal>([subject, ...groups]);
  // Also the roles that these include, since they are added while the set is gone through.
  for (const holder of found) for (const { to } of holder.roles ?? []) found.add(to);
  return found;
}

/** Whether a policy of the principal allows the action on one of the targets, as far as can be told without a request. */
function covers(principal: Principal, targets: readonly Target[], action: string): boolean {
  let allows = false;
  const visitor = {
    visit: ({ policy }: Rule) => {
      allows ||= !policy.deny;
    },
    visitUnknown: () => {},
  };
  for (const target of targets) {
    if (principal.grants !== null && !allows)
      visitRules(principal.grants, undefined, target, undefined, action, visitor, true);
  }
  return allows;
}

/** Those who hold, on one of these resources, a role that may allow the action on one of the targets. */
function* holdersOf(
  places: readonly Resource[],
  targets: readonly Target[],
  action: string,
): Generator<undefined, Principal[]> {
  const found: Principal[] = [];
  const known = new Map<Principal, boolean>();
  let worked = 0;
  for (const place of places) {
    for (const [holder, { to: role }] of holdings(placeOf(place)?.holders ?? null)) {
      if (++worked % STEP === 0) yield;
      let allows = known.get(role);
      if (allows === undefined) {
        allows = [role, ...includedIn(role)].some((one) => covers(one, targets, action));
        known.set(role, allows);
      }
      if (allows) found.push(holder);
    }
  }
  return found;
}

/** Adds the resources of a type that policies of the principals may allow the action on, one by one or with all below. */
function* addCovered(
  found: Found,
  principals: Iterable<Principal>,
  type: ResourceType,
  action: string,
): Generator<undefined, void> {
  let worked = 0;
  for (const { grants } of principals) {
    for (const { policy, target, actions } of grants === null ? [] : rulesOf(grants)) {
      if (++worked % STEP === 0) yield;
      if (policy.deny || !actions.covers(action)) continue;
      if (target instanceof Resource) {
        if (target.type === type) found.set(target, true);
      } else if (target instanceof Below) yield* addBelow(found, [target.resource], type);
    }
  }
}

/** Adds the resources of a type that roles held on resources may allow the action on. */
function* addHeld(
  found: Found,
  holders: Iterable<Principal>,
  type: ResourceType,
  action: string,
): Generator<undefined, void> {
  for (const { held } of holders) {
    for (const [role, places] of heldRoles(held)) {
      const roles = [role, ...includedIn(role)];
      if (roles.some((one) => covers(one, [type], action))) yield* addBelow(found, itemsOf(places), type);
      else yield* addCovered(found, roles, type, action);
    }
  }
}

/** Adds the resources of a type among these and all that lies below them. */
function* addBelow(found: Found, resources: Iterable<Resource>, type: ResourceType): Generator<undefined, void> {
  const seen: Found = new SplitTable();
  const open: Resource[] = [];
  let worked = 0;
  for (const resource of resources) {
    if (++worked % STEP === 0) yield;
    open.push(resource);
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (++worked % STEP === 0) yield;
    if (seen.has(next)) continue;
    seen.set(next, true);
    if (next.type === type) found.set(next, true);
    for (const child of itemsOf(placeOf(next)?.children ?? null)) open.push(child);
  }
}
