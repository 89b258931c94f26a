import { expect, it } from 'vitest';
import { DecisionClient } from './decision-client.js';
import { FakeDecisionPoint } from './testing.js';

it('tells a span what was decided, how often it was tried and what failed, and nothing of what was asked', async () => {
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
