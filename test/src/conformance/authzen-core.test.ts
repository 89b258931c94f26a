import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import type { EndpointCall } from '@authz-service/pdp/endpoints/endpoint';
import { ENDPOINTS } from '@authz-service/pdp/endpoints/endpoints';
import { PROBLEM_STATUS } from '@authz-service/pdp/transport/problem-status';
import { describe, it } from 'vitest';
import { type AskAuthzen, check, loadAuthzen } from './authzen-cases.js';
import { idsOf } from './load.js';

/** A decision point without HTTP. */
function pointOf(records: readonly EngineRecord[]): AskAuthzen {
  const engine = compileEngine(records);
  const search = new TenantSearch(engine);
  const call: EndpointCall = {
    now: Date.now(),
    engine: () => engine,
    run: async (work) => finished(work({ id: 't', revision: '1', engine, search })),
    evaluated: () => {},
    ageWithin: () => undefined,
    publicUrl: () => '',
  };
  return async (path, body) => {
    const endpoint = ENDPOINTS.find((one) => one.path === `/access/v1/${path}`);
    try {
      const answer = await endpoint?.answer(endpoint.parse(body), call);
      return { status: 200, body: JSON.parse(JSON.stringify(answer)) };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { status: PROBLEM_STATUS[error.code], body: error };
    }
  };
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
