import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Decision, Explanation } from '@authz-service/core/access/api/decision';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { ProblemError } from '@authz-service/core/problem';
import type { DecisionRequest } from '@authz-service/core/request';
import { DigestSet } from '@authz-service/core/state/digest-set';
import type { BundleState } from '@authz-service/embedded/bundle/bundle-state';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveAgent } from '../../testing/served-agent.js';
import type { AgentMetrics } from '../metrics.js';

const FAULT = { code: 'network', detail: 'away' };

const ALLOWED: Decision = {
  decision: true,
  reason: 'policy/p allows it',
  access_path: 'role',
  policy_id: 'p-id',
  policy: 'policy/p',
  resource_id: 'r-id',
};
const DENIED: Decision = { decision: false, reason: 'no policy matched', access_path: 'none' };

/** Answers by the subject's id: alice is allowed, bob causes an error, carl is ambiguous, dora causes a crash. */
const engine = Object.assign(compileEngine([]), {
  decide: ({ subject }: DecisionRequest) => {
    if (subject.id === 'alice') return ALLOWED;
    if (subject.id === 'bob') {
      throw new ProblemError('evaluation_failed', 'policy/q failed', [], { cause: new Error('no such overload') });
    }
    if (subject.id === 'carl') throw new ProblemError('ambiguous_name', 'fits two');
    if (subject.id === 'dora') throw new TypeError('secret inner workings');
    return DENIED;
  },
  explain: (): Explanation => ({ ...ALLOWED, candidates: [] }),
  resourceId: ({ resource }: DecisionRequest) => (resource.id === 'INV-1' ? 'r-id' : undefined),
});

let port: number;
let metrics: AgentMetrics;
let state: BundleState;
let logged: string[];
let decisions: string[];
let close: () => void;

beforeEach(async () => {
  ({ port, metrics, state, logged, decisions, close } = await serveAgent());
});

afterEach(() => close());

const ready = () => {
  state.replaced({
    engine,
    search: new TenantSearch(compileEngine([])),
    tenant: { id: 't', name: 'acme' },
    revision: '1.a',
    bundleRevision: '1.a',
    digest: 'd',
    digests: new DigestSet(),
    activatedBy: 'bundle',
    issuedAt: '2026-01-01T00:00:00.000Z',
    signedBy: 'bundle-1',
  });
  state.syncSucceeded();
};

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  json: any;
}

function ask(options: RequestOptions, body?: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const json = response.headers['content-type']?.includes('json') && text !== '' ? JSON.parse(text) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    sent.on('error', reject);
    // Sent as bytes, because Node would send a non-ASCII head in UTF-8 together with a string.
    sent.end(Buffer.from(body ?? ''));
  });
}

const asking = (subject: string, more = {}) =>
  JSON.stringify({
    subject: { type: 'user', id: subject, properties: { pin: '0000' } },
    resource: { type: 'invoice', id: 'INV-1' },
    action: { name: 'read' },
    ...more,
  });

const authorize = (body: string | Buffer, headers: Record<string, string> = {}) =>
  ask({ method: 'POST', path: '/v1/authorize', headers: { 'content-type': 'application/json', ...headers } }, body);

const calls = async () =>
  Object.fromEntries(
    [
      ...(await metrics.text()).matchAll(
        /^service_agent_decisions_total\{allowed="(\w+)",access_path="(\w+)"\} (\d+)$/gm,
      ),
    ]
      .filter(([, , , count]) => count !== '0')
      .map(([, allowed, path, count]) => [`${allowed} ${path}`, Number(count)]),
  );

const evaluations = async () =>
  [
    ...(await metrics.text()).matchAll(/^service_agent_decision_duration_seconds_count\{allowed="(\w+)"\} (\d+)$/gm),
  ].map(([, allowed, count]) => `${allowed} ${count}`);

describe('POST /v1/authorize', () => {
  it('answers a decision, counts it, times it and logs it field by field', async () => {
    ready();
    const answer = await authorize(asking('alice'), { 'x-request-id': 'req-1' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': 'req-1' });
    expect(answer.json).toEqual({
      decision: true,
      context: { reason: 'policy/p allows it', policy_id: 'p-id', access_path: 'role' },
    });
    expect(await calls()).toEqual({ 'true role': 1 });
    expect(await evaluations()).toEqual(['true 1', 'false 0']);

    const line = JSON.parse(decisions[0] ?? '');
    expect(line).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: 'INFO',
      msg: 'decision',
      subject_id: 'alice',
      resource_id: 'r-id',
      action: 'read',
      decision: true,
      reason: 'policy/p allows it',
      access_path: 'role',
      policy_id: 'p-id',
      ms: expect.any(Number),
      id: expect.stringMatching(/^[0-9a-f]{12}\.1$/),
      request_id: 'req-1',
    });
    expect(decisions).toEqual([expect.stringMatching(/^\{.*\}\n$/)]);
  });

  it('answers a denial as a 200 without a policy', async () => {
    ready();
    const answer = await authorize(asking('eve'));
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ decision: false, context: { reason: 'no policy matched', access_path: 'none' } });
    expect(answer.headers['x-request-id']).toBeUndefined();
    expect(await calls()).toEqual({ 'false none': 1 });
    expect(JSON.parse(decisions[0] ?? '')).toMatchObject({ resource_id: 'INV-1', policy_id: '', decision: false });
  });

  it('explains on request', async () => {
    ready();
    const answer = await authorize(asking('alice', { options: { explain: true } }));
    expect(answer.json.context.explanation).toEqual({ candidates: [] });
  });

  it('grants nothing while there is no bundle', async () => {
    const answer = await authorize(asking('alice'));
    expect(answer.status).toBe(503);
    expect(answer.json).toMatchObject({ code: 'not_ready', status: 503 });
    expect(await calls()).toEqual({ 'false none': 1 });
    expect(await evaluations()).toEqual(['true 0', 'false 0']);
    expect(JSON.parse(decisions[0] ?? '')).toMatchObject({
      subject_id: 'alice',
      resource_id: 'INV-1',
      action: 'read',
      decision: false,
    });
  });

  it('refuses what is malformed before it tells that there is no bundle', async () => {
    expect((await authorize('{}')).status).toBe(400);
    expect(JSON.parse(decisions[0] ?? '')).toMatchObject({ subject_id: '', resource_id: '', action: '' });
  });

  it.each([
    ['the id of the record, also when the evaluation fails', 'bob', { type: 'invoice', id: 'INV-1' }, 'r-id'],
    ['the id of the record, also when a name is ambiguous', 'carl', { type: 'invoice', id: 'INV-1' }, 'r-id'],
    ['the id as sent where no record has it', 'bob', { type: 'invoice', id: 'INV-2' }, 'INV-2'],
    ['nothing where no record has the name', 'bob', { type: 'invoice', name: 'INV-2' }, ''],
  ])('logs as resource %s', async (_, subject, resource, id) => {
    ready();
    await authorize(asking(subject, { resource }));
    expect(JSON.parse(decisions[0] ?? '')).toMatchObject({ subject_id: subject, resource_id: id, decision: false });
  });

  it.each<[string, string | Buffer, Record<string, string>, RegExp]>([
    ['no body', '', {}, /is empty/],
    ['broken JSON', '{"subject":', {}, /not valid JSON/],
    ['a list', '[]', {}, /an object is expected/],
    ['null', 'null', {}, /an object is expected/],
    ['no subject', '{"resource":{"type":"t","id":"1"},"action":{"name":"a"}}', {}, /subject/],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, /not UTF-8/],
    ['depth without end', '['.repeat(500_000), {}, /deeper than 100 levels/],
    [
      'one level too many',
      asking('alice', { context: JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`) }),
      {},
      /deeper/,
    ],
    ['another content type', asking('alice'), { 'content-type': 'text/plain' }, /"text\/plain": send JSON as/],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, /send JSON as/],
    ['no content type', asking('alice'), { 'content-type': '' }, /send JSON as/],
    ['a body said to be compressed', asking('alice'), { 'content-encoding': 'gzip' }, /"gzip": send it without/],
    ['a member given twice', asking('alice').replace('"id"', '"id":"bob","\\u0069d"'), {}, /gives \/subject\/id more/],
    [
      'properties that disagree',
      asking('alice', { resource: { type: 't', id: '1', attributes: { a: 1 }, properties: { a: 2 } } }),
      {},
      /differs/,
    ],
    ['half a character', '{"subject":{"id":"\\ud800"}}', {}, /lone surrogate/],
  ])('refuses %s with 400', async (_, body, headers, detail) => {
    ready();
    const answer = await authorize(body, { ...headers, 'x-request-id': 'req-2' });
    expect(answer.status).toBe(400);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/problem+json', 'x-request-id': 'req-2' });
    expect(answer.json).toMatchObject({
      type: 'urn:authz-service:problem:invalid_request',
      title: expect.any(String),
      status: 400,
      code: 'invalid_request',
      detail: expect.stringMatching(detail),
      request_id: 'req-2',
    });
    expect(await calls()).toEqual({ 'false none': 1 });
    expect(decisions).toHaveLength(1);
    expect(logged).toEqual([]);
  });

  it('takes a content type with parameters, in any case', async () => {
    ready();
    expect((await authorize(asking('alice'), { 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(200);
  });

  it('counts as depth what nests, and not what stands in texts or side by side', async () => {
    ready();
    const context = {
      nested: JSON.parse(`${'['.repeat(97)}${']'.repeat(97)}`),
      text: '[{"\\"'.repeat(200),
      many: Array.from({ length: 200 }, () => [{}]),
    };
    expect((await authorize(asking('alice', { context }))).status).toBe(200);
  });

  it('answers what the request leaves open with 400', async () => {
    ready();
    const answer = await authorize(asking('carl'));
    expect(answer.status).toBe(400);
    expect(answer.json.code).toBe('ambiguous_name');
    expect(logged).toEqual([]);
  });

  it('answers a failed evaluation with 500, and logs its cause without the subject', async () => {
    ready();
    const answer = await authorize(asking('bob'));
    expect(answer.status).toBe(500);
    expect(answer.json).toMatchObject({ code: 'evaluation_failed', detail: 'policy/q failed' });
    expect(await calls()).toEqual({ 'false none': 1 });
    expect(await evaluations()).toEqual(['true 0', 'false 1']);
    const line = JSON.parse(logged[0] ?? '');
    expect(line).toMatchObject({
      level: 'ERROR',
      msg: expect.stringContaining('evaluation failed'),
      error: 'policy/q failed',
      request_id: answer.json.request_id,
      resource_type: 'invoice',
    });
    expect(line).not.toHaveProperty('err');
    expect(line.time).toMatch(/^\d{4}-.*Z$/);
    expect(logged.join()).not.toMatch(/bob|0000/);
  });

  it('shows an unexpected error only in the log', async () => {
    ready();
    const answer = await authorize(asking('dora'));
    expect(answer.status).toBe(500);
    expect(answer.json.code).toBe('internal');
    expect(answer.text).not.toContain('inner workings');
    expect(JSON.parse(logged[0] ?? '').err).toMatchObject({
      message: 'secret inner workings',
      stack: expect.any(String),
    });
  });

  it('takes a body of exactly 1 MiB and refuses one byte more with 413, on a connection that goes on', async () => {
    ready();
    const filled = (length: number) => {
      const empty = asking('alice', { context: { fill: '' } });
      return empty.replace('"fill":""', `"fill":"${'x'.repeat(length - empty.length)}"`);
    };
    expect((await authorize(filled(1 << 20))).status).toBe(200);
    const answer = await authorize(filled((1 << 20) + 1), { connection: 'keep-alive' });
    expect(answer.status).toBe(413);
    expect(answer.json).toMatchObject({
      code: 'payload_too_large',
      detail: 'The body is larger than 1 MiB, the maximum here: send less.',
    });
    expect(answer.headers.connection).toBe('keep-alive');
    expect(await calls()).toEqual({ 'true role': 1, 'false none': 1 });
  });

  it.each([
    ['of a known length', 'Content-Length: 1000000000', 'x'.repeat(1 << 20)],
    ['in chunks', 'Transfer-Encoding: chunked', `100000\r\n${'x'.repeat(1 << 20)}\r\n`],
  ])('answers a body without end, %s, with 413, and ends the connection', async (_, header, piece) => {
    ready();
    const socket = connect(port, '127.0.0.1');
    const answer = text(socket);
    socket.write(`POST /v1/authorize HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${header}\r\n\r\n`);
    const more = (error?: Error | null) => {
      if (!error && socket.writable) socket.write(piece, more);
    };
    more();
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(await answer).toMatch(/Connection: close/i);
  });

  it.each([
    ['of bytes beyond ASCII', 'req-äö-\u00ff'],
    ['that is long', 'x'.repeat(10_000)],
    ['that looks like something else', '{"a": "b"}'],
  ])('echoes a request id %s as it came', async (_, id) => {
    ready();
    expect((await authorize(asking('alice'), { 'x-request-id': id })).headers['x-request-id']).toBe(id);
    expect((await authorize('', { 'x-request-id': id })).headers['x-request-id']).toBe(id);
  });
});

describe('the other routes', () => {
  it('reports health as long as the process is up', async () => {
    const cold = await ask({ path: '/healthz', headers: { 'x-request-id': 'h-1' } });
    expect(cold.status).toBe(200);
    expect(cold.headers['x-request-id']).toBe('h-1');
    expect(cold.json).toEqual({ ...state.health(), sync_age_seconds: expect.any(Number) });
    ready();
    expect((await ask({ path: '/healthz' })).json).toMatchObject({ status: 'ok', bundle_revision: '1.a' });
  });

  it('is ready once a bundle has loaded', async () => {
    const cold = await ask({ path: '/readyz' });
    expect(cold.status).toBe(503);
    expect(cold.json.code).toBe('not_ready');
    ready();
    expect((await ask({ path: '/readyz' })).status).toBe(200);
    state.syncFailed(FAULT);
    expect((await ask({ path: '/readyz' })).status).toBe(200);
  });

  it('shows metrics in the text exposition format', async () => {
    const answer = await ask({ path: '/metrics' });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(answer.text).toContain('service_agent_up 1');
  });

  it.each([
    ['GET', '/', 404, 'not_found'],
    ['GET', '/v1/authorize/', 404, 'not_found'],
    ['POST', '/constructor', 404, 'not_found'],
    ['GET', '//healthz', 404, 'not_found'],
    ['GET', '/v1/authorize', 405, 'method_not_allowed'],
    ['POST', '/healthz', 405, 'method_not_allowed'],
    ['DELETE', '/metrics', 405, 'method_not_allowed'],
  ])('answers %s %s with %i', async (method, path, status, code) => {
    const answer = await ask({ method, path, headers: { 'x-request-id': 'req-3' } });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['x-request-id']).toBe('req-3');
    expect(answer.json).toMatchObject({ code, status });
    expect(answer.headers.allow).toBe(status === 405 ? (path === '/v1/authorize' ? 'POST' : 'GET, HEAD') : undefined);
    expect(await calls()).toEqual({});
  });

  it('overlooks a query and answers HEAD', async () => {
    expect((await ask({ path: '/healthz?probe=1' })).status).toBe(200);
    const head = await ask({ method: 'HEAD', path: '/healthz' });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
  });

  it.each(['http://pdp.example/healthz', 'HTTPS://pdp.example:8181/healthz?probe=1'])(
    'answers a request that names the whole address: %s',
    async (path) => expect((await ask({ path })).json).toMatchObject({ status: expect.any(String) }),
  );
});
