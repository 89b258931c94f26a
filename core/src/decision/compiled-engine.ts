import { type ResourceFacts, Scope } from '../conditions/scope.js';
import type { Principal, Resource, ResourceType } from './entities.js';
import { ExplainedSearch } from './explain.js';
import { evaluationFailed } from './failure.js';
import { findRole, findType, type Names } from './names.js';
import { type ReachedPrincipal, ReachMemo } from './reach.js';
import { ACCESS_PATHS, decidingReason, noMatchReason } from './reason.js';
import { BY_GROUP, BY_ROLE, DIRECT, type Gathering, Search, type Verdict } from './search.js';
import type { Decision, DecisionRequest, Engine, Explanation } from './types.js';

/** A request's names, found in the tenant. */
interface Question {
  request: DecisionRequest;
  subject: Principal | undefined;
  /** The roles that the request names. */
  roles: readonly Principal[];
  type: ResourceType | undefined;
  resource: Resource | undefined;
}

const NO_ROLES: readonly Principal[] = [];

/** A tenant as graph and indexes; made by `EngineBuilder`. */
export class CompiledEngine implements Engine {
  readonly #search = new Search();
  readonly #reach = new ReachMemo();

  constructor(
    private readonly subjects: ReadonlyMap<string, ReadonlyMap<string, Principal>>,
    private readonly types: Names<ResourceType>,
    private readonly resourcesById: ReadonlyMap<string, Resource>,
    private readonly roles: Names<Principal>,
  ) {}

  decide(request: DecisionRequest, now: number): Decision {
    const question = this.#ask(request);
    const search = this.#search;
    search.begin(now);
    this.#gather(question, search, false);
    const verdict = search.verdict(() => scopeOf(question, now));
    if (verdict.failed !== undefined) throw evaluationFailed([verdict.failed]);
    return answer(question, verdict);
  }

  explain(request: DecisionRequest, now: number): Explanation {
    const question = this.#ask(request);
    const explained = new ExplainedSearch(question.subject, request, now);
    this.#gather(question, explained, true);
    const scope = scopeOf(question, now);
    const failed = explained.judge(scope);
    const search = this.#search;
    search.begin(now);
    this.#gather(question, search, false);
    const verdict = search.verdict(() => scope);
    if (verdict.failed !== undefined) {
      const { policy } = verdict.failed;
      throw evaluationFailed([verdict.failed, ...failed.filter((other) => other.policy !== policy)]);
    }
    return { ...answer(question, verdict), candidates: explained.candidates() };
  }

  /** Throws `ambiguous_name`. */
  #ask(request: DecisionRequest): Question {
    const { subject, resource } = request;
    const type = findType(this.types, resource.type);
    return {
      request,
      subject: this.subjects.get(subject.type)?.get(subject.id),
      roles: subject.roles === undefined ? NO_ROLES : this.#namedRoles(subject.roles),
      type,
      resource: type === undefined ? undefined : this.#resource(type, resource),
    };
  }

  #namedRoles(names: readonly string[]): Principal[] {
    const found: Principal[] = [];
    for (const name of names) {
      const role = findRole(this.roles, name);
      if (role !== undefined && !found.includes(role)) found.push(role);
    }
    return found;
  }

  /** By name where there is one, else by the record's id, else by the id as a name. */
  #resource(type: ResourceType, { id, name }: DecisionRequest['resource']): Resource | undefined {
    if (name !== undefined) return type.resources.get(name);
    if (id === undefined) return undefined;
    const byId = this.resourcesById.get(id);
    return byId !== undefined && byId.type === type ? byId : type.resources.get(id);
  }

  /** Shows a gathering every rule that some principal of the request has for its action and resource. */
  #gather({ request, subject, roles, type, resource }: Question, gathering: Gathering, every: boolean): void {
    if (type === undefined) return;
    const action = request.action.name;
    if (subject !== undefined) {
      if (subject.grants !== null) {
        gathering.from(subject, DIRECT, null);
        subject.grants.search(type, resource, action, gathering, every);
      }
      const reach = this.#reach.of(subject);
      const ask = (reached: readonly ReachedPrincipal[] | undefined) => {
        if (reached === undefined) return;
        for (let at = 0; at < reached.length; at++) {
          const { principal, group, until } = reached[at] as ReachedPrincipal;
          if (until !== null && gathering.now >= until) continue;
          gathering.from(principal, group === null ? BY_ROLE : BY_GROUP, group);
          principal.grants?.search(type, resource, action, gathering, every);
        }
      };
      ask(reach.always);
      if (reach.indexed) {
        ask(reach.for(type));
        if (resource !== undefined) ask(reach.for(resource));
      }
    }
    for (const role of roles) {
      gathering.from(role, BY_ROLE, null);
      role.grants?.search(type, resource, action, gathering, every);
    }
  }
}

function scopeOf({ request, subject, type, resource }: Question, now: number): Scope {
  const facts: ResourceFacts = {
    type: type?.name ?? request.resource.type,
    application: type?.application ?? '',
    id: resource === undefined ? request.resource.id : resource.id,
    name: resource === undefined ? request.resource.name : resource.name,
  };
  return new Scope(request, facts, now, subject?.properties, resource?.properties);
}

function answer({ request, type, resource }: Question, { deciding, absent }: Verdict): Decision {
  if (deciding === undefined) {
    return {
      decision: false,
      reason: noMatchReason(request, type !== undefined),
      access_path: 'none',
      policy_id: undefined,
      policy: undefined,
      resource_id: resource?.id,
    };
  }
  const { policy, rank } = deciding;
  return {
    decision: !policy.deny,
    reason: decidingReason(deciding, request.action.name, absent),
    access_path: ACCESS_PATHS[rank],
    policy_id: policy.id,
    policy: `policy/${policy.path}`,
    resource_id: resource?.id,
  };
}
