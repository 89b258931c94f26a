import type { SplitMap } from '../../collections/split-map.js';
import { ReadWriteLock } from '../../concurrency/read-write-lock.js';
import type { Outcome } from '../../conditions/values/outcome.js';
import { Scope } from '../../conditions/values/scope.js';
import type { Path } from '../../records/address.js';
import type { DecisionRequest } from '../../request.js';
import type { Decision, Explanation } from '../api/decision.js';
import type { Budget, Engine, RecordChange } from '../api/engine.js';
import type { RecordCompiler } from '../compile/record-compiler.js';
import { ActingPrincipals } from '../evaluate/acting-principals.js';
import { Ancestors } from '../evaluate/ancestors.js';
import { CombiningAlgorithm, type FailedPolicy } from '../evaluate/combining-algorithm.js';
import { evaluationFailed } from '../evaluate/evaluation-failed.js';
import { Explainer } from '../evaluate/explain.js';
import { CandidateCollector, type Inspection, inspectionOf } from '../evaluate/inspection.js';
import { LazyDecision } from '../evaluate/lazy-decision.js';
import type { ResolvedRequest } from '../evaluate/resolved-request.js';
import { visitCandidates } from '../evaluate/visit-candidates.js';
import type { Policy, Rule } from '../grants/rule.js';
import type { Resource } from '../grants/target.js';
import type { RuleVisitor } from '../grants/target-grants.js';
import type { AccessPath } from '../graph/access-path.js';
import { type SendableOfSubjects, uncountedProperties, withCountedProperties } from '../graph/counted-properties.js';
import type { EffectivePrincipalsMemo } from '../graph/effective-principals.js';
import type { Everyone } from '../graph/everyone.js';
import type { GraphWatcher } from '../graph/graph-watcher.js';
import { type NamedRoles, NO_ROLES, namedRoles } from '../graph/named-roles.js';
import { findResource, findType, type Names, type TypeNames } from '../graph/names.js';
import type { Principal } from '../graph/principal.js';
import { isSuspended } from '../graph/suspension.js';
import { whereaboutsOf } from '../graph/whereabouts.js';

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
  readonly types: TypeNames;
  /** The properties that requests may send of subjects, by the types of subjects that do not take all. */
  readonly sendable: SendableOfSubjects;
  readonly resourcesById: SplitMap<Resource>;
  readonly everyone: Everyone;
  readonly roles: Names<Principal>;
  readonly groups: Names<Principal>;
  readonly #compiler: RecordCompiler;
  readonly #combining = new CombiningAlgorithm();
  readonly #effectivePrincipals: EffectivePrincipalsMemo;
  #steps = 0;
  #generation = 0;

  constructor(compiler: RecordCompiler) {
    const { graph, effectivePrincipals } = compiler;
    graph.close();
    this.subjects = graph.subjects;
    this.types = graph.types;
    this.sendable = graph.sendable;
    this.resourcesById = graph.resourcesById;
    this.everyone = graph.everyone;
    this.roles = graph.roles;
    this.groups = graph.groups;
    this.#compiler = compiler;
    this.#effectivePrincipals = effectivePrincipals;
  }

  /**
   * Brings the tenant to its state after the changes, whatever their order. Every `before` must be what is compiled, and
   * the records afterwards must be valid together. Where it throws, the engine is in neither state and must not be used
   * any more. A `TenantSearch` over it is outdated afterwards.
   */
  apply(changes: readonly RecordChange[]): void {
    this.#generation++;
    this.#compiler.apply(changes);
    this.#compiler.graph.watcher?.changed(changes);
  }

  /** Counts the changes: what was derived from the tenant holds while it is the same. */
  get generation(): number {
    return this.#generation;
  }

  /** From now on, the watcher is told of every change. There is one at most. */
  watch(watcher: GraphWatcher): void {
    this.#compiler.graph.watcher = watcher;
  }

  /** How many steps `apply` would take, of about a microsecond each: mostly one for each change. */
  weigh(changes: readonly RecordChange[]): number {
    return this.#compiler.weigh(changes);
  }

  /** The roles that requests may not name. */
  get unnamed(): ReadonlySet<Principal> {
    return this.#compiler.unnamed;
  }

  /** Returns the rules of a policy, whoever has it. */
  rulesOf(policy: Path): readonly Rule[] {
    return this.#compiler.rulesOf(policy);
  }

  /** The work of all decisions so far, in the steps that conditions are counted in. */
  get steps(): number {
    return this.#steps;
  }

  decide(request: DecisionRequest, now: number): Decision {
    return this.decideResolved(this.#resolve(request), now);
  }

  /**
   * Decides on a request whose names have been looked up, as searches do once for all their candidates. It notes in `reads`
   * whether a condition asked of the resource what may differ between two of its type.
   */
  decideResolved(resolved: ResolvedRequest, now: number, reads?: { resource: boolean }): Decision {
    const scope = reads && this.#scope(resolved, now);
    const failed = this.#evaluate(resolved, now, scope);
    if (reads !== undefined) reads.resource = scope?.readsResource ?? false;
    if (failed !== undefined) throw evaluationFailed([failed]);
    return new LazyDecision(resolved, this.#combining, now);
  }

  explain(request: DecisionRequest, now: number): Explanation {
    const resolved = this.#resolve(request);
    const scope = this.#scope(resolved, now);
    const outcomes = new Map<Policy, Outcome>();
    const failed = this.#evaluate(resolved, now, scope, outcomes);
    const taken = scope.steps;
    const explainer = new Explainer(resolved.subject, resolved.request, now);
    this.#visit(resolved, explainer, now, true);
    explainer.settle();
    const others = explainer.evaluate(scope, outcomes);
    this.#steps += scope.steps - taken;
    if (failed !== undefined)
      throw evaluationFailed([failed, ...others.filter(({ policy }) => policy !== failed.policy)]);
    const ofClauses = this.#scope(resolved, now);
    explainer.evaluateClauses(ofClauses);
    this.#steps += ofClauses.steps;
    const { decision, reason, access_path, policy_id, policy, resource_id } = new LazyDecision(
      resolved,
      this.#combining,
      now,
    );
    const answer = { decision, reason, access_path, policy_id, policy, resource_id };
    const uncounted = [...resolved.roles.uncounted].map((role) => role.address).sort();
    const ignored = uncountedProperties(request, resolved.request);
    return {
      ...answer,
      candidates: explainer.candidates(),
      ...(uncounted.length > 0 && { uncounted_roles: uncounted }),
      ...(ignored.length > 0 && { uncounted_properties: ignored }),
    };
  }

  /** Returns what the decision on a request looks at. Throws as `decide` does if the request itself is at fault. */
  inspect(request: DecisionRequest, now: number): Inspection {
    const resolved = this.#resolve(request);
    return inspectionOf(resolved, this.#collect(resolved, now), () => this.#scope(resolved, now));
  }

  /** Whether an ALLOW is among the candidates: without any, no condition makes the answer a grant. */
  mayAllow(resolved: ResolvedRequest, now: number): boolean {
    return this.#collect(resolved, now).allows;
  }

  #collect(resolved: ResolvedRequest, now: number): CandidateCollector {
    const collector = new CandidateCollector(now);
    this.#visit(resolved, collector, now, true);
    return collector;
  }

  budgetOf(name: string): Budget | undefined {
    const { budgets } = this.#compiler;
    if (budgets.size === 0) return undefined;
    try {
      const type = findType(this.types, name);
      const maxAgeMs = type && budgets.get(type);
      return type && maxAgeMs !== undefined ? budgetFrom(type.path, maxAgeMs) : undefined;
    } catch {
      // A name that fits two types is refused by what asks.
      return undefined;
    }
  }

  /** Yields the budgets of all types, in no order. */
  *budgets(): Generator<Budget> {
    for (const [{ path }, maxAgeMs] of this.#compiler.budgets) yield budgetFrom(path, maxAgeMs);
  }

  sensitiveIn(request: DecisionRequest): string[] {
    const { sensitive } = this.#compiler.graph;
    try {
      return sensitive.pathsIn(request, findType(this.types, request.resource.type));
    } catch {
      // A name that fits two types, or a type of which the slice has nothing.
      return sensitive.pathsIn(request, undefined);
    }
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
  namedRoles(names: readonly string[] | undefined): NamedRoles {
    const { graph, unnamed } = this.#compiler;
    return names === undefined ? NO_ROLES : namedRoles(graph.roles, unnamed, names);
  }

  /** Throws `ambiguous_name`, `unknown_application`; `invalid_request` where the request does not say rightly where the resource lies. */
  #resolve(asked: DecisionRequest): ResolvedRequest {
    const type = findType(this.types, asked.resource.type);
    const request = withCountedProperties(asked, this.sendable, type);
    const { subject, resource } = request;
    const found = type === undefined ? undefined : findResource(type, this.resourcesById, resource);
    return {
      request,
      asked,
      subject: this.subjects.get(subject.type)?.get(subject.id),
      roles: this.namedRoles(subject.roles),
      type,
      resource: found,
      where: type === undefined ? null : whereaboutsOf(type, found, resource.properties),
    };
  }

  /** Visits the candidates of the subject, and those of everyone; a suspended one has none. */
  #visit(resolved: ResolvedRequest, visitor: RuleVisitor<AccessPath>, now: number, every: boolean): void {
    const { subject, roles, request } = resolved;
    if (subject !== undefined && isSuspended(subject, now)) return;
    const effective = subject === undefined ? undefined : this.#effectivePrincipals.of(subject);
    visitCandidates(resolved, subject, effective, roles.counted, visitor, every);
    const member = this.everyone.memberOf(request.subject.type);
    if (member !== null)
      visitCandidates(resolved, member, this.#effectivePrincipals.of(member), NO_ROLES.counted, visitor, every);
  }

  /** Leaves the deciding candidate in `#combining`; returns the failure that leaves the answer open. */
  #evaluate(
    resolved: ResolvedRequest,
    now: number,
    given?: Scope,
    outcomes?: Map<Policy, Outcome>,
  ): FailedPolicy | undefined {
    const unknown = resolved.where !== null && resolved.where.unknown !== null;
    this.#combining.begin(now, unknown);
    this.#visit(resolved, this.#combining, now, unknown);
    if (unknown) this.#combining.settle();
    this.#steps += DECISION_STEPS;
    if (!this.#combining.waits) return undefined;
    const scope = given ?? this.#scope(resolved, now);
    const failed = this.#combining.evaluate(scope, outcomes);
    this.#steps += scope.steps;
    return failed;
  }

  #scope(resolved: ResolvedRequest, now: number): Scope {
    const { request, subject, type, resource } = resolved;
    const facts = {
      type: type?.name ?? request.resource.type,
      application: type?.application ?? '',
      id: resource === undefined ? request.resource.id : resource.id,
      name: resource === undefined ? request.resource.name : resource.name,
    };
    const principals = new ActingPrincipals(this.#compiler.graph, resolved, now);
    const ancestors = new Ancestors(resolved);
    return new Scope(request, facts, now, subject?.properties, resource?.properties, ancestors, principals);
  }
}

function budgetFrom(path: Path, maxAgeMs: number): Budget {
  return { of: `resource_type/${path}`, maxAgeMs };
}
