import type { CompiledEngine } from '../decision/compiled-engine.js';
import { rulesOf, visitRules } from '../decision/grants/grants.js';
import type { Rule } from '../decision/grants/rule.js';
import { Resource, type ResourceType, type Target } from '../decision/grants/target.js';
import { groupsOf } from '../decision/graph/effective-principals.js';
import { findResource, findRole, findType } from '../decision/graph/names.js';
import type { Principal } from '../decision/graph/principal.js';
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
import { ReverseIndex } from './reverse-index.js';

/** Candidates kept for the pages that follow, at some 50 bytes each. */
const KEPT_MAX = 2_000_000;
const STEP = 512;

type Item = Principal | Resource;

/**
 * Searches a compiled tenant (AuthZEN 1.0 section 8). A search takes as candidates those to whom some policy leads that
 * allows the action, and keeps of them those for whom the engine decides so: the results are exactly the recorded
 * subjects and resources, or the actions of the resource's type, that a decision would allow.
 *
 * All work comes in short steps, so that decisions need not wait for it.
 */
export class TenantSearch {
  readonly #kept = new Recent<Ordered<Item>>(KEPT_MAX);
  #reverse: ReverseIndex | undefined;
  #reversing: Generator<undefined, ReverseIndex> | undefined;

  /** `shouldEnd` says whether a page should end with what it has, for reasons of whoever runs the search. */
  constructor(
    private readonly engine: CompiledEngine,
    readonly shouldEnd: () => boolean = () => false,
  ) {}

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
    const targets = targetsOf(resourceType, one);
    const all = this.engine.subjects.get(type);
    const anyone = roles.some((role) => covers(role, targets, action.name));
    const key = anyone ? ['subject', type] : ['subject', type, resourceType?.path, one?.name, action.name];
    const index = anyone || targets.length === 0 ? undefined : yield* this.#index();
    const ordered = yield* this.#ordered(key, function* () {
      if (anyone) return all?.values() ?? [];
      return index === undefined ? [] : yield* index.subjects(targets, action.name, type);
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
    const principals = [...(principal === undefined ? [] : actedAs(principal)), ...roles];
    const anything = type !== undefined && principals.some((one) => covers(one, [type], action.name));
    const named = roles.map((role) => role.name).sort();
    const key = anything
      ? ['resource', type.path]
      : ['resource', type?.path, principal?.address, named.join(' '), action.name];
    const ordered = yield* this.#ordered(key, function* () {
      if (type === undefined) return [];
      if (anything) return recorded(type.resources.values());
      return recorded(yield* resourcesOf(principals, type, action.name));
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
    const names = findType(this.engine.types, resource.type)?.actions ?? [];
    return {
      ordered: yield* inOrder(names, (name) => name),
      ask: (name) => ({ subject, resource, action: { name }, context }),
      show: (name) => ({ name }),
    };
  }

  #roles(names: readonly string[] = []): Principal[] {
    return names.flatMap((name) => findRole(this.engine.roles, name) ?? []);
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
    gather: () => Generator<undefined, Iterable<T>>,
  ): Generator<undefined, readonly Ordered<Item>[]> {
    const text = JSON.stringify(key);
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const ordered: Ordered<Item>[] = yield* inOrder<Item>(yield* gather(), ({ name }) => name);
    this.#kept.keep(text, ordered);
    return ordered;
  }

  /** Made at the first search that needs it. Searches that come meanwhile help to finish the one that was begun. */
  *#index(): Generator<undefined, ReverseIndex> {
    while (this.#reverse === undefined) {
      this.#reversing ??= ReverseIndex.of(this.engine.subjects);
      const { done, value } = this.#reversing.next();
      if (done) this.#reverse = value;
      else yield;
    }
    this.#reversing = undefined;
    return this.#reverse;
  }
}

function targetsOf(type: ResourceType | undefined, resource: Resource | undefined): Target[] {
  if (type === undefined) return [];
  return resource === undefined ? [type] : [type, resource];
}

/** Whom the subject acts as, as long as any of its memberships lasts. */
function actedAs(subject: Principal): Set<Principal> {
  const groups = groupsOf(subject.groups ?? []).keys();
  const found = new Set<Principal>([subject, ...groups]);
  for (const holder of [...found]) for (const { to } of holder.roles ?? []) found.add(to);
  return found;
}

/** Whether a policy of the principal allows the action on one of the targets, as far as can be told without a request. */
function covers(principal: Principal, [type, resource]: readonly Target[], action: string): boolean {
  let allows = false;
  const visit = ({ policy }: Rule) => {
    allows ||= !policy.deny;
  };
  if (principal.grants !== null && type !== undefined)
    visitRules(principal.grants, undefined, type, resource, action, { visit }, true);
  return allows;
}

function* resourcesOf(
  principals: readonly Principal[],
  type: ResourceType,
  action: string,
): Generator<undefined, Set<Resource>> {
  const found = new Set<Resource>();
  let worked = 0;
  for (const { grants } of principals) {
    for (const { policy, target, actions } of grants === null ? [] : rulesOf(grants)) {
      if (++worked % STEP === 0) yield;
      if (target instanceof Resource && target.type === type && !policy.deny && actions.covers(action)) {
        found.add(target);
      }
    }
  }
  return found;
}

function* recorded(resources: Iterable<Resource>): Generator<Resource> {
  for (const resource of resources) if (resource.id !== undefined) yield resource;
}
