import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../testing/scripted-server.js';
import { ServiceClient } from './client.js';
import type { ServiceError } from './service-error.js';

let server: ScriptedServer;
let client: ServiceClient;
beforeEach(async () => {
  server = await startScriptedServer();
  client = new ServiceClient({ url: server.url, retries: 0 });
});
afterEach(() => server.close());

const [subject, action, resource] = [{ type: 'user', id: 'u' }, { name: 'read' }, { type: 'doc', id: 'd' }];
const sent = () => server.received.map(({ line, body }) => [line, JSON.parse(body)]);

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('a search', () => {
  it('walks the pages by their tokens, an empty page too', async () => {
    const who = { subject: { type: 'user' }, action, resource };
    const path = 'POST /access/v1/search/subject';
    server.script(
      path,
      { json: { page: { next_token: 't1' }, results: [{ type: 'user', id: 'a' }] } },
      { json: { page: { next_token: 't2' }, results: [] } },
      { json: { page: { next_token: '' }, results: [{ type: 'user', id: 'b' }] } },
    );
    expect(await all(client.searchSubjects(who, { limit: 1 }))).toEqual([
      { type: 'user', id: 'a' },
      { type: 'user', id: 'b' },
    ]);
    expect(sent()).toEqual([
      [path, { ...who, page: { limit: 1 } }],
      [path, { ...who, page: { limit: 1, token: 't1' } }],
      [path, { ...who, page: { limit: 1, token: 't2' } }],
    ]);
  });

  it('asks for no page where one is enough', async () => {
    server.script('POST /access/v1/search/resource', { json: { results: [resource] } });
    server.script('POST /access/v1/search/action', { json: { results: [action] } });
    expect(await all(client.searchResources({ subject, action, resource: { type: 'doc' } }))).toEqual([resource]);
    expect(await all(client.searchActions({ subject, resource }))).toEqual([action]);
    expect(sent().map(([, body]) => body)).toEqual([
      { subject, action, resource: { type: 'doc' } },
      { subject, resource },
    ]);
  });

  it('fetches no page that nobody wants', async () => {
    server.script('POST /access/v1/search/action', { json: { page: { next_token: 't' }, results: [action] } });
    for await (const found of client.searchActions({ subject, resource })) {
      expect(found).toEqual(action);
      break;
    }
    expect(server.received).toHaveLength(1);
  });

  it('says when the tenant has moved on', async () => {
    server.script('POST /access/v1/search/action', { status: 400, json: { code: 'invalid_cursor', detail: 'moved' } });
    const error = await all(client.searchActions({ subject, resource })).catch((problem: ServiceError) => problem);
    expect(error).toMatchObject({ code: 'invalid_cursor', detail: 'moved' });
  });
});

describe('a batch', () => {
  it('is sent as it is, and answered in order', async () => {
    const evaluations = [{ decision: true, context: {} }];
    server.script('POST /access/v1/evaluations', { json: { evaluations } });
    const options = { evaluations_semantic: 'permit_on_first_permit' } as const;
    const question = { subject, action, options, evaluations: [{ resource }, {}] };
    expect(await client.decideAll(question)).toMatchObject([
      { ok: true, decision: { allowed: true } },
      { ok: false, error: { code: 'not_evaluated' } },
    ]);
    expect(sent()).toEqual([['POST /access/v1/evaluations', question]]);
  });

  it('of nothing is not sent', async () => {
    expect(await client.decideAll({ subject, evaluations: [] })).toEqual([]);
    expect(server.received).toEqual([]);
  });
});

it('reads the metadata', async () => {
  const metadata = { policy_decision_point: server.url, access_evaluation_endpoint: `${server.url}/ask` };
  server.script('GET /.well-known/authzen-configuration', { json: metadata });
  expect(await client.metadata()).toEqual(metadata);
});
