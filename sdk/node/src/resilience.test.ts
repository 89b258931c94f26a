import { setTimeout as later } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Reply, type ScriptedServer, startScriptedServer } from '../testing/scripted-server.js';
import { startVectorServer } from '../testing/vector-server.js';
import { type ClientOptions, ServiceClient } from './client.js';
import { backoffMs, retryAfterMs } from './retry.js';
import type { ServiceError } from './service-error.js';

const QUESTION = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'invoice', name: 'INV-1' },
};
const YES = { decision: true };
const AUTHORIZE = 'POST /access/v1/evaluation';

let server: ScriptedServer;
beforeEach(async () => {
  server = await startScriptedServer();
  vi.spyOn(Math, 'random').mockReturnValue(0.001);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

const client = (options: Partial<ClientOptions> = {}): ServiceClient =>
  new ServiceClient({ url: server.url, retries: 2, ...options });

const refused = (work: Promise<unknown>): Promise<ServiceError> =>
  work.then(
    () => expect.fail('it was not refused'),
    (error) => error,
  );

const status = (code: number, headers: Record<string, string> = {}): Reply => ({
  status: code,
  json: { code: 'internal', detail: `status ${code}` },
  headers,
});

const OPERATIONS = {
  read: ['GET /v1/roles/a', () => client().records('role').get('a')],
  decision: [AUTHORIZE, () => client().decide(QUESTION)],
  changeset: ['POST /v1/changesets', () => client().changeset({ changes: [] })],
  create: ['POST /v1/roles', () => client().records('role').create({ name: 'a' })],
  update: ['PATCH /v1/roles/a', () => client().records('role').update('a', { description: 'x' })],
  delete: ['DELETE /v1/roles/a', () => client().records('role').delete('a')],
} as const satisfies Record<string, readonly [string, () => Promise<unknown>]>;
type Operation = keyof typeof OPERATIONS;

const HARMLESS: Operation[] = ['read', 'decision', 'changeset'];
const WRITES: Operation[] = ['create', 'update', 'delete'];
const ALL: Operation[] = [...HARMLESS, ...WRITES];

it('takes bytes after an answer for no answer to another question', async () => {
  const after = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 17\r\n\r\n{"decision":true}';
  const no = { status: 200, headers: { 'content-type': 'application/json' }, json: { decision: false }, after };
  const vectors = await startVectorServer(Array.from({ length: 40 }, () => ({ reply: no })));
  const asking = client({ url: vectors.url });
  for (let turn = 0; turn < 10; turn += 1) {
    expect(await asking.decide(QUESTION).catch(() => undefined)).not.toMatchObject({ allowed: true });
  }
  await vectors.close();
});

describe('a passing fault', () => {
  it.each([
    [429, status(429), ALL, []],
    [503, status(503), ALL, []],
    [502, status(502), HARMLESS, WRITES],
    [504, status(504), HARMLESS, WRITES],
    ['an HTML 502 of a proxy', { status: 502, text: '<html>' }, HARMLESS, WRITES],
    ['a reset connection', 'reset', HARMLESS, WRITES],
    [500, status(500), [], ALL],
    [400, status(400), [], ALL],
    [409, status(409), [], ALL],
    ['a redirect', status(307), [], ALL],
  ] as [unknown, Reply, Operation[], Operation[]][])(
    '%s is tried again only where that is safe',
    async (_name, fault, again, not) => {
      for (const operation of again) {
        const [line, run] = OPERATIONS[operation];
        server.script(line, fault, { json: { items: [], decision: true } });
        await run();
        expect(server.count(line), operation).toBe(2);
      }
      for (const operation of not) {
        const [line, run] = OPERATIONS[operation];
        const before = server.count(line);
        server.script(line, fault, { json: { items: [], decision: true } });
        await refused(run());
        expect(server.count(line) - before, operation).toBe(1);
      }
    },
  );

  it('that lasts is given up after the retries, with the last problem', async () => {
    server.script(AUTHORIZE, status(503));
    expect(await refused(client().decide(QUESTION))).toMatchObject({ detail: 'status 503' });
    expect(server.count(AUTHORIZE)).toBe(3);
  });

  it('repeats a change-set under the same key', async () => {
    server.script('POST /v1/changesets', 'reset', status(502), { json: {} });
    await client().changeset({ changes: [] });
    expect(new Set(server.received.map((request) => request.headers['idempotency-key'])).size).toBe(1);
    expect(server.received).toHaveLength(3);
  });

  it.each(WRITES)('that leaves open whether a %s was done says so', async (operation) => {
    const [line, run] = OPERATIONS[operation];
    server.script(line, 'reset');
    expect(await refused(run())).toMatchObject({
      code: 'network',
      detail: expect.stringContaining('It is not known whether the change was made'),
    });
    server.script(line, status(429));
    expect((await refused(run())).detail).not.toContain('not known');
  });

  it('a connection that is refused is tried again even for writes', async () => {
    const attempts: string[] = [];
    const counting: typeof fetch = (url, init) => {
      attempts.push(String(url));
      return fetch(url, init);
    };
    const { url } = server;
    await server.close();
    await refused(client({ url, fetch: counting }).records('role').create({ name: 'a' }));
    expect(attempts).toHaveLength(3);
    server = await startScriptedServer();
  });
});

describe('Retry-After', () => {
  it.each([
    ['seconds', '2', 2000],
    ['a date', 'Thu, 01 Jan 1970 00:01:00 GMT', 60_000],
    ['a date that is past', 'Wed, 31 Dec 1969 00:00:00 GMT', 0],
    ['nothing', null, 0],
    ['nonsense', 'soon', 0],
    ['a negative number', '-5', 0],
  ])('%s', (_name, header, ms) => {
    expect(retryAfterMs(header, 0)).toBe(ms);
  });

  it('is waited for', async () => {
    server.script(AUTHORIZE, status(429, { 'retry-after': '1' }), { json: YES });
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await client().decide(QUESTION);
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(1000);
  });

  it.each([
    ['beyond the time of a decision', '31', {}],
    ['beyond the time of the whole call', '5', { decisionTimeoutMs: 4000 }],
  ])('%s: the refusal is handed on at once', async (_name, seconds, options) => {
    server.script(AUTHORIZE, status(503, { 'retry-after': seconds }), { json: {} });
    expect(await refused(client(options).decide(QUESTION))).toMatchObject({ detail: 'status 503' });
    expect(server.received).toHaveLength(1);
  });
});

it('waits grow exponentially, are random over their whole length, and bounded', () => {
  expect([0, 1, 2, 3].map((attempt) => backoffMs(200, attempt, () => 1))).toEqual([200, 400, 800, 1600]);
  expect(backoffMs(200, 3, () => 0.25)).toBe(400);
  expect(backoffMs(200, 60, () => 1)).toBe(10_000);
});

describe('time', () => {
  it('an attempt without an answer ends by its timeout', async () => {
    server.script(AUTHORIZE, 'hang');
    // Counted here: on a busy machine the time may be over before the server has heard of the attempt.
    const attempts = vi.fn(fetch);
    expect(await refused(client({ attemptTimeoutMs: 30, retries: 1, fetch: attempts }).decide(QUESTION))).toMatchObject(
      {
        code: 'timeout',
        detail: `${AUTHORIZE.replace(' ', ` ${server.url}`)} had no answer within 0.03 s.`,
      },
    );
    expect(attempts).toHaveBeenCalledTimes(2);
  });

  it('a decision ends after two seconds, the time that the client has for one, or that of the call', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      server.script(AUTHORIZE, 'hang');
      server.script('POST /access/v1/evaluations', 'hang');
      const evaluations = { ...QUESTION, evaluations: [{}] };
      for (const [ask, seconds] of [
        [
          () => client({ attemptTimeoutMs: 9000 }).decide(QUESTION),
          '2 s, the deadline of a decision (decisionTimeoutMs).',
        ],
        [() => client({ decisionTimeoutMs: 50 }).decideAll(evaluations), '0.05 s, the deadline of a decision (dec'],
        [() => client({ attemptTimeoutMs: 9000 }).decide(QUESTION, { timeoutMs: 3000 }), '3 s.'],
      ] as const) {
        const refusal = refused(ask());
        await vi.runOnlyPendingTimersAsync();
        expect(await refusal).toMatchObject({ code: 'timeout', detail: expect.stringContaining(`within ${seconds}`) });
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it('a body that stops in the middle ends by the timeout too', async () => {
    server.script(AUTHORIZE, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"decision":');
    });
    expect(await refused(client({ retries: 0 }).decide(QUESTION, { timeoutMs: 30 }))).toMatchObject({
      code: 'timeout',
    });
  });

  it('the whole call ends by its own, with what went wrong before', async () => {
    server.script(AUTHORIZE, status(503), 'hang');
    const error = await refused(client({ decisionTimeoutMs: 200, retries: 9 }).decide(QUESTION));
    expect(error).toMatchObject({ code: 'timeout', detail: expect.stringContaining('within 0.2 s') });
    expect(error.detail).toContain('status 503');
  });

  it('a write that timed out may have been done, and says so', async () => {
    server.script('POST /v1/roles', 'hang');
    const error = await refused(client({ managementTimeoutMs: 50 }).records('role').create({ name: 'a' }));
    expect(error).toMatchObject({ code: 'timeout', detail: expect.stringContaining('not known') });
  });
});

describe('a caller who gives up', () => {
  const reason = new Error('enough');

  it('before: nothing is sent', async () => {
    await expect(client().decide(QUESTION, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.received).toHaveLength(0);
  });

  it('while the answer is awaited', async () => {
    const abort = new AbortController();
    server.script(AUTHORIZE, () => abort.abort(reason));
    await expect(client().decide(QUESTION, { signal: abort.signal })).rejects.toBe(reason);
  });

  it('while another attempt is waited for', async () => {
    const abort = new AbortController();
    server.script(AUTHORIZE, (response) => {
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '20' }).end('{}');
      response.on('close', () => later(20).then(() => abort.abort(reason)));
    });
    await expect(
      client({ decisionTimeoutMs: 60_000, attemptTimeoutMs: 60_000 }).decide(QUESTION, { signal: abort.signal }),
    ).rejects.toBe(reason);
    expect(server.received).toHaveLength(1);
  });
});

describe('an answer that is held back', () => {
  const LIST = { enforced: true, complete: true };

  it.each([
    ['20 s unless told otherwise', 50, {}, {}, 20],
    ['no longer than wanted', 3, {}, {}, 3],
    ['two thirds of an attempt of the client', 50, { attemptTimeoutMs: 3_000 }, {}, 2],
    ['two thirds of an attempt of the call', 50, {}, { attemptTimeoutMs: 6_000 }, 4],
    ['two thirds of the time of the call', 50, {}, { timeoutMs: 9_000 }, 6],
    ['not at all where attempts are short', 50, { attemptTimeoutMs: 1_000 }, {}, 0],
  ])('may take %s', async (_, waitSeconds, ofClient, ofCall, sent) => {
    const line = `GET /v1/agents?wait=${sent}`;
    server.script(line, { json: LIST });
    expect(await client(ofClient).agents({ waitSeconds, ...ofCall })).toEqual(LIST);
  });

  it.each([
    ['unavailable', status(503)],
    ['busy', status(429)],
    ['away', 'reset'],
    ['behind a gateway that gave up', status(502)],
  ] as const)('is asked for again until it comes, though the cloud is %s for a while', async (_, fault) => {
    server.script('GET /v1/agents?enforces=7&wait=20', fault, fault, { json: LIST });
    expect(await client({ retries: 0 }).enforced('7', { timeoutMs: 60_000 })).toEqual(LIST);
  });

  it('is asked for again where an attempt had no answer', async () => {
    server.script('GET /v1/agents?enforces=7&wait=1', 'hang', { json: LIST });
    const impatient = client({ retries: 0, attemptTimeoutMs: 1_500 });
    expect(await impatient.enforced('7', { timeoutMs: 60_000 })).toEqual(LIST);
  });

  it('is not asked for again once the time has run out, or after a refusal', async () => {
    const away = 'GET /v1/agents?enforces=7&wait=0';
    server.script(away, status(503));
    const now = client({ retries: 0, attemptTimeoutMs: 1_000 });
    expect(await refused(now.enforced('7', { timeoutMs: 0 }))).toMatchObject({ status: 503 });
    expect(server.count(away)).toBe(1);
    const forbidden = 'GET /v1/agents?enforces=8&wait=20';
    server.script(forbidden, status(403));
    expect(await refused(client().enforced('8', { timeoutMs: 60_000 }))).toMatchObject({ status: 403 });
    expect(server.count(forbidden)).toBe(1);
  });
});
