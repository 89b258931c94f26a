import type { Engine, EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { ProblemError } from '@authz-service/core/problem';
import type { DecisionRequest } from '@authz-service/core/request';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, type NaiveAnswer } from './evaluate.js';
import { crowdedTenant, tenant } from './generate.js';
import { request } from './random-requests.js';

function answerOf(ask: () => ReturnType<Engine['decide']>): NaiveAnswer {
  try {
    const { decision, access_path, policy, policy_id } = ask();
    return { decision, access_path, ...(policy !== undefined && { policy, policy_id }) } as NaiveAnswer;
  } catch (error) {
    if (error instanceof ProblemError) return { error: error.code } as NaiveAnswer;
    throw error;
  }
}

/** Moments before, at, between and after the expiries that tenants are made with. */
const moments = fc.constantFrom(0, 999, 1000, 1499, 1500, 2000, 3000);

const shuffled = (records: EngineRecord[], seed: number) =>
  [...records]
    .map((record, at) => ({ record, key: Math.imul(at + 1, seed | 1) >>> 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ record }) => record);

const withoutField = (record: EngineRecord, name: string): EngineRecord =>
  ({ ...record, fields: { ...record.fields, [name]: undefined } }) as unknown as EngineRecord;

const withoutBelow = (record: EngineRecord): EngineRecord => {
  if (record.kind !== 'policy' || !('resources' in record.fields)) return record;
  const resources = record.fields.resources?.map((covered) => ({ ...covered, below: undefined }));
  return { ...record, fields: { ...record.fields, resources } } as unknown as EngineRecord;
};

const withCondition = (record: EngineRecord, call: RegExp, instead: string): EngineRecord => {
  const { condition, ...fields } = record.fields as { condition?: string };
  if (condition === undefined) return record;
  return { ...record, fields: { ...fields, condition: condition.replace(call, instead) } } as unknown as EngineRecord;
};

/** The tenant without one of the means by which records say who may do what. */
const WITHOUT: Record<string, (record: EngineRecord) => EngineRecord[]> = {
  starts_at: (record) => [withoutField(record, 'starts_at')],
  suspension: (record) => [withoutField(withoutField(record, 'suspended'), 'suspended_until')],
  unless: (record) => [withoutField(record, 'unless')],
  includes: (record) => [withoutField(record, 'includes')],
  everyone: (record) => ('entity_type' in record.fields && record.fields.entity_type === 'everyone' ? [] : [record]),
  'roles on resources': (record) => ('role' in record.fields && record.fields.resource !== undefined ? [] : [record]),
  parents: (record) => (record.kind === 'resource' ? [withoutField(record, 'parents')] : [record]),
  'parents of types': (record) => (record.kind === 'resource_type' ? [withoutField(record, 'parents')] : [record]),
  below: (record) => [withoutBelow(record)],
  from_requests: (record) => [withoutField(record, 'from_requests')],
  resource_types: (record) => ('resource_types' in record.fields ? [] : [record]),
  in_group: (record) => [withCondition(record, /subject.in_group\([^)]*\)/g, 'false')],
  has_role: (record) => [withCondition(record, /subject.has_role\([^)]*\)/g, 'false')],
  ip_in: (record) => [withCondition(record, /ip_in\([^)]*\)/g, 'false')],
  since: (record) => [withCondition(record, /^since\(.*$/, 'false')],
  ancestor: (record) => [withCondition(record, /^resource.ancestors?\(.*$/, 'false')],
};

const KINDS_OF_ANSWERS = [
  ...['true direct', 'true role', 'true group', 'false direct', 'false role', 'false group', 'false none'],
  ...['ambiguous_name', 'evaluation_failed', 'invalid_request'],
];

/** `SERVICE_PROPERTY_FACTOR=60` asks more than a million questions, in about half an hour. */
const FACTOR = Number(process.env.SERVICE_PROPERTY_FACTOR ?? 1);
const HOURS = 3_600_000;

describe.each([
  { size: 'small', tenants: tenant, runs: 3000 * FACTOR, often: 100 },
  { size: 'crowded', tenants: crowdedTenant, runs: 150 * FACTOR, often: 5 },
])(
  'the engine and a naive evaluation of the rules, on $size tenants',
  { timeout: FACTOR > 1 ? 2 * HOURS : undefined },
  ({ size, tenants, runs, often }) => {
    it('agree, whatever the order of records', () => {
      const seen = new Map<string, number>();
      const questions = fc.array(fc.tuple(request, moments), { minLength: 4, maxLength: 8 });
      fc.assert(
        fc.property(tenants, questions, fc.integer(), (records, asked, seed) => {
          const engine = compileEngine(records);
          const other = compileEngine(shuffled(records, seed));
          for (const [one, now] of asked) {
            const wanted = evaluate(records, one, now);
            expect(answerOf(() => engine.decide(one, now))).toEqual(wanted);
            expect(answerOf(() => other.decide(one, now))).toEqual(wanted);
            expect(answerOf(() => engine.explain(one, now))).toEqual(wanted);
            const kind = 'error' in wanted ? wanted.error : `${wanted.decision} ${wanted.access_path}`;
            seen.set(kind, (seen.get(kind) ?? 0) + 1);
          }
        }),
        { numRuns: runs },
      );
      // The comparison is worth something only where all kinds of answers come up often.
      const asked = [...seen.values()].reduce((sum, count) => sum + count, 0);
      const allowed = ['direct', 'role', 'group'].reduce((sum, path) => sum + (seen.get(`true ${path}`) ?? 0), 0);
      expect(allowed / asked).toBeGreaterThan(0.25);
      for (const kind of KINDS_OF_ANSWERS) expect(seen.get(kind) ?? 0, `answers "${kind}"`).toBeGreaterThan(often);
    });

    // In a crowd hardly anything hangs on one of them.
    it.runIf(size === 'small')('are asked about tenants in which each of the means decides often', () => {
      const decisive = new Map<string, number>();
      fc.assert(
        fc.property(tenants, request, moments, (records, asked, now) => {
          const answer = JSON.stringify(evaluate(records, asked, now));
          for (const [means, without] of Object.entries(WITHOUT)) {
            const other = JSON.stringify(evaluate(records.flatMap(without), asked, now));
            if (answer !== other) decisive.set(means, (decisive.get(means) ?? 0) + 1);
          }
        }),
        { numRuns: runs },
      );
      for (const means of Object.keys(WITHOUT))
        expect(decisive.get(means) ?? 0, `answers that hang on ${means}`).toBeGreaterThan(runs / 100);
    });

    it('give the same reason and candidates whatever the order of records', () => {
      const told = (engine: Engine, asked: DecisionRequest, now: number): unknown => {
        try {
          return [engine.decide(asked, now), engine.explain(asked, now)];
        } catch (error) {
          return (error as ProblemError).detail;
        }
      };
      fc.assert(
        fc.property(tenants, request, moments, fc.integer(), (records, asked, now, seed) => {
          const other = compileEngine(shuffled(records, seed));
          expect(told(other, asked, now)).toEqual(told(compileEngine(records), asked, now));
        }),
        { numRuns: runs / 2 },
      );
    });
  },
);
