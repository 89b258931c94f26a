import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../testing/scripted-server.js';
import { ServiceClient } from './client.js';
import { TokenSource } from './token-source.js';
import { Transport } from './transport.js';

const TOKEN = 'POST /oauth/token';
const WHOAMI = 'GET /v1/whoami';
const CLIENT = { clientId: 'ci', clientSecret: 'a:b c%ä' };
const ME = { json: { tenant: {}, credential: {}, scopes: [] } };

let server: ScriptedServer;
beforeEach(async () => {
  server = await startScriptedServer();
  server.script(WHOAMI, ME);
});
afterEach(() => server.close());

const token = (access_token: string, expires_in = 3600) => ({
  json: { access_token, token_type: 'Bearer', expires_in },
});
const client = () => new ServiceClient({ url: server.url, credentials: CLIENT, retries: 0 });
const transport = () =>
  new Transport({
    base: server.url,
    retryPolicy: { timeoutMs: 5000, attemptTimeoutMs: 5000, retries: 0, backoffMs: 1 },
    userAgent: 't',
    fetch,
  });
const bearers = () =>
  server.received.filter((request) => request.line === WHOAMI).map((request) => request.headers.authorization);

describe('tokens', () => {
  it('are fetched by client credentials, each part form-encoded (RFC 6749 section 2.3.1)', async () => {
    server.script(TOKEN, token('t1'));
    await client().whoami();
    const [request] = server.received;
    expect(request?.body).toBe('grant_type=client_credentials');
    expect(request?.headers['content-type']).toContain('application/x-www-form-urlencoded');
    const basic = Buffer.from(String(request?.headers.authorization).replace('Basic ', ''), 'base64').toString();
    expect(basic).toBe('ci:a%3Ab+c%25%C3%A4');
    expect(bearers()).toEqual(['Bearer t1']);
  });

  it('one serves all calls, however many start at once', async () => {
    server.script(TOKEN, token('t1'));
    const one = client();
    await Promise.all(Array.from({ length: 20 }, () => one.whoami()));
    await one.whoami();
    expect(server.count(TOKEN)).toBe(1);
    expect(bearers()).toHaveLength(21);
  });

  it('a caller who gives up does not take the token from the others', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    server.script(TOKEN, (response) => {
      abort.abort(reason);
      setImmediate(() =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token('t1').json)),
      );
    });
    const one = client();
    const [given, kept] = await Promise.allSettled([one.whoami({ signal: abort.signal }), one.whoami()]);
    expect(given).toMatchObject({ status: 'rejected', reason });
    expect(kept).toMatchObject({ status: 'fulfilled' });
    expect(server.count(TOKEN)).toBe(1);
  });

  it('are not asked for again where there is no token endpoint, as at an agent, which needs none', async () => {
    server.script(TOKEN, { status: 404, json: { code: 'not_found', detail: 'There is nothing at /oauth/token.' } });
    const one = client();
    await one.whoami();
    await one.whoami();
    expect(bearers()).toEqual([undefined, undefined]);
    expect(server.count(TOKEN)).toBe(1);
  });

  it('a caller who gives up need not wait for the token', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    server.script(TOKEN, () => abort.abort(reason));
    await expect(client().whoami({ signal: abort.signal })).rejects.toBe(reason);
  });

  it('one that is refused is replaced once, and the call repeated', async () => {
    server.script(TOKEN, token('t1'), token('t2'));
    const one = client();
    await one.whoami();
    server.script(WHOAMI, { status: 401, json: { code: 'unauthorized', detail: 'expired' } }, ME);
    await one.whoami();
    expect(bearers()).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2']);
  });

  it('many calls refused at once share the new one', async () => {
    server.script(TOKEN, token('t1'), token('t2'), token('t3'));
    const one = client();
    await one.whoami();
    server.script(WHOAMI, (response) => {
      const fresh = response.req.headers.authorization === 'Bearer t2';
      response.writeHead(fresh ? 200 : 401, { 'content-type': 'application/json' });
      response.end(fresh ? '{}' : '{"code":"unauthorized","detail":"expired"}');
    });
    await Promise.all(Array.from({ length: 10 }, () => one.whoami()));
    expect(server.count(TOKEN)).toBe(2);
  });

  it('a call replaces its token once, even when others renew it for it again and again', async () => {
    server.script(WHOAMI, { status: 401, json: { code: 'unauthorized', detail: 'no' } });
    const always = { get: async () => ({ header: 'Bearer t', reused: true }), discard: () => {}, secrets: () => [] };
    const sent = transport().send({ method: 'GET', path: '/v1/whoami', repeat: 'harmless' }, {}, always);
    await expect(sent).rejects.toMatchObject({ code: 'unauthorized' });
    expect(server.count(WHOAMI)).toBe(2);
  });

  it('a fresh one that is refused is not replaced again and again', async () => {
    server.script(TOKEN, token('t1'));
    server.script(WHOAMI, { status: 401, json: { code: 'unauthorized', detail: 'no' } });
    await expect(client().whoami()).rejects.toMatchObject({ code: 'unauthorized', detail: 'no' });
    expect(server.count(WHOAMI)).toBe(1);
  });

  it.each([
    [
      'refused credentials',
      { status: 401, json: { error: 'invalid_client', error_description: `bad a:b c%ä` } },
      {
        code: 'invalid_client',
        detail: expect.stringMatching(/\/oauth\/token refused \(invalid_client\): bad \[redacted\]\.$/),
      },
    ],
    ['another error', { status: 400, json: { error: 'invalid_scope' } }, { code: 'invalid_request' }],
    [
      'no token in the answer',
      { json: {} },
      { code: 'network', detail: expect.stringContaining('without an access token') },
    ],
    ['a token that no header can carry', token('a\r\nb'), { code: 'invalid_config' }],
    [
      'an HTML page',
      { status: 200, text: '<html>' },
      { code: 'network', detail: expect.stringContaining('/oauth/token answered 200 with text/html') },
    ],
  ])('%s: the call fails with the cause, and the next one tries anew', async (_name, reply, expected) => {
    server.script(TOKEN, reply, token('t1'));
    const one = client();
    await expect(one.whoami()).rejects.toMatchObject(expected);
    await one.whoami();
    expect(bearers()).toEqual(['Bearer t1']);
  });
});

describe('renewal', () => {
  const never = new AbortController().signal;
  let now = 0;
  const source = () => {
    now = 0;
    return new TokenSource(transport(), CLIENT, () => now);
  };

  it.each([
    [3600, 3539, 3541],
    [100, 89, 91],
  ])('of a token for %d s begins near its end, while the old one still serves', async (life, early, late) => {
    server.script(TOKEN, token('t1', life), token('t2', life));
    const tokens = source();
    await tokens.get(never);
    now = early * 1000;
    await tokens.get(never);
    expect(server.count(TOKEN)).toBe(1);
    now = late * 1000;
    expect(await tokens.get(never)).toEqual({ header: 'Bearer t1', reused: true });
    await expect.poll(async () => (await tokens.get(never)).header).toBe('Bearer t2');
    expect(server.count(TOKEN)).toBe(2);
  });

  it('that fails leaves the old token in use until it has expired', async () => {
    server.script(TOKEN, token('t1', 100), { status: 500, json: {} });
    const tokens = source();
    await tokens.get(never);
    now = 95_000;
    expect(await tokens.get(never)).toMatchObject({ header: 'Bearer t1' });
    await expect.poll(() => server.count(TOKEN)).toBe(2);
    await fetch(server.url);
    expect(await tokens.get(never)).toMatchObject({ header: 'Bearer t1' });
    await fetch(server.url);
    expect(server.count(TOKEN)).toBe(2);
    now = 100_000;
    await expect(tokens.get(never)).rejects.toMatchObject({ code: 'internal' });
  });
});
