import type { CompiledEngine } from '../engine/compiled-engine.js';
import type { Resource, ResourceType } from '../grants/target.js';
import { groupsOf } from '../graph/effective-principals.js';
import { findType } from '../graph/names.js';
import type { Principal } from '../graph/principal.js';
import { whereaboutsOf } from '../graph/whereabouts.js';
import { actedAs } from './acted-as.js';
import { covers } from './covers.js';
import { inOrder, type Ordered } from './ordered.js';
import type { Candidates } from './page.js';
import type { FoundEntity, ResourceSearch } from './question.js';
import { ReachedResources } from './reached-resources.js';
import { Recent } from './recent.js';
import type { SearchIndex } from './search-index.js';

/** The most resources that are kept for the pages that follow, at some 50 bytes each. */
const KEPT_MAX = 1_000_000;
/** Up to so many, and up to this share of a type's resources they are listed and sorted; more are picked out of all. */
const LISTED_MIN = 2;
const LISTED_SHARE = 1 / 16;

/** The resources that a subject comes to, and the candidates among them if they are few. */
interface Reached {
  readonly resources: ReachedResources;
  readonly listed: readonly Ordered<Resource>[] | undefined;
}

/** On which resources a subject may do something, as far as can be told without conditions. */
export class ResourceCandidates {
  readonly #kept = new Recent<Reached>(KEPT_MAX);

  constructor(
    private readonly engine: CompiledEngine,
    private readonly index: SearchIndex,
  ) {}

  /** Throws `ambiguous_name`. */
  *of(request: ResourceSearch): Generator<undefined, Candidates<Resource, FoundEntity>> {
    const { subject, resource, action, context } = request;
    const show = (item: Resource) => ({ type: resource.type, id: this.#idOf(item) });
    const type = findType(this.engine.types, resource.type);
    const roles = this.engine.namedRoles(subject.roles);
    const one = this.engine.subjects.get(subject.type)?.get(subject.id);
    const resolved = { subject: one, roles, type };
    const ask = (item: Resource, isPlaced: boolean) => ({
      ...resolved,
      request: { subject, resource: { ...resource, name: item.name }, action, context },
      resource: item,
      where: isPlaced ? whereaboutsOf(item.type, item, undefined) : null,
    });
    if (type === undefined) return { ordered: [], ask: (item) => ask(item, false), show };
    const acting = [one, this.engine.everyone.memberOf(subject.type)].filter((each) => each != null);
    const named = roles.counted.map(({ principal }) => principal);
    const principals = [...acting.flatMap((each) => [...actedAs(each)]), ...named];
    const anything = principals.some((each) => covers(each, [type], action.name));
    const key = [type.path, subject.type, one?.name, named.map(({ name }) => name).sort(), action.name, anything];
    const reached = yield* this.#reached(JSON.stringify(key), type, action.name, principals, acting, anything);
    const { resources } = reached;
    return {
      ordered: reached.listed ?? (yield* this.index.resources(type.path)),
      isCandidate: anything || reached.listed !== undefined ? undefined : (item) => resources.allowed.has(item),
      isAlike: (item) => !resources.tellsApart(item),
      ask: (item) => ask(item, resources.placed.has(item)),
      show,
    };
  }

  /** `acting` are those who may hold roles on resources, with their groups; `anything` means that all are candidates. */
  *#reached(
    key: string,
    type: ResourceType,
    action: string,
    principals: readonly Principal[],
    acting: readonly Principal[],
    anything: boolean,
  ): Generator<undefined, Reached> {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const resources = new ReachedResources(type, action);
    yield* resources.addCovered(principals);
    yield* resources.addHeld(acting.flatMap((one) => [one, ...groupsOf(one.groups ?? []).keys()]));
    const counts = (item: Resource) => item.type === type && item.id !== undefined;
    const most = Math.max(LISTED_MIN, type.resources.size * LISTED_SHARE);
    const few = anything ? undefined : yield* resources.allowed.items(most, counts);
    const listed = few && (yield* inOrder(few, ({ name }) => name));
    const reached = { resources, listed };
    this.#kept.keep(key, reached, resources.weight + (listed?.length ?? 0));
    return reached;
  }

  /** The name of a resource, which decisions find it by, unless that is another one's id. */
  #idOf(resource: Resource): string {
    const other = this.engine.resourcesById.get(resource.name);
    return other === undefined || other === resource || other.type !== resource.type
      ? resource.name
      : (resource.id ?? resource.name);
  }
}
