import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import { describe, expect, it } from 'vitest';
import type { EndpointCall } from './endpoint.js';
import { ENDPOINTS } from './endpoints.js';

const record = (kind: string, fields: object) => ({ kind, id: `id of ${kind}`, fields }) as unknown as EngineRecord;
const engine = compileEngine([
  record('resource_type', { application: 'a', name: 'doc', actions: ['read', 'burn'] }),
  record('resource', { type: 'a/doc', name: 'd' }),
  record('subject', { type: 'user', id: 'u' }),
  record('policy', { name: 'p', effect: 'ALLOW', priority: 0, resource_type: 'a/doc', actions: ['read'] }),
  record('policy_assignment', { policy: 'p', entity_type: 'subject', entity: 'user/u' }),
]);
const view = { id: 't', revision: '1.a', engine, search: new TenantSearch(engine) };
const call: EndpointCall = {
  now: 0,
  engine: () => engine,
  run: async (work) => finished(work(view)),
  evaluated: () => {},
  ageWithin: () => undefined,
  publicUrl: () => 'https://pdp.example.com',
};

const [subject, resource] = [
  { type: 'user', id: 'u' },
  { type: 'doc', id: 'd' },
];
const question = { subject, action: { name: 'read' }, resource };
const BODIES: { [body: string]: object } = {
  'a question': question,
  'a question that is denied': { ...question, action: { name: 'burn' } },
  'a question to be explained': { ...question, options: { explain: true } },
  'several questions': { ...question, evaluations: [{}, { action: { name: 'burn' } }, { resource: {} }] },
  'several questions and their reasons': { ...question, options: { reasons: true }, evaluations: [{}, {}] },
  'a question and a page': { ...question, page: { limit: 1 } },
};

describe.each(ENDPOINTS.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_, endpoint) => {
  it.each(Object.entries(BODIES))('answers %s as its schema says', async (_, body) => {
    const answer = await endpoint.answer(endpoint.parse(body), call);
    expect(endpoint.response.schema.parse(answer)).toEqual(answer);
  });

  it.each([null, [], 'text', { ...question, context: 1 }, { ...question, subject: [], resource: [] }])(
    'refuses %j, as its schema does',
    (body) => {
      if (endpoint.request === undefined) return;
      expect(endpoint.request.safeParse(body).success).toBe(false);
      expect(() => endpoint.parse(body)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    },
  );
});
