import { Absent } from '../conditions/outcome.js';
import type { DecisionRequest } from '../decision/api/request.js';
import type { CompiledEngine } from '../decision/compiled-engine.js';
import type { Address } from '../records/address.js';
import type { DeclaredRecord } from '../records/registry.js';
import type { Known } from './remainder/known.js';
import { Remainders } from './remainder/remainders.js';

type Policy = DeclaredRecord<'policy'>['fields'];

/** What a request must say besides what is recorded, so that it is allowed. */
export class RemainingConditions {
  readonly #remainders = new Remainders();

  constructor(
    private readonly engine: CompiledEngine,
    private readonly policies: ReadonlyMap<Address, Policy>,
  ) {}

  /**
   * The condition that remains of a request without context, as Service CEL; undefined if it does not depend on what the
   * request says: it is allowed always, or never.
   */
  of(request: DecisionRequest, now: number): string | undefined {
    const { candidates, scope: scopeOf } = this.engine.inspect(request, now);
    const scope = scopeOf();
    const { facts, ancestry, principals } = scope;
    const known: Known = {
      subject: { ...request.subject, recorded: scope.storedSubject ?? {}, sent: false },
      action: { name: request.action.name, sent: false },
      resource: {
        ...{ type: facts.type, application: facts.application, names: { id: facts.id, name: facts.name } },
        ...{ recorded: scope.storedResource ?? {}, sent: false },
      },
      ancestry,
      principals: {
        inGroup: (path) => principals.inGroup(path, scope),
        hasRole: (path) => {
          const held = principals.hasRole(path, scope);
          return held instanceof Absent ? 'absent' : held;
        },
      },
      span: { from: now, until: now + 1 },
    };
    const list = [...candidates].flatMap((candidate) => {
      const policy = this.policies.get(candidate);
      if (policy === undefined) return [];
      const { effect, priority } = policy;
      return [{ effect, priority, remainder: this.#remainders.remainderOf(policy, known) }];
    });
    const decisions = this.#remainders.listOf(list);
    return this.#remainders.verdictOf(decisions) === 'depends' ? this.#remainders.textOf(decisions) : undefined;
  }
}
