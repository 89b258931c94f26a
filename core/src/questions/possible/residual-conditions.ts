import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import { findType } from '../../access/graph/names.js';
import type { PartialRequest } from '../../conditions/residual/partial-request.js';
import { type DecisionList, type RequestChoice, Residuals } from '../../conditions/residual/residuals.js';
import { Absent } from '../../conditions/values/outcome.js';
import type { JsonObject } from '../../json/json.js';
import type { Address } from '../../records/address.js';
import type { DeclaredRecord } from '../../records/registry.js';
import type { DecisionRequest } from '../../request.js';

type Policy = DeclaredRecord<'policy'>['fields'];

/** A text says nothing of failures, which are a matter of wrong types. */
const ONLY_FAILURES = 'true // unless what the request says makes the condition of a DENY fail';

/** Residual conditions of requests: what they must say besides what is recorded, so that they are allowed. */
export class ResidualConditions {
  readonly #residuals = new Residuals();

  constructor(
    private readonly engine: CompiledEngine,
    private readonly policies: ReadonlyMap<Address, Policy>,
  ) {}

  /**
   * The condition that remains of a request that says no more than this, as Service CEL; undefined if it does not depend on
   * what else a request says: it is allowed always, or never. Requests may have any context and any properties that are not
   * recorded, but say nothing of where a resource without a record lies.
   */
  of(request: DecisionRequest, now: number): string | undefined {
    const decisions = this.#decisionsOn(request, now);
    if (this.#residuals.verdictOf(decisions) !== 'depends') return undefined;
    const text = this.#residuals.textOf(decisions);
    return text === 'true' ? ONLY_FAILURES : text;
  }

  /** Members that such a request may send, with values that make a difference. */
  choicesOf(request: DecisionRequest, now: number): RequestChoice[] {
    return this.#residuals.choicesIn(this.#decisionsOn(request, now));
  }

  #decisionsOn(request: DecisionRequest, now: number): DecisionList {
    const { candidates, unknown, resource, scope: scopeOf } = this.engine.inspect(request, now);
    const scope = scopeOf();
    const { sendable, types } = this.engine;
    const known: PartialRequest = {
      subject: {
        ...request.subject,
        recorded: scope.storedSubject ?? {},
        sent: sendable.get(request.subject.type) ?? true,
      },
      action: { name: request.action.name, sent: true },
      resource: {
        ...{ type: scope.resourceType, application: scope.application },
        names: { id: scope.resourceId, name: scope.resourceName },
        recorded: scope.storedResource ?? (resource === undefined ? this.#placeless(request) : {}),
        sent: findType(types, request.resource.type)?.sendable ?? true,
      },
      ancestry: { of: (path) => scope.ancestorsOf(path) },
      principals: {
        inGroup: (path) => scope.inGroup(path),
        hasRole: (path) => {
          const held = scope.hasRole(path);
          return held instanceof Absent ? 'absent' : held;
        },
      },
      span: { from: now, until: now + 1 },
    };
    const list = [...candidates].flatMap((candidate) => {
      const policy = this.policies.get(candidate);
      if (policy === undefined) return [];
      const { effect, priority } = policy;
      return [{ effect, priority, residual: this.#residuals.residualOf(policy, known, unknown.has(candidate)) }];
    });
    return this.#residuals.listOf(list);
  }

  /** The properties by which a request would say where a resource without a record lies, as absent. */
  #placeless({ resource }: DecisionRequest): JsonObject {
    const parents = findType(this.engine.types, resource.type)?.parents ?? [];
    return Object.fromEntries(parents.map(({ property }) => [property, undefined])) as unknown as JsonObject;
  }
}
