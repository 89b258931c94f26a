import type { EngineRecord } from '@authz-service/core/decision/api/engine';
import { compileEngine } from '@authz-service/core/decision/compile-engine';
import { ProblemError } from '@authz-service/core/problem';
import { answerSearch } from '@authz-service/core/search/answer';
import { TenantSearch } from '@authz-service/core/search/tenant-search';
import { type ParsedDecisionRequest, parseDecisionRequest } from '@authz-service/core/wire/decision-request';
import { decisionResponse } from '@authz-service/core/wire/decision-response';
import { parseEvaluations } from '@authz-service/core/wire/evaluations-request';
import { answerEvaluations } from '@authz-service/core/wire/evaluations-response';
import { PROBLEM_STATUS } from '@authz-service/core/wire/problem-status';
import { parseSearch, type SearchKind } from '@authz-service/core/wire/search-request';
import { describe, it } from 'vitest';
import { type AskAuthzen, type AuthzenCase, check, loadAuthzen } from './authzen-cases.js';
import { idsOf } from './load.js';

/** A decision point made of nothing but core. */
function pointOf(records: readonly EngineRecord[]): AskAuthzen {
  const engine = compileEngine(records);
  const search = new TenantSearch(engine);
  const now = Date.now();
  const decide = (asked: ParsedDecisionRequest) => engine.decide(asked, now);
  const answer = (path: AuthzenCase['path'], body: unknown) => {
    if (path === 'evaluation') return decisionResponse(decide(parseDecisionRequest(body)));
    if (path === 'evaluations') {
      const asked = parseEvaluations(body);
      if (!('items' in asked)) return decisionResponse(decide(asked));
      return finished(
        answerEvaluations(asked, (item) => (item instanceof ProblemError ? item : caught(() => decide(item)))),
      );
    }
    const asked = parseSearch(path.slice('search/'.length) as SearchKind, body);
    return finished(answerSearch({ search, tenant: 't', revision: '1' }, asked, { now, clock: () => 0 }));
  };
  return (path, body) => {
    const outcome = caught(() => answer(path, body));
    return outcome instanceof ProblemError
      ? { status: PROBLEM_STATUS[outcome.code], body: outcome }
      : { status: 200, body: JSON.parse(JSON.stringify(outcome)) };
  };
}

function caught<T>(work: () => T): T | ProblemError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

function finished<T>(steps: Generator<undefined, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

describe.each(loadAuthzen().map((tenant) => [`${tenant.file}: ${tenant.about}`, tenant] as const))(
  '%s',
  (_, tenant) => {
    const ask = pointOf(tenant.records);
    it.each(tenant.cases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
      await check(one, ask, idsOf(tenant.records));
    });
  },
);
