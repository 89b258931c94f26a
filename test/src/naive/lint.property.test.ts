import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import { ProblemError } from '@authz-service/core/problem';
import { lintRecords } from '@authz-service/core/questions/lint/lint-records';
import { addressOf, type DeclaredRecord } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { crowdedTenant } from './generate.js';
import { request } from './random-requests.js';

const DEAD = ['vacuous-policy', 'redundant-policy', 'shadowed-policy', 'overridden-policy'];
const moments = fc.constantFrom(0, 999, 1000, 1499, 1500, 2000, 3000);

function isAllowed(engine: CompiledEngine, question: DecisionRequest, now: number): boolean {
  try {
    return engine.decide(question, now).decision;
  } catch (error) {
    if (error instanceof ProblemError) return false;
    throw error;
  }
}

it('calls policies dead only if nobody is allowed more or less without them', () => {
  const asked = fc.array(fc.tuple(request, moments), { minLength: 40, maxLength: 40 });
  let dead = 0;
  fc.assert(
    fc.property(crowdedTenant, asked, (tenant, questions) => {
      const records = tenant.map((one) => ({ ...one, address: addressOf(one.kind, one.fields) }) as DeclaredRecord);
      const findings = lintRecords(records, 0).filter(
        ({ rule, certainty }) => certainty === 'proven' && DEAD.includes(rule),
      );
      if (findings.length === 0) return;
      const original = compileEngine(tenant);
      for (const { address } of findings) {
        dead++;
        const path = address.slice('policy/'.length);
        const without = compileEngine(
          tenant.filter(({ kind, fields }) => {
            if (kind === 'policy_assignment' && 'policy' in fields) return fields.policy !== path;
            return addressOf(kind, fields) !== address;
          }),
        );
        for (const [question, now] of questions)
          expect(isAllowed(without, question, now)).toBe(isAllowed(original, question, now));
      }
    }),
    { numRuns: 30, endOnFailure: true },
  );
  expect(dead).toBeGreaterThan(10);
});
