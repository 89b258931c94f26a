import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { ProblemError } from '@authz-service/core/problem';
import { addressOf, type DeclaredRecord } from '@authz-service/core/records/registry';
import { validateRecords } from '@authz-service/core/state/validate';
import { parseQuestion } from '@authz-service/pdp/endpoints/question';
import { describe, expect, it } from 'vitest';
import { type ConformanceCase, idsOf, loadConformance, momentOf, withIds } from './load.js';

function outcome(records: readonly EngineRecord[], one: ConformanceCase, explain: boolean) {
  try {
    const request = parseQuestion(withIds(one.request, idsOf(records)));
    const engine = compileEngine(records);
    return explain ? engine.explain(request, momentOf(one)) : engine.decide(request, momentOf(one));
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

function check(records: readonly EngineRecord[], one: ConformanceCase, explain = false): void {
  const got = outcome(records, one, explain);
  const wanted = one.expect;
  if ('error' in wanted) {
    expect(got).toMatchObject({ code: wanted.error });
    if (!(got instanceof ProblemError)) return;
    for (const part of wanted.detail ?? []) expect(got.detail).toContain(part);
    const pointers = got.errors.map((item) => item.pointer).sort();
    if (wanted.pointers !== undefined) expect(pointers).toEqual([...wanted.pointers].sort());
    return;
  }
  if (got instanceof ProblemError) throw got;
  expect({ decision: got.decision, access_path: got.access_path, policy: got.policy }).toEqual({
    decision: wanted.decision,
    access_path: wanted.access_path,
    policy: wanted.policy,
  });
  if (wanted.reason !== undefined) expect(got.reason).toBe(wanted.reason);
  expect(got.policy_id).toBe(wanted.policy === undefined ? undefined : idsOf(records)(wanted.policy));
}

describe.each(loadConformance().map((tenant) => [`${tenant.file}: ${tenant.about}`, tenant] as const))(
  '%s',
  (_, tenant) => {
    it.each(tenant.cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
      check(tenant.records, one);
    });

    it('holds records that a service takes', () => {
      const view = new Map(tenant.records.map((record) => [addressOf(record.kind, { ...record.fields }), record]));
      const found = validateRecords(
        { get: (address) => view.get(address) as DeclaredRecord | undefined, inbound: () => [] },
        view.keys(),
      );
      expect(found.filter(({ severity }) => severity === 'error')).toEqual([]);
    });

    it('answers the same with the records backwards, and explained', () => {
      const backwards = [...tenant.records].reverse();
      for (const one of tenant.cases) {
        check(backwards, one);
        check(tenant.records, one, true);
      }
    });
  },
);
