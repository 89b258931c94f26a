import { request as httpRequest } from 'node:http';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { DigestSet } from '@authz-service/core/state/digest-set';
import type { BundleState } from '@authz-service/embedded/bundle/bundle-state';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serveAgent } from '../../testing/served-agent.js';
import type { AgentMetrics } from '../metrics.js';

const record = (kind: string, id: string, fields: object) => ({ kind, id, fields }) as unknown as EngineRecord;
const policy = (name: string, actions: string[], condition?: string) =>
  record('policy', `${name}-id`, { name, effect: 'ALLOW', priority: 0, resource_type: 'a/doc', actions, condition });

const RECORDS = [
  record('resource_type', 't', { application: 'a', name: 'doc', actions: ['read', 'burn'] }),
  record('resource', 'd-id', { type: 'a/doc', name: 'd' }),
  ...['u', 'v'].map((id) => record('subject', id, { type: 'user', id })),
  policy('read', ['read']),
  policy('burn', ['burn'], 'context.pin > 1'),
  policy('sing', ['sing']),
  record('policy_assignment', '', {
    policy: 'sing',
    entity_type: 'subject',
    entity: 'user/u',
    expires_at: '2026-06-01T00:00:00.000Z',
  }),
  ...['u', 'v'].flatMap((id) =>
    ['read', 'burn'].map((name) =>
      record('policy_assignment', '', { policy: name, entity_type: 'subject', entity: `user/${id}` }),
    ),
  ),
];

let url: string;
let metrics: AgentMetrics;
let state: BundleState;
let logged: string[];
let decisions: string[];
let close: () => void;

beforeEach(async () => {
  ({ url, metrics, state, logged, decisions, close } = await serveAgent('https://pdp.example.com'));
});

afterEach(() => close());

function serve(revision: string): void {
  const engine = compileEngine(RECORDS);
  const tenant = { id: 'tenant', name: 'acme' };
  state.replaced({
    engine,
    search: new TenantSearch(engine),
    tenant,
    revision,
    digest: 'd',
    digests: new DigestSet(),
    activatedBy: 'bundle',
    bundleRevision: revision,
    issuedAt: '2026-01-01T00:00:00.000Z',
    signedBy: 'bundle-1',
  });
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
type Answer = { status: number; headers: Headers; json: any };

async function ask(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${url}/access/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, json: await response.json() };
}

/** The decisions counted and the evaluations timed. */
async function counted(): Promise<[number, number]> {
  const text = await metrics.text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'gm'))].reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
  return [sum('service_agent_decisions_total'), sum('service_agent_decision_duration_seconds_count')];
}

const QUESTION = {
  subject: { type: 'user', id: 'u' },
  action: { name: 'read' },
  resource: { type: 'doc', id: 'd' },
};

describe('evaluations', () => {
  it('are answered in order, each counted, timed and logged as a decision', async () => {
    serve('1.a');
    const { status, headers, json } = await ask('evaluations', {
      ...QUESTION,
      evaluations: [{}, { subject: { type: 'user', id: 'x' } }, { resource: {} }],
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-request-id')).toBe('r-1');
    expect(json.evaluations.map(({ decision }: { decision: boolean }) => decision)).toEqual([true, false, false]);
    expect(await counted()).toEqual([3, 2]);
    const lines = decisions.map((line) => JSON.parse(line));
    expect(lines.map(({ msg, decision, subject_id }) => [msg, decision, subject_id])).toEqual([
      ['decision', true, 'u'],
      ['decision', false, 'x'],
      ['decision', false, ''],
    ]);
    expect(logged).toEqual([]);
  });

  it('are decided at one moment, whatever the clock does meanwhile', async () => {
    serve('1.a');
    let ms = Date.parse('2026-06-01T00:00:00Z') - 1;
    vi.spyOn(state, 'now').mockImplementation(() => ms++);
    const sing = { ...QUESTION, action: { name: 'sing' }, evaluations: [{}, {}, {}] };
    const decided = async () => (await ask('evaluations', sing)).json.evaluations;
    expect(await decided()).toEqual([{ decision: true }, { decision: true }, { decision: true }]);
    expect(await decided()).toEqual([{ decision: false }, { decision: false }, { decision: false }]);
  });

  it('that fail are denials in their place, and their causes go to the log', async () => {
    serve('1.a');
    const evaluations = [{ action: { name: 'burn' }, context: { pin: 'x' } }, {}];
    const { status, json } = await ask('evaluations', { ...QUESTION, evaluations });
    expect(status).toBe(200);
    expect(json.evaluations).toMatchObject([
      { decision: false, context: { error: { status: 500, code: 'evaluation_failed' } } },
      { decision: true },
    ]);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({
      level: 'ERROR',
      msg: expect.stringContaining('evaluation failed'),
      request_id: 'r-1',
      action: 'burn',
    });
    expect(logged).toHaveLength(1);
    expect(decisions.map((line) => JSON.parse(line).resource_id)).toEqual(['d-id', 'd-id']);
  });

  it('without a list are one decision, with its own status', async () => {
    serve('1.a');
    expect((await ask('evaluations', { ...QUESTION, evaluations: [] })).json).toEqual(
      (await ask('evaluation', QUESTION)).json,
    );
    const failing = { ...QUESTION, action: { name: 'burn' }, context: { pin: 'x' } };
    expect((await ask('evaluations', failing)).status).toBe(500);
    expect((await ask('evaluations', { subject: {} })).status).toBe(400);
    expect(await counted()).toEqual([4, 3]);
  });

  it('are refused as a whole, and counted as one, where the whole is malformed', async () => {
    serve('1.a');
    for (const body of ['', '{', { ...QUESTION, evaluations: 1 }, { ...QUESTION, subject: 'u', evaluations: [{}] }]) {
      const { status, json, headers } = await ask('evaluations', body);
      expect({ status, code: json.code }).toEqual({ status: 400, code: 'invalid_request' });
      expect(headers.get('x-request-id')).toBe('r-1');
    }
    expect(await counted()).toEqual([4, 0]);
  });
});

describe('a search', () => {
  it('finds subjects, resources and actions, and counts as no decision', async () => {
    serve('1.a');
    expect((await ask('search/subject', QUESTION)).json).toEqual({
      results: [
        { type: 'user', id: 'u' },
        { type: 'user', id: 'v' },
      ],
    });
    expect((await ask('search/resource', QUESTION)).json).toEqual({ results: [{ type: 'doc', id: 'd' }] });
    const burning = await ask('search/action', { ...QUESTION, context: { pin: 2 } }, { 'x-request-id': 'é' });
    expect(burning.json).toEqual({ results: [{ name: 'burn' }, { name: 'read' }] });
    expect(burning.headers.get('x-request-id')).toBe('é');
    expect((await ask('search/action', { ...QUESTION, context: { pin: 'x' } })).json.results).toEqual([
      { name: 'read' },
    ]);
    expect(await counted()).toEqual([0, 0]);
    expect([logged, decisions]).toEqual([[], []]);
  });

  it('takes a page token for its own request and revision alone', async () => {
    serve('1.a');
    const { json } = await ask('search/subject', { ...QUESTION, page: { limit: 1 } });
    const page = { token: json.page.next_token };
    const next = await ask('search/subject', { ...QUESTION, page });
    expect(next.json).toEqual({ page: { next_token: '', count: 1 }, results: [{ type: 'user', id: 'v' }] });
    const refused = async (body: object) => {
      const { status, json: problem } = await ask('search/subject', body);
      return [status, problem.code];
    };
    expect(await refused({ ...QUESTION, action: { name: 'burn' }, page })).toEqual([400, 'invalid_cursor']);
    serve('2.b');
    expect(await refused({ ...QUESTION, page })).toEqual([400, 'invalid_cursor']);
  });

  it.each(['subject', 'resource', 'action'])('for a %s refuses what is malformed', async (kind) => {
    serve('1.a');
    for (const body of ['', '{', [], {}, { ...QUESTION, page: { limit: -1 } }, { ...QUESTION, context: 1 }])
      expect((await ask(`search/${kind}`, body)).status).toBe(400);
    expect((await ask(`search/${kind}`, QUESTION, { 'content-type': 'text/plain' })).status).toBe(400);
    expect(logged).toEqual([]);
  });
});

describe.each(['evaluation', 'evaluations', 'search/subject', 'search/resource', 'search/action'])(
  'POST /access/v1/%s',
  (path) => {
    it('answers nothing before there is a bundle', async () => {
      const { status, json } = await ask(path, QUESTION);
      expect({ status, code: json.code }).toEqual({ status: 503, code: 'not_ready' });
    });

    it('is the only method', async () => {
      const response = await fetch(`${url}/access/v1/${path}`);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    });

    it('takes no parameter, which would look as if it meant something', async () => {
      serve('1.a');
      const { status, json } = await ask(`${path}?tenant=other`, QUESTION);
      expect({ status, code: json.code }).toEqual({ status: 400, code: 'invalid_request' });
      expect(json.detail).toBe(
        `The query parameter "tenant" is not known: /access/v1/${path} takes no query parameters.`,
      );
      expect((await ask(`${path}?`, QUESTION)).status).toBe(200);
    });

    it('stops reading a body over 1 MiB', async () => {
      serve('1.a');
      const { status } = await ask(path, { ...QUESTION, context: { fill: 'x'.repeat(1 << 20) } });
      expect(status).toBe(413);
    });
  },
);

describe('the metadata', () => {
  it('names the configured address, whatever host a request names', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const sent = httpRequest(
        `${url}/.well-known/authzen-configuration`,
        { headers: { host: 'evil.example' } },
        (response) => {
          expect(response.statusCode).toBe(200);
          expect(response.headers).toMatchObject({
            'content-type': 'application/json',
            'cache-control': 'public, max-age=300',
          });
          response.setEncoding('utf8').on('data', resolve);
        },
      );
      sent.on('error', reject).end();
    });
    const base = 'https://pdp.example.com';
    expect(JSON.parse(text)).toEqual({
      policy_decision_point: base,
      access_evaluation_endpoint: `${base}/access/v1/evaluation`,
      access_evaluations_endpoint: `${base}/access/v1/evaluations`,
      search_subject_endpoint: `${base}/access/v1/search/subject`,
      search_resource_endpoint: `${base}/access/v1/search/resource`,
      search_action_endpoint: `${base}/access/v1/search/action`,
    });
  });
});
