import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../testing/scripted-server.js';
import { type ClientOptions, ServiceClient } from './client.js';

const ONE = 'POST /access/v1/evaluation';
const MANY = 'POST /access/v1/evaluations';

let server: ScriptedServer;
beforeEach(async () => {
  server = await startScriptedServer();
});
afterEach(() => server.close());

const client = (options: Partial<ClientOptions> = {}) =>
  new ServiceClient({ url: server.url, retries: 0, batching: true, ...options });
const question = (id: string) => ({
  subject: { type: 'user', id },
  action: { name: 'read' },
  resource: { type: 'invoice', id: 'INV-1' },
});
const allow = (reason: string) => ({ decision: true, context: { reason } });
const sizes = () => server.received.map(({ body }) => JSON.parse(body).evaluations?.length ?? 1);

describe('calls of one turn of the event loop', () => {
  it('join into one request, and each caller gets its own answer with its reason', async () => {
    server.script(MANY, {
      json: {
        evaluations: [
          allow('for a'),
          { decision: false },
          { decision: false, context: { error: { status: 500, code: 'evaluation_failed', message: 'broken' } } },
        ],
      },
    });
    const asking = client();
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((id) => asking.decide(question(id))));
    expect(outcomes).toMatchObject([
      { value: { allowed: true, reason: 'for a' } },
      { value: { allowed: false } },
      { reason: { code: 'evaluation_failed', detail: 'broken' } },
    ]);
    expect(server.received.map(({ body }) => JSON.parse(body))).toEqual([
      { evaluations: ['a', 'b', 'c'].map(question), options: { reasons: true } },
    ]);
  });

  it('are cut into chunks, and a single one goes alone', async () => {
    server.script(MANY, { json: { evaluations: [allow('1'), allow('2')] } });
    server.script(ONE, { json: allow('3') });
    const asking = client({ batching: { max: 2 } });
    const decisions = await Promise.all(['a', 'b', 'c'].map((id) => asking.decide(question(id))));
    expect(decisions.map(({ reason }) => reason)).toEqual(['1', '2', '3']);
    expect(sizes().sort()).toEqual([1, 2]);
  });

  it('keep apart what asks for an explanation', async () => {
    server.script(ONE, { json: allow('x') });
    const asking = client();
    await Promise.all([asking.decide(question('a')), asking.decide({ ...question('b'), options: { explain: true } })]);
    expect(sizes()).toEqual([1, 1]);
  });

  it('lose nothing by one caller that gives up', async () => {
    server.script(MANY, (response) => {
      abort.abort(reason);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ evaluations: [allow('a'), allow('b')] }));
    });
    const abort = new AbortController();
    const reason = new Error('enough');
    const asking = client();
    const [left, stayed] = await Promise.allSettled([
      asking.decide(question('a'), { signal: abort.signal }),
      asking.decide(question('b')),
    ]);
    expect(left).toMatchObject({ status: 'rejected', reason });
    expect(stayed).toMatchObject({ value: { allowed: true, reason: 'b' } });
  });

  it('end each by its own deadline', async () => {
    server.script(MANY, 'hang');
    const asking = client({ decisionTimeoutMs: 100 });
    const outcomes = await Promise.allSettled([
      asking.decide(question('a'), { timeoutMs: 20 }),
      asking.decide(question('b')),
      asking.decide(question('c'), { orDeny: true }),
    ]);
    expect(outcomes).toMatchObject([
      { reason: { code: 'timeout', detail: expect.stringContaining('0.02 s') } },
      { reason: { code: 'timeout' } },
      { value: { allowed: false, decided: false, error: { code: 'timeout' } } },
    ]);
  });

  it.each([404, 405, 501])('go singly from then on where batches are answered with %i', async (status) => {
    server.script(MANY, { status, json: { message: 'no' } });
    server.script(ONE, { json: allow('alone') });
    const asking = client();
    for (let turn = 0; turn < 2; turn += 1) {
      const decisions = await Promise.all(['a', 'b'].map((id) => asking.decide(question(id))));
      expect(decisions.map(({ reason }) => reason)).toEqual(['alone', 'alone']);
    }
    expect(server.count(MANY)).toBe(1);
    expect(server.count(ONE)).toBe(4);
  });

  it('are asked singly where the whole is refused for the fault of one', async () => {
    server.script(MANY, { status: 400, json: { code: 'invalid_request', detail: 'bad' } });
    server.script(ONE, { json: allow('alone') });
    const asking = client();
    const decisions = await Promise.all(['a', 'b'].map((id) => asking.decide(question(id))));
    expect(decisions.every(({ allowed }) => allowed)).toBe(true);
  });

  it('could not be decided, all of them, where the batch could not', async () => {
    server.script(MANY, { status: 503, json: { code: 'not_ready', detail: 'No bundle yet.' } });
    const asking = client();
    const outcomes = await Promise.allSettled(['a', 'b'].map((id) => asking.decide(question(id))));
    expect(outcomes).toMatchObject([{ reason: { code: 'not_ready' } }, { reason: { code: 'not_ready' } }]);
  });
});

describe('discovery', () => {
  it('asks where the metadata says, once read for all calls', async () => {
    server.script('GET /.well-known/authzen-configuration', {
      json: { policy_decision_point: server.url, access_evaluation_endpoint: `${server.url}/elsewhere/ask` },
    });
    server.script('POST /elsewhere/ask', { json: allow('there') });
    const asking = client({ discover: true });
    const decisions = await Promise.all(['a', 'b'].map((id) => asking.decide(question(id))));
    expect(decisions.map(({ reason }) => reason)).toEqual(['there', 'there']);
    expect(server.count('GET /.well-known/authzen-configuration')).toBe(1);
  });

  it.each(['/.well-known/authzen-configuration/pdp', '/pdp/.well-known/authzen-configuration'])(
    'finds the metadata of a decision point below a path at %s',
    async (path) => {
      const url = `${server.url}/pdp`;
      server.script(`GET ${path}`, {
        json: { policy_decision_point: url, access_evaluation_endpoint: `${url}/ask` },
      });
      if (!path.endsWith('/pdp'))
        server.script('GET /.well-known/authzen-configuration/pdp', { status: 404, json: {} });
      server.script('POST /pdp/ask', { json: allow('there') });
      expect(await client({ url, discover: true }).decide(question('a'))).toMatchObject({ reason: 'there' });
    },
  );

  it('asks nothing of an endpoint elsewhere', async () => {
    server.script('GET /.well-known/authzen-configuration', {
      json: { policy_decision_point: server.url, access_evaluation_endpoint: 'http://127.0.0.1:1/ask' },
    });
    await expect(client({ discover: true }).decide(question('a'))).rejects.toMatchObject({ code: 'network' });
    expect(server.received).toHaveLength(1);
  });
});

describe('more questions than a request may hold', () => {
  const all = (count: number) => Array.from({ length: count }, (_, index) => question(String(index)));
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const { evaluations } = JSON.parse(String(init?.body));
    bodies.push(evaluations.length);
    return Response.json({ evaluations: evaluations.map((one: Asked) => ({ decision: one.subject.id !== '1100' })) });
  };
  type Asked = ReturnType<typeof question>;
  let bodies: number[] = [];
  beforeEach(() => {
    bodies = [];
  });

  it('go in several, and the outcomes come in order', async () => {
    const outcomes = await client({ fetch }).decideAll({ evaluations: all(2_001) });
    expect(bodies).toEqual([1_000, 1_000, 1]);
    expect(outcomes.map((one) => one.ok && one.decision.allowed).indexOf(false)).toBe(1_100);
    expect(outcomes).toHaveLength(2_001);
  });

  it('end with the request in which the semantic ends', async () => {
    const evaluations = all(3_000);
    const options = { evaluations_semantic: 'deny_on_first_deny' } as const;
    const short = async (url: unknown, init?: RequestInit): Promise<Response> => {
      const answered = (await (await fetch(url, init)).json()) as { evaluations: { decision: boolean }[] };
      const end = answered.evaluations.findIndex(({ decision }) => !decision);
      return Response.json({ evaluations: end < 0 ? answered.evaluations : answered.evaluations.slice(0, end + 1) });
    };
    const outcomes = await client({ fetch: short }).decideAll({ evaluations, options });
    expect(bodies).toEqual([1_000, 1_000]);
    expect(outcomes).toHaveLength(3_000);
    expect(outcomes[1_100]).toMatchObject({ ok: true, decision: { allowed: false } });
    expect(outcomes[2_999]).toMatchObject({ ok: false, error: { code: 'not_evaluated' } });
  });

  it('name a question by its place among all of them', async () => {
    const evaluations = [...all(1_001), { ...all(1)[0], context: { n: Number.NaN } }];
    await expect(client({ fetch }).decideAll({ evaluations })).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('/evaluations/1001/context/n'),
      errors: [{ pointer: '/evaluations/1001/context/n' }],
    });
  });

  it('share the deadline of the call', async () => {
    const hanging = async (url: unknown, init?: RequestInit): Promise<Response> =>
      bodies.length < 1
        ? fetch(url, init)
        : new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    const asked = { evaluations: all(1_001) };
    const outcomes = await client({ fetch: hanging }).decideAll(asked, { timeoutMs: 200, orDeny: true });
    expect(outcomes[999]).toMatchObject({ decision: { allowed: true } });
    expect(outcomes[1_000]).toMatchObject({ decision: { allowed: false, decided: false, error: { code: 'timeout' } } });
  });
});
