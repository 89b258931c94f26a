import { Scope } from '../conditions/scope.js';
import { ReadWriteLock } from '../read-write-lock.js';
import type { Principal, Resource, ResourceType } from './entities.js';
import { ExplainedSearch } from './explain.js';
import { evaluationFailed } from './failure.js';
import { type Grants, type RuleVisitor, search } from './grants.js';
import { MadeDecision } from './made-decision.js';
import { findResource, findRole, findType, type Names } from './names.js';
import type { Question } from './question.js';
import type { Reached, ReachMemo } from './reach.js';
import type { RecordCompiler } from './record-compiler.js';
import { type Failed, Search } from './search.js';
import type { SplitMap } from './split-map.js';
import type { Decision, DecisionRequest, Engine, Explanation, RecordChange } from './types.js';
import { BY_ROLE, DIRECT, Way } from './way.js';

const NO_ROLES: readonly Principal[] = [];

/**
 * A tenant as graph and indexes, which searches walk, too; made by `EngineBuilder`. It changes only by `apply`, within
 * one turn of the event loop: what reads over several turns holds the lock.
 */
export class CompiledEngine implements Engine {
  /** `apply` belongs into its `write`, and work of several turns into its `read`; a single decision needs none. */
  readonly lock = new ReadWriteLock();
  readonly subjects: ReadonlyMap<string, SplitMap<Principal>>;
  readonly types: Names<ResourceType>;
  readonly resourcesById: SplitMap<Resource>;
  readonly roles: Names<Principal>;
  readonly #compiler: RecordCompiler;
  readonly #search = new Search();
  readonly #reach: ReachMemo;

  constructor(compiler: RecordCompiler) {
    const { graph, reach } = compiler;
    graph.close();
    this.subjects = graph.subjects;
    this.types = graph.types;
    this.resourcesById = graph.resourcesById;
    this.roles = graph.roles;
    this.#compiler = compiler;
    this.#reach = reach;
  }

  /**
   * Makes the tenant what it is after the changes, in any order of them. Every `before` must be what is compiled, and
   * all that is there afterwards must be valid together; where it throws, the engine is neither of the two and must not
   * be asked any more. A `TenantSearch` over it is outdated afterwards.
   */
  apply(changes: readonly RecordChange[]): void {
    this.#compiler.apply(changes);
  }

  /** How many steps `apply` would take, of about a microsecond each: mostly one for each change. */
  weigh(changes: readonly RecordChange[]): number {
    return this.#compiler.weigh(changes);
  }

  decide(request: DecisionRequest, now: number): Decision {
    const question = this.#ask(request);
    const failed = this.#judge(question, now);
    if (failed !== undefined) throw evaluationFailed([failed]);
    return this.#answer(question);
  }

  explain(request: DecisionRequest, now: number): Explanation {
    const question = this.#ask(request);
    const explained = new ExplainedSearch(question.subject, request, now);
    this.#gather(question, explained, true);
    const others = explained.judge(scopeOf(question, now));
    const failed = this.#judge(question, now);
    if (failed !== undefined)
      throw evaluationFailed([failed, ...others.filter(({ policy }) => policy !== failed.policy)]);
    const { decision, reason, access_path, policy_id, policy, resource_id } = this.#answer(question);
    return { decision, reason, access_path, policy_id, policy, resource_id, candidates: explained.candidates() };
  }

  resourceId({ resource }: DecisionRequest): string | undefined {
    try {
      const type = findType(this.types, resource.type);
      return type === undefined ? undefined : findResource(type, this.resourcesById, resource)?.id;
    } catch {
      // A name that fits two types names no record.
      return undefined;
    }
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
      resource: type === undefined ? undefined : findResource(type, this.resourcesById, resource),
    };
  }

  #namedRoles(names: readonly string[]): readonly Principal[] {
    const found = new Set<Principal>();
    for (const name of names) {
      const role = findRole(this.roles, name);
      if (role !== undefined) found.add(role);
    }
    return [...found];
  }

  /** Leaves the deciding policy in the search; returns the failure that leaves the answer open. */
  #judge(question: Question, now: number): Failed | undefined {
    this.#search.begin(now);
    this.#gather(question, this.#search, false);
    return this.#search.open ? this.#search.judge(scopeOf(question, now)) : undefined;
  }

  /** Shows every rule that some principal of the request has for its action and resource. */
  #gather(question: Question, visitor: RuleVisitor, every: boolean): void {
    const { request, subject, roles, type, resource } = question;
    if (type === undefined) return;
    const action = request.action.name;
    if (subject !== undefined) {
      if (subject.grants !== null) {
        search(subject.grants, new Way(DIRECT, subject, null, null), type, resource, action, visitor, every);
      }
      const reach = this.#reach.of(subject);
      gatherReached(reach.always, question, type, visitor, every);
      if (reach.indexed) {
        gatherReached(reach.for(type), question, type, visitor, every);
        if (resource !== undefined) gatherReached(reach.for(resource), question, type, visitor, every);
      }
    }
    for (const role of roles) {
      if (role.grants === null) continue;
      search(role.grants, new Way(BY_ROLE, role, null, null), type, resource, action, visitor, every);
    }
  }

  #answer(question: Question): MadeDecision {
    return new MadeDecision(question, this.#search.deciding, this.#search.absent);
  }
}

function gatherReached(
  reached: Reached,
  { request, resource }: Question,
  type: ResourceType,
  visitor: RuleVisitor,
  every: boolean,
): void {
  for (let at = 0; at < reached.length; at += 2) {
    search(reached[at] as Grants, reached[at + 1] as Way, type, resource, request.action.name, visitor, every);
  }
}

function scopeOf({ request, subject, type, resource }: Question, now: number): Scope {
  const facts = {
    type: type?.name ?? request.resource.type,
    application: type?.application ?? '',
    id: resource === undefined ? request.resource.id : resource.id,
    name: resource === undefined ? request.resource.name : resource.name,
  };
  return new Scope(request, facts, now, subject?.properties, resource?.properties);
}
