import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import type { Inspection } from '../../access/evaluate/inspection.js';
import { ProblemError } from '../../problem.js';
import type { Address } from '../../records/address.js';
import type { DecisionRequest } from '../../request.js';
import { answerOf, meets } from './answer.js';
import type { Case } from './cases.js';
import { MayActAs } from './may-act-as.js';
import type { TestTenant } from './test-tenant.js';

/** One request that the tests make, and what they say of its answer. */
export interface TestRequest {
  request: DecisionRequest;
  /** Milliseconds since the epoch. */
  now: number;
  /** Undefined where the request itself is at fault. */
  looked: Inspection | undefined;
  /** Whom the subject acts as at some time and in some place. */
  principals: ReadonlySet<Address>;
  /** Whether the answer is what the tests expect. */
  holds(engine: CompiledEngine): boolean;
}

/** All requests of these cases. `now` is the clock of tests that set none. */
export function askedIn(tenant: TestTenant, cases: readonly Case[], now: number): TestRequest[] {
  const actsAs = new MayActAs(tenant.records);
  const asked = (request: DecisionRequest, at: number, holds: TestRequest['holds']): TestRequest => ({
    request,
    now: at,
    looked: inspected(tenant.engine, request, at),
    principals: actsAs.of(request.subject),
    holds,
  });
  return cases.flatMap((one): TestRequest[] => {
    const at = one.now ?? now;
    if (one.form === 'decision') {
      const { request, expectations } = one;
      const holds = (engine: CompiledEngine) => {
        const answer = answerOf(engine, request, at);
        return expectations.every((wanted) => meets(answer, wanted));
      };
      return [asked(request, at, holds)];
    }
    return one.items.map(({ text, request }) => {
      const expected = one.exactly.has(text) ? 'allow' : 'deny';
      return asked(request, at, (engine) => answerOf(engine, request, at).outcome === expected);
    });
  });
}

function inspected(engine: CompiledEngine, request: DecisionRequest, now: number): Inspection | undefined {
  try {
    return engine.inspect(request, now);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
