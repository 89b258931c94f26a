import { expect, it } from 'vitest';
import { ServiceClient } from './client.js';
import { DecisionClient } from './decision-client.js';
import { FakeDecisionPoint } from './testing.js';

/** A tracer, and the spans that it has started. */
function recorded() {
  const spans: { name: string; attributes: Record<string, unknown>; status?: unknown; ended: boolean }[] = [];
  const tracer = {
    startSpan: (name: string) => {
      const span = { name, attributes: {} as Record<string, unknown>, status: undefined as unknown, ended: false };
      spans.push(span);
      return {
        setAttribute: (key: string, value: unknown) => {
          span.attributes[key] = value;
        },
        setStatus: (status: unknown) => {
          span.status = status;
        },
        end: () => {
          span.ended = true;
        },
      };
    },
  };
  return { spans, tracer };
}

it('tells a span what was decided, how often it was tried and what failed, and nothing of what was asked', async () => {
  const { spans, tracer } = recorded();
  const point = new FakeDecisionPoint([
    { subject: 'user:alice', answer: 'allow' },
    { subject: 'user:bob', answer: 503 },
  ]);
  const client = new DecisionClient({
    url: 'http://decision-point.test',
    tracer,
    retries: 1,
    fetch: async (input, init) => {
      const response = await point.fetch(input, init);
      if (response.ok) response.headers.set('service-revision', '7.x');
      return response;
    },
  });
  const resource = { type: 'invoice', id: 'INV-1' };
  await client.decide({ subject: { type: 'user', id: 'alice' }, action: { name: 'read' }, resource });
  await client.decide({ subject: { type: 'user', id: 'bob' }, action: { name: 'read' }, resource }, { orDeny: true });
  expect(spans).toEqual([
    {
      name: 'authz decide',
      attributes: { 'authz.decision': true, 'authz.revision': '7.x', 'authz.attempts': 1 },
      status: undefined,
      ended: true,
    },
    {
      name: 'authz decide',
      attributes: { 'error.type': 'not_ready', 'authz.attempts': 2 },
      status: { code: 2 },
      ended: true,
    },
  ]);
  expect(JSON.stringify(spans)).not.toMatch(/alice|bob|INV-1/);
});

it('starts a span for each joined decision beside that of its batch, and for each page of a search', async () => {
  const { spans, tracer } = recorded();
  const point = new FakeDecisionPoint([{ subject: 'user:alice', answer: 'allow' }]);
  const client = new DecisionClient({
    url: 'http://decision-point.test',
    tracer,
    batching: true,
    fetch: async (input, init) => {
      const response = String(input).includes('/search/')
        ? Response.json({ results: [] })
        : await point.fetch(input, init);
      response.headers.set('service-revision', '7.x');
      return response;
    },
  });
  const alice = { type: 'user', id: 'alice' };
  const ask = (id: string) =>
    client.decide({ subject: alice, action: { name: 'read' }, resource: { type: 'invoice', id } });
  await Promise.all([ask('INV-1'), ask('INV-2')]);
  await client.searchActions({ subject: alice, resource: { type: 'invoice', id: 'INV-1' } }).next();
  const decided = { 'authz.decision': true, 'authz.revision': '7.x' };
  const sent = { 'authz.revision': '7.x', 'authz.attempts': 1 };
  expect(spans.map(({ name, attributes }) => [name, attributes])).toEqual([
    ['authz decide', decided],
    ['authz decide', decided],
    ['authz decide_all', sent],
    ['authz search', sent],
  ]);
});

it('tells a span of a management call its route, and not whom its path names', async () => {
  const { spans, tracer } = recorded();
  const client = new ServiceClient({
    url: 'http://cloud.test',
    tracer,
    fetch: async () => Response.json({}, { headers: { 'service-revision': '7.x' } }),
  });
  await client.records('subject').get('user/alice');
  await client.state();
  expect(spans.map(({ name, attributes }) => [name, attributes])).toEqual([
    ['authz GET /v1/subjects/{id}', { 'authz.revision': '7.x', 'authz.attempts': 1 }],
    ['authz GET /v1/state', { 'authz.revision': '7.x', 'authz.attempts': 1 }],
  ]);
});
