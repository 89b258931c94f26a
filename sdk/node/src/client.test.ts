import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Reply, type ScriptedServer, startScriptedServer } from '../testing/scripted-server.js';
import { type ClientOptions, ServiceClient } from './client.js';
import type { ServiceError } from './service-error.js';

const QUESTION = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'invoice', name: 'INV-1' },
};
const YES = { decision: true, context: { reason: 'because', policy_id: 'p', access_path: 'role' } };
const DECISION = {
  allowed: true,
  decided: true,
  reason: 'because',
  policyId: 'p',
  accessPath: 'role',
  context: YES.context,
};
const AUTHORIZE = 'POST /access/v1/evaluation';

let server: ScriptedServer;
beforeEach(async () => {
  server = await startScriptedServer();
});
afterEach(() => server.close());

const client = (options: Partial<ClientOptions> = {}): ServiceClient =>
  new ServiceClient({ url: server.url, retries: 0, ...options });

const refused = (work: Promise<unknown>): Promise<ServiceError> =>
  work.then(
    () => expect.fail('it was not refused'),
    (error) => error,
  );

describe('requests', () => {
  it('asks a question in its natural shape and gives the response object', async () => {
    server.script(AUTHORIZE, { json: YES });
    expect(await client().decide(QUESTION, { requestId: 'r-1' })).toEqual(DECISION);
    const [request] = server.received;
    expect(JSON.parse(request?.body ?? '')).toEqual(QUESTION);
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': 'r-1' });
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  it('takes what is undefined, and does not send it', async () => {
    server.script(AUTHORIZE, { json: YES });
    const request: { ip?: string; user?: { level: number | undefined } } = {};
    await client().decide({ ...QUESTION, context: { ip: request.ip, user: { level: request.user?.level } } });
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ ...QUESTION, context: { user: {} } });
  });

  it.each(['/', '/prefix', '/prefix/'])('takes a base address that ends in "%s"', async (end) => {
    server.script(`POST ${end.replace(/\/$/, '')}/access/v1/evaluation`, { json: YES });
    expect(await client({ url: server.url + end }).decide(QUESTION)).toEqual(DECISION);
  });

  it('sends an API key as bearer token', async () => {
    server.script('GET /v1/whoami', { json: { tenant: {}, credential: {}, scopes: [] } });
    await client({ credentials: { apiKey: 'svc_abc' } }).whoami();
    expect(server.received[0]?.headers.authorization).toBe('Bearer svc_abc');
  });

  it('names each change-set by a key of its own, or by the one given', async () => {
    server.script('POST /v1/changesets', { json: { revision: '1.0' } });
    await client().changeset({ changes: [] });
    await client().changeset({ changes: [] });
    await client().changeset({ changes: [] }, { idempotencyKey: 'mine' });
    const keys = server.received.map((request) => request.headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe('mine');
  });

  it('reads the state, and nothing when it has not moved', async () => {
    const state = { tenant: 'acme', revision: '7.0123456789abcdef', records: [] };
    server.script('GET /v1/state', { json: state }, { status: 304 });
    expect(await client().state()).toEqual(state);
    expect(await client().state({ ifNoneMatch: state.revision })).toBeUndefined();
    expect(server.received[1]?.headers['if-none-match']).toBe('"7.0123456789abcdef"');
  });

  it('hands the bundle over as bytes, whatever they are', async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 0xff, 0x00, 0x80]);
    server.script('GET /v1/policies/bundle', (response) => {
      response.writeHead(200, { 'content-type': 'application/gzip', etag: '"7"' }).end(bytes);
    });
    expect(await client().bundle()).toEqual({ etag: '"7"', bytes: new Uint8Array(bytes) });
  });

  it('walks tenants and audit by their cursors', async () => {
    server.script('GET /v1/tenants', { json: { items: [{ name: 'a' }], next_cursor: 'c 1' } });
    server.script('GET /v1/tenants?cursor=c+1', { json: { items: [{ name: 'b' }] } });
    const names: string[] = [];
    for await (const tenant of client().tenants.list()) names.push(tenant.name);
    expect(names).toEqual(['a', 'b']);

    server.script('GET /v1/audit?limit=1', { json: { items: [{ revision: 2 }], next_cursor: 'x' } });
    server.script('GET /v1/audit?limit=1&cursor=x', { json: { items: [{ revision: 1 }] } });
    const revisions: unknown[] = [];
    for await (const entry of client().audit({ limit: 1 })) revisions.push(entry.revision);
    expect(revisions).toEqual([2, 1]);

    server.script('GET /v1/audit/tenants', { json: { items: [{ op: 'delete' }], next_cursor: 'x' } });
    server.script('GET /v1/audit/tenants?cursor=x', { json: { items: [{ op: 'create' }] } });
    const events: unknown[] = [];
    for await (const { op } of client().tenantAudit()) events.push(op);
    expect(events).toEqual(['delete', 'create']);
  });
});

describe('what is no answer of the service', () => {
  const problem = {
    code: 'invalid_records',
    detail: 'bad',
    errors: [{ pointer: '/changes/0', detail: 'x', address: 'role/a' }],
  };
  const problemJson = { 'content-type': 'application/problem+json' };

  it.each([
    [
      'a problem keeps code, detail, errors and request id',
      { status: 422, json: { ...problem, request_id: 'r9' }, headers: problemJson },
      { ...problem, requestId: 'r9' },
    ],
    [
      'a code that this client does not know is internal',
      { status: 418, json: { code: 'teapot', detail: 'short' } },
      { code: 'internal', detail: 'short' },
    ],
    [
      'an inherited name is no code',
      { status: 400, json: { code: 'toString', detail: 'x' } },
      { code: 'invalid_request' },
    ],
    [
      'JSON without a detail names the URL',
      { status: 500, json: {} },
      { code: 'internal', detail: expect.stringMatching(/POST http.*\/access\/v1\/evaluation answered 500/) },
    ],
    ...[429, 502, 503, 504].flatMap((status) =>
      [{ message: 'busy' }, { error: 'busy' }, { code: 'busy' }].map((json): [string, Reply, object] => [
        `a proxy's ${status} in JSON with ${Object.keys(json)}`,
        { status, json },
        {
          code: 'network',
          detail: expect.stringMatching(new RegExp(`answered ${status} .*a proxy on the way is busy`)),
        },
      ]),
    ),
    [
      'an HTML page with an error',
      { status: 404, text: '<html>' },
      { code: 'network', detail: expect.stringMatching(/http.*answered 404 with text\/html instead of JSON.*proxy/) },
    ],
    [
      'an HTML page with 200',
      { status: 200, text: '<html>' },
      { code: 'network', detail: expect.stringContaining('answered 200 with text/html') },
    ],
    [
      'broken JSON',
      { status: 200, text: '{"decision":', headers: { 'content-type': 'application/json' } },
      { code: 'network', detail: expect.stringContaining('JSON that cannot be used') },
    ],
    [
      'a redirect is not followed',
      { status: 307, headers: { location: 'http://127.0.0.1:9/elsewhere?token=x' } },
      {
        code: 'network',
        detail: expect.stringMatching(/answered 307 to http:\/\/127.0.0.1:9\/elsewhere: redirects are not followed/),
      },
    ],
  ] as const)('%s', async (_name, reply, expected) => {
    server.script(AUTHORIZE, reply);
    const error = await refused(client({ credentials: { apiKey: 'svc_abc' } }).decide(QUESTION));
    expect(error.name).toBe('ServiceError');
    expect(error).toMatchObject(expected);
    expect(server.received).toHaveLength(1);
  });

  it('a service that is not there is named with its address', async () => {
    const { url } = server;
    await server.close();
    expect(await refused(client({ url }).whoami())).toMatchObject({
      code: 'network',
      detail: `${url} cannot be reached: the connection was refused: is the service running there? (ECONNREFUSED)`,
    });
    server = await startScriptedServer();
  });
});

describe('secrets', () => {
  const apiKey = 'svc_very_secret';

  it.each([
    ['a line break in the key', { credentials: { apiKey: `${apiKey}\n` } }],
    ['an empty key', { credentials: { apiKey: '' } }],
    ['an empty client secret', { credentials: { clientId: 'a', clientSecret: '' } }],
    ['a password in the URL', { url: `http://user:${apiKey}@127.0.0.1` }],
    ['a password in what is no URL', { url: `http://user:${apiKey}@127.0.0.1:port` }],
    ['another scheme', { url: 'ftp://127.0.0.1' }],
    ['a query in the URL', { url: 'http://127.0.0.1?x=1' }],
    ['no URL', { url: 'localhost' }],
  ])('%s is refused at once, without being shown', (_name, options) => {
    const make = () => new ServiceClient({ url: server.url, ...options });
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_config' }));
    expect(make).not.toThrow(apiKey);
  });

  it('are in no inspection of the client', () => {
    const made = client({ credentials: { apiKey } });
    expect(inspect(made, { depth: 10, showHidden: true })).not.toContain(apiKey);
    expect(JSON.stringify(made)).not.toContain(apiKey);
    const oauth = client({ credentials: { clientId: 'a', clientSecret: apiKey } });
    expect(inspect(oauth, { depth: 10, showHidden: true })).not.toContain(apiKey);
  });

  it('are in no error, even when a server repeats them', async () => {
    const item = { pointer: '/x', detail: apiKey };
    server.script('GET /v1/whoami', {
      status: 401,
      json: { code: 'unauthorized', detail: `Bearer ${apiKey}?`, errors: [item] },
    });
    const error = await refused(client({ credentials: { apiKey } }).whoami());
    expect(error.detail).toBe('Bearer [redacted]?');
    expect(inspect(error, { depth: 10 })).not.toContain(apiKey);
  });

  it('a request id that no header can carry is refused', async () => {
    expect(await refused(client().whoami({ requestId: 'a\nb' }))).toMatchObject({ code: 'invalid_request' });
  });
});
