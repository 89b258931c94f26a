import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import { ApplicationSlice } from '@authz-service/core/access/slice/application-slice';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import type { DecisionRequest } from '@authz-service/core/request';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { crowdedTenant, tenant } from './generate.js';
import { request } from './random-requests.js';

/** `SERVICE_PROPERTY_FACTOR=10` asks 200,000 questions. */
const FACTOR = Number(process.env.SERVICE_PROPERTY_FACTOR ?? 1);
const moments = fc.constantFrom(0, 999, 1000, 1499, 1500, 2000, 3000);

function answered(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    if (error instanceof ProblemError) return error.code;
    throw error;
  }
}

/** All that an answer says, but for what names records that are not of the slice. */
function answerOf(engine: CompiledEngine, asked: DecisionRequest, now: number): unknown {
  return answered(() => {
    const { decision, reason, access_path, policy, policy_id } = engine.decide(asked, now);
    return { decision, reason, access_path, policy, policy_id };
  });
}

function isOther(engine: CompiledEngine, { resource }: DecisionRequest, application: string): boolean {
  const named = engine.types.named(resource.type);
  const type = engine.types.qualified(resource.type, named) ?? (named.length > 1 ? undefined : named[0]?.entry);
  return type !== undefined && type.application !== application;
}

it.each([
  ['small', tenant, 1200],
  ['crowded', crowdedTenant, 60],
] as const)('a slice of a %s tenant answers as the whole does', (_size, tenants, runs) => {
  const questions = fc.array(fc.tuple(request, moments), { minLength: 6, maxLength: 10 });
  const seen = { allowed: 0, denied: 0, other: 0, smaller: 0 };
  fc.assert(
    fc.property(tenants, fc.constantFrom('a', 'a', 'b'), questions, (records, application, asked) => {
      const slice = finished(ApplicationSlice.of([application], records));
      const sliced = records.flatMap((record) => slice.recordOf(record) ?? []);
      if (sliced.length < records.length) seen.smaller++;
      const whole = compileEngine(records);
      const part = compileEngine(sliced, new Set([application]));
      for (const [one, now] of asked) {
        const other = isOther(whole, one, application);
        const wanted = other ? 'unknown_application' : answerOf(whole, one, now);
        expect(answerOf(part, one, now)).toEqual(wanted);
        if (other) seen.other++;
        else if ((wanted as { decision?: boolean }).decision) seen.allowed++;
        else seen.denied++;
      }
    }),
    { numRuns: runs * FACTOR },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs / 4);
});

it('is shaped by nothing else than what it says', () => {
  fc.assert(
    fc.property(tenant, tenant, fc.constantFrom('a', 'b'), (records, others, application) => {
      const slice = finished(ApplicationSlice.of([application], records));
      const calm = others.filter((record) => !slice.isShapedBy(record));
      const kept = new Map<string, EngineRecord>(records.map((record) => [JSON.stringify(record), record]));
      for (const record of calm) kept.set(JSON.stringify(record), record);
      const after = [...kept.values()];
      const next = finished(ApplicationSlice.of([application], after));
      for (const record of after) expect(slice.recordOf(record)).toEqual(next.recordOf(record));
    }),
    { numRuns: 700 * FACTOR },
  );
});
