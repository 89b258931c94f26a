import type { Outcome } from '../conditions/outcome.js';
import { Scope } from '../conditions/scope.js';
import { ReadWriteLock } from '../read-write-lock.js';
import type { SplitMap } from '../split-map.js';
import type { Decision, Explanation } from './api/decision.js';
import type { Engine, RecordChange } from './api/engine.js';
import type { DecisionRequest } from './api/request.js';
import type { RecordCompiler } from './compile/record-compiler.js';
import { CombiningAlgorithm, type FailedPolicy } from './evaluate/combining-algorithm.js';
import { evaluationFailed } from './evaluate/evaluation-failed.js';
import { Explainer } from './evaluate/explain.js';
import { LazyDecision } from './evaluate/lazy-decision.js';
import type { ResolvedRequest } from './evaluate/resolved-request.js';
import { type Grants, visitRules } from './grants/grants.js';
import type { Policy } from './grants/rule.js';
import type { Resource, ResourceType } from './grants/target.js';
import type { RuleVisitor } from './grants/target-grants.js';
import { AccessPath, DIRECT, THROUGH_ROLE } from './graph/access-path.js';
import type { EffectivePrincipalsMemo, GrantsAndPaths } from './graph/effective-principals.js';
import { findResource, findRole, findType, type Names } from './graph/names.js';
import type { Principal } from './graph/principal.js';

const NO_ROLES: readonly Principal[] = [];

/** The typical steps of a decision apart from its conditions. */
const DECISION_STEPS = 50;

/**
 * A compiled tenant, whose graph searches walk as well; built by `EngineBuilder`. It changes only by `apply`, within one
 * turn of the event loop: work that reads over several turns holds the lock.
 */
export class CompiledEngine implements Engine {
  /** Call `apply` within its `write`, and do work of several turns within its `read`; a single decision needs neither. */
  readonly lock = new ReadWriteLock();
  readonly subjects: ReadonlyMap<string, SplitMap<Principal>>;
  readonly types: Names<ResourceType>;
  readonly resourcesById: SplitMap<Resource>;
  readonly roles: Names<Principal>;
  readonly #compiler: RecordCompiler;
  readonly #combining = new CombiningAlgorithm();
  readonly #effectivePrincipals: EffectivePrincipalsMemo;
  #steps = 0;

  constructor(compiler: RecordCompiler) {
    const { graph, effectivePrincipals } = compiler;
    graph.close();
    this.subjects = graph.subjects;
    this.types = graph.types;
    this.resourcesById = graph.resourcesById;
    this.roles = graph.roles;
    this.#compiler = compiler;
    this.#effectivePrincipals = effectivePrincipals;
  }

  /**
   * Brings the tenant to its state after the changes, whatever their order. Every `before` must be what is compiled, and
   * the records afterwards must be valid together. Where it throws, the engine is in neither state and must not be used
   * any more. A `TenantSearch` over it is outdated afterwards.
   */
  apply(changes: readonly RecordChange[]): void {
    this.#compiler.apply(changes);
  }

  /** How many steps `apply` would take, of about a microsecond each: mostly one for each change. */
  weigh(changes: readonly RecordChange[]): number {
    return this.#compiler.weigh(changes);
  }

  /** The work of all decisions so far, in the steps that conditions are counted in. */
  get steps(): number {
    return this.#steps;
  }

  decide(request: DecisionRequest, now: number): Decision {
    const resolved = this.#resolve(request);
    const failed = this.#evaluate(resolved, now);
    if (failed !== undefined) throw evaluationFailed([failed]);
    return this.#decision(resolved);
  }

  explain(request: DecisionRequest, now: number): Explanation {
    const resolved = this.#resolve(request);
    const scope = scopeOf(resolved, now);
    const outcomes = new Map<Policy, Outcome>();
    const failed = this.#evaluate(resolved, now, scope, outcomes);
    const taken = scope.steps;
    const explainer = new Explainer(resolved.subject, request, now);
    this.#visitCandidates(resolved, explainer, true);
    const others = explainer.evaluate(scope, outcomes);
    this.#steps += scope.steps - taken;
    if (failed !== undefined)
      throw evaluationFailed([failed, ...others.filter(({ policy }) => policy !== failed.policy)]);
    const { decision, reason, access_path, policy_id, policy, resource_id } = this.#decision(resolved);
    return { decision, reason, access_path, policy_id, policy, resource_id, candidates: explainer.candidates() };
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
  #resolve(request: DecisionRequest): ResolvedRequest {
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

  /** Leaves the deciding candidate in `#combining`; returns the failure that leaves the answer open. */
  #evaluate(
    resolved: ResolvedRequest,
    now: number,
    given?: Scope,
    outcomes?: Map<Policy, Outcome>,
  ): FailedPolicy | undefined {
    this.#combining.begin(now);
    this.#visitCandidates(resolved, this.#combining, false);
    this.#steps += DECISION_STEPS;
    if (!this.#combining.waits) return undefined;
    const scope = given ?? scopeOf(resolved, now);
    const failed = this.#combining.evaluate(scope, outcomes);
    this.#steps += scope.steps;
    return failed;
  }

  /** Visits every rule that covers the request's action and resource, of every principal that the subject acts as. */
  #visitCandidates(resolved: ResolvedRequest, visitor: RuleVisitor<AccessPath>, every: boolean): void {
    const { request, subject, roles, type, resource } = resolved;
    if (type === undefined) return;
    const action = request.action.name;
    if (subject !== undefined) {
      if (subject.grants !== null) {
        const direct = new AccessPath(DIRECT, subject, null, null);
        visitRules(subject.grants, direct, type, resource, action, visitor, every);
      }
      const effective = this.#effectivePrincipals.of(subject);
      visitEach(effective.always, resolved, type, visitor, every);
      if (effective.indexed) {
        visitEach(effective.for(type), resolved, type, visitor, every);
        if (resource !== undefined) visitEach(effective.for(resource), resolved, type, visitor, every);
      }
    }
    for (const role of roles) {
      if (role.grants === null) continue;
      const named = new AccessPath(THROUGH_ROLE, role, null, null);
      visitRules(role.grants, named, type, resource, action, visitor, every);
    }
  }

  #decision(resolved: ResolvedRequest): LazyDecision {
    return new LazyDecision(resolved, this.#combining);
  }
}

function visitEach(
  principals: GrantsAndPaths,
  { request, resource }: ResolvedRequest,
  type: ResourceType,
  visitor: RuleVisitor<AccessPath>,
  every: boolean,
): void {
  for (let at = 0; at < principals.length; at += 2) {
    const [grants, path] = [principals[at] as Grants, principals[at + 1] as AccessPath];
    visitRules(grants, path, type, resource, request.action.name, visitor, every);
  }
}

function scopeOf({ request, subject, type, resource }: ResolvedRequest, now: number): Scope {
  const facts = {
    type: type?.name ?? request.resource.type,
    application: type?.application ?? '',
    id: resource === undefined ? request.resource.id : resource.id,
    name: resource === undefined ? request.resource.name : resource.name,
  };
  return new Scope(request, facts, now, subject?.properties, resource?.properties);
}
