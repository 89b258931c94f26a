import type { CompiledEngine } from '../engine/compiled-engine.js';
import type { Resource, ResourceType, Target } from '../grants/target.js';
import { hierarchyNodeOf } from '../graph/hierarchy-node.js';
import { holdings } from '../graph/holders.js';
import { includedIn } from '../graph/included-roles.js';
import { findResource, findType } from '../graph/names.js';
import type { Principal } from '../graph/principal.js';
import { type Whereabouts, whereaboutsOf } from '../graph/whereabouts.js';
import { actedAs } from './acted-as.js';
import { covers } from './covers.js';
import { inOrderOf, type Ordered } from './ordered.js';
import type { Candidates } from './page.js';
import type { FoundEntity, SubjectSearch } from './question.js';
import { Recent } from './recent.js';
import type { SearchIndex } from './search-index.js';

/** Candidates kept for the pages that follow, at some 50 bytes each. */
const KEPT_MAX = 1_000_000;
const STEP = 256;

/** Which subjects may do something to a resource, as far as can be told without conditions. */
export class SubjectCandidates {
  readonly #kept = new Recent<readonly Ordered<Principal>[]>(KEPT_MAX);

  constructor(
    private readonly engine: CompiledEngine,
    private readonly index: SearchIndex,
  ) {}

  /** Throws `ambiguous_name`; `invalid_request` where the request does not say rightly where the resource lies. */
  *of(request: SubjectSearch): Generator<undefined, Candidates<Principal, FoundEntity>> {
    const { subject, resource, action, context } = request;
    const { type } = subject;
    const resourceType = findType(this.engine.types, resource.type);
    const roles = this.engine.namedRoles(subject.roles);
    const one = resourceType && findResource(resourceType, this.engine.resourcesById, resource);
    const where = resourceType && whereaboutsOf(resourceType, one, resource.properties);
    const targets = targetsOf(resourceType, one, where ?? null);
    const member = this.engine.everyone.memberOf(type);
    const everyone = member === null ? [] : [...actedAs(member)];
    const anyone = [...roles.counted.map(({ principal }) => principal), ...everyone].some((one) =>
      covers(one, targets, action.name),
    );
    const above = one === undefined ? where?.places.map((place) => `${place.type.path} ${place.name}`) : undefined;
    const key = ['subject', type, resourceType?.path, one?.name, action.name, ...(above ?? [])];
    const { index } = this;
    const ofType = this.engine.subjects.get(type);
    const ordered = anyone
      ? yield* index.subjects(type)
      : yield* this.#ordered(key, function* () {
          const holders = where == null ? [] : yield* holdersOf(where.places, targets, action.name);
          if (holders.some((holder) => everyone.includes(holder))) return yield* index.subjects(type);
          if (targets.length === 0) return [];
          const reverse = yield* index.reverse();
          const found = yield* reverse.subjects(targets, holders, action.name, type);
          return yield* inOrderOf(found, ofType?.size ?? 0, () => index.subjects(type));
        });
    const resolved = { roles, type: resourceType, resource: one, where: where ?? null };
    return {
      ordered,
      ask: (item) => ({
        ...resolved,
        request: { subject: { ...subject, id: item.name }, resource, action, context },
        subject: item,
      }),
      show: ({ name }) => ({ type, id: name }),
    };
  }

  /** The candidates that the key names, in order; `gather` finds them where they are not at hand. */
  *#ordered(
    key: readonly (string | undefined)[],
    gather: () => Generator<undefined, readonly Ordered<Principal>[]>,
  ): Generator<undefined, readonly Ordered<Principal>[]> {
    const text = JSON.stringify(key);
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const ordered = yield* gather();
    this.#kept.keep(text, ordered, ordered.length);
    return ordered;
  }
}

function targetsOf(
  type: ResourceType | undefined,
  resource: Resource | undefined,
  where: Whereabouts | null,
): Target[] {
  if (type === undefined) return [];
  return [type, ...(resource === undefined ? [] : [resource]), ...(where?.belows ?? [])];
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
    for (const [holder, { to: role }] of holdings(hierarchyNodeOf(place)?.holders ?? null)) {
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
