import { AUTHZEN_PATHS } from '@authz-service/pdp/contract/authzen-paths';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE_READS, type Ask, billing, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
const keys = new Map<string, string>();

beforeAll(async () => {
  cloud = await TestCloud.start();
  const admin = await cloud.token();
  await cloud.commit(admin, billing());
  keys.set('admin', admin);
  for (const scope of ['decisions', 'bundle', 'records:read', 'records:write', 'credentials']) {
    keys.set(scope, await cloud.key(admin, [scope]));
  }
});

afterAll(() => cloud.close());

/** A body with one member, of this many bytes. */
const sized = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`;
const nested = (depth: number) => `{"context":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const MIB = 1024 * 1024;

type Row = [behaviour: string, as: string, request: string, ask: Ask, status: number, code: string];

const decision: Row[] = [
  [
    'no body',
    'decisions',
    'POST /v1/authorize',
    { headers: { 'content-type': 'application/json' } },
    400,
    'invalid_request',
  ],
  ['a body that is no JSON', 'decisions', 'POST /v1/authorize', { body: '{"subject":' }, 400, 'invalid_request'],
  ['a body of another shape', 'decisions', 'POST /v1/authorize', { body: [] }, 400, 'invalid_request'],
  [
    'a missing subject',
    'decisions',
    'POST /v1/authorize',
    { body: { ...ALICE_READS, subject: undefined } },
    400,
    'invalid_request',
  ],
  [
    'a subject of numbers',
    'decisions',
    'POST /v1/authorize',
    { body: { ...ALICE_READS, subject: { type: 1, id: 1 } } },
    400,
    'invalid_request',
  ],
  [
    'another content type',
    'decisions',
    'POST /v1/authorize',
    { body: ALICE_READS, headers: { 'content-type': 'text/plain' } },
    400,
    'invalid_request',
  ],
  [
    'another charset',
    'decisions',
    'POST /v1/authorize',
    { body: ALICE_READS, headers: { 'content-type': 'application/json; charset=latin1' } },
    400,
    'invalid_request',
  ],
  [
    'a content encoding',
    'decisions',
    'POST /v1/authorize',
    { body: ALICE_READS, headers: { 'content-encoding': 'gzip' } },
    400,
    'invalid_request',
  ],
  [
    'bytes that are no UTF-8',
    'decisions',
    'POST /v1/authorize',
    { body: new Uint8Array([0x22, 0xff, 0x22]) },
    400,
    'invalid_request',
  ],
  ['a body nested too deep', 'decisions', 'POST /v1/authorize', { body: nested(101) }, 400, 'invalid_request'],
  [
    'a body nested very deep',
    'decisions',
    'POST /v1/authorize',
    { body: `{"context":${'['.repeat(500_000)}` },
    400,
    'invalid_request',
  ],
  ['a body over 1 MiB', 'decisions', 'POST /v1/authorize', { body: sized(MIB + 1) }, 413, 'payload_too_large'],
  ['a body of 1 MiB', 'decisions', 'POST /v1/authorize', { body: sized(MIB) }, 400, 'invalid_request'],
  ['no credential', '', 'POST /v1/authorize', { body: ALICE_READS }, 401, 'unauthorized'],
  [
    'a credential of another sort',
    '',
    'POST /v1/authorize',
    { body: ALICE_READS, headers: { authorization: 'Basic YTpi' } },
    401,
    'unauthorized',
  ],
  [
    'an unknown API key',
    '',
    'POST /v1/authorize',
    { body: ALICE_READS, headers: { authorization: 'Bearer svc_x' } },
    401,
    'unauthorized',
  ],
  ['no credential and no sense', '', 'POST /v1/authorize', { body: '{' }, 401, 'unauthorized'],
  ['a credential without the scope', 'bundle', 'POST /v1/authorize', { body: ALICE_READS }, 403, 'forbidden'],
  ['another method', 'decisions', 'GET /v1/authorize', {}, 405, 'method_not_allowed'],
];

/** The same at another path. */
const at = (path: string) =>
  decision.map(
    ([behaviour, as, request, ...rest]): Row => [behaviour, as, request.replace('/v1/authorize', path), ...rest],
  );

const management: Row[] = [
  ['a body that is no JSON', 'records:write', 'POST /v1/roles', { body: '{' }, 400, 'invalid_request'],
  ['a body of another shape', 'records:write', 'POST /v1/roles', { body: ['x'] }, 400, 'invalid_request'],
  [
    'another content type',
    'records:write',
    'POST /v1/roles',
    { body: '{}', headers: { 'content-type': 'text/yaml' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a content encoding',
    'records:write',
    'POST /v1/roles',
    { body: '{}', headers: { 'content-encoding': 'br' } },
    415,
    'unsupported_media_type',
  ],
  ['a body over 1 MiB', 'records:write', 'POST /v1/roles', { body: sized(MIB + 1) }, 413, 'payload_too_large'],
  [
    'a change-set over 64 MiB',
    'records:write',
    'POST /v1/changesets',
    { body: sized(64 * MIB + 1) },
    413,
    'payload_too_large',
  ],
  [
    'a change-set of another shape',
    'records:write',
    'POST /v1/changesets',
    { body: { changes: [{ op: 'destroy' }] } },
    400,
    'invalid_request',
  ],
  [
    'an unknown member of a change-set',
    'records:write',
    'POST /v1/changesets',
    { body: { changes: [], force: true } },
    400,
    'invalid_request',
  ],
  ['an unknown field', 'records:write', 'POST /v1/roles', { body: { nmae: 'x' } }, 422, 'invalid_records'],
  ['a missing field', 'records:write', 'POST /v1/roles', { body: {} }, 422, 'invalid_records'],
  [
    'a number that is none',
    'records:write',
    'POST /v1/policies',
    { body: '{"name":"x","effect":"ALLOW","priority":1e999}' },
    400,
    'invalid_request',
  ],
  [
    'a dangling reference',
    'records:write',
    'POST /v1/roles',
    { body: { application: 'nope', name: 'x' } },
    422,
    'invalid_records',
  ],
  [
    'a record that exists',
    'records:write',
    'POST /v1/roles',
    { body: { application: 'billing', name: 'accountant' } },
    409,
    'conflict',
  ],
  ['a record that is still mentioned', 'records:write', 'DELETE /v1/subjects/user%2Falice', {}, 409, 'conflict'],
  ['an absent record', 'records:write', 'PATCH /v1/roles/nope', { body: {} }, 404, 'not_found'],
  [
    'a stale ETag',
    'records:write',
    'PATCH /v1/roles/billing%2Faccountant',
    { body: {}, headers: { 'if-match': '"1"' } },
    412,
    'precondition_failed',
  ],
  [
    'a weak ETag',
    'records:write',
    'DELETE /v1/group-memberships/finance%2F%2Fsubject%2Fuser%2Falice',
    { headers: { 'if-match': 'W/"2"' } },
    412,
    'precondition_failed',
  ],
  [
    'a stale base',
    'records:write',
    'POST /v1/changesets',
    { body: { base_revision: '1.0000000000000000', changes: [] } },
    409,
    'stale_base',
  ],
  [
    'an idempotency key with spaces',
    'records:write',
    'POST /v1/changesets',
    { body: { changes: [] }, headers: { 'idempotency-key': 'a b' } },
    400,
    'invalid_request',
  ],
  ['an unknown query parameter', 'records:read', 'GET /v1/roles?nmae=x', {}, 400, 'invalid_request'],
  ['a query parameter given twice', 'records:read', 'GET /v1/roles?name=x&name=y', {}, 400, 'invalid_request'],
  ['a limit of 0', 'records:read', 'GET /v1/roles?limit=0', {}, 400, 'invalid_request'],
  ['a limit over 1000', 'records:read', 'GET /v1/roles?limit=1001', {}, 400, 'invalid_request'],
  ['a limit that is no number', 'records:read', 'GET /v1/audit?limit=ten', {}, 400, 'invalid_request'],
  ['a cursor that is none', 'records:read', 'GET /v1/roles?cursor=x', {}, 400, 'invalid_cursor'],
  ['an audit cursor that is none', 'records:read', 'GET /v1/audit?cursor=AAAA', {}, 400, 'invalid_cursor'],
  ['a malformed path', 'records:read', 'GET /v1/roles/%zz', {}, 400, 'invalid_request'],
  ['another method', 'records:read', 'PUT /v1/roles', {}, 405, 'method_not_allowed'],
  ['a deletion of the bundle', 'records:write', 'DELETE /v1/policies/bundle', {}, 405, 'method_not_allowed'],
  ['another path', 'records:read', 'GET /v1/rolls', {}, 404, 'not_found'],
  ['another case', 'records:read', 'GET /V1/roles', {}, 404, 'not_found'],
  ['no credential', '', 'GET /v1/state', {}, 401, 'unauthorized'],
  ['a read without the scope', 'decisions', 'GET /v1/state', {}, 403, 'forbidden'],
  ['a write without the scope', 'records:read', 'POST /v1/roles', { body: { name: 'x' } }, 403, 'forbidden'],
  ['a bundle without the scope', 'records:write', 'GET /v1/policies/bundle', {}, 403, 'forbidden'],
  [
    'a new key without the scope',
    'records:write',
    'POST /v1/api-keys',
    { body: { name: 'x', scopes: ['bundle'] } },
    403,
    'forbidden',
  ],
  [
    'a tenant without being an operator',
    'records:write',
    'POST /v1/tenants',
    { body: { name: 'x' } },
    403,
    'forbidden',
  ],
  ['a tenant that exists', 'admin', 'POST /v1/tenants', { body: { name: 'default' } }, 409, 'conflict'],
  ['an absent tenant', 'admin', 'GET /v1/tenants/nope', {}, 404, 'not_found'],
  ['the own tenant’s removal', 'admin', 'DELETE /v1/tenants/default', {}, 409, 'conflict'],
];

describe.each([
  ...['/v1/authorize', ...Object.values(AUTHZEN_PATHS).filter((path) => path.startsWith('/access/'))].map(
    (path): [string, Row[]] => [`a decision at ${path}`, at(path)],
  ),
  ['management', management],
])('%s', (_, rows) => {
  it.each(rows)('with %s (as %s, %s)', async (_behaviour, as, request, ask, status, code) => {
    const [method = '', path = ''] = request.split(' ');
    const key = keys.get(as);
    const headers = { ...ask.headers, 'x-request-id': 'req 1' };
    const answer = await cloud.ask(method, path, { ...ask, ...(key !== undefined && { as: key }), headers });
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('x-request-id')).toBe('req 1');
    expect(answer.body).toMatchObject({
      type: `urn:authz-service:problem:${code}`,
      title: expect.any(String),
      status,
      detail: expect.stringMatching(/\S/),
      request_id: 'req 1',
    });
  });
});

describe('a refusal', () => {
  it('asks for a bearer credential, and says when one was refused', async () => {
    const missing = await cloud.ask('GET', '/v1/state');
    expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="authz-service"');
    const wrong = await cloud.ask('GET', '/v1/state', { as: 'svc_wrong' });
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer realm="authz-service", error="invalid_token"');
    expect(wrong.body.detail).not.toContain('wrong');
  });

  it('names the missing scope', async () => {
    const { body, headers } = await cloud.ask('GET', '/v1/state', { as: keys.get('decisions') ?? '' });
    expect(body.detail).toContain('"records:read"');
    expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  });

  it('says what is too much in the base address of a client', async () => {
    const told = async (path: string) => (await cloud.ask('GET', path)).body.detail;
    expect(await told('/some/prefix/v1/state')).toBe(
      'There is nothing at "/some/prefix/v1/state": remove "/some/prefix" from the address of the service (SERVICE_CLOUD_URL).',
    );
    expect(await told('/v1/v1')).toBe('There is nothing at "/v1/v1": /openapi.json lists all paths.');
  });

  it('names the methods there are', async () => {
    const rows = [
      ['/v1/authorize', 'POST, OPTIONS'],
      ['/v1/roles', 'GET, POST, HEAD, OPTIONS'],
      ['/v1/roles/x', 'GET, PATCH, DELETE, HEAD, OPTIONS'],
    ] as const;
    for (const [path, allow] of rows) {
      expect((await cloud.ask('PUT', path)).headers.get('allow')).toBe(allow);
      const options = await cloud.ask('OPTIONS', path);
      expect({ status: options.status, allow: options.headers.get('allow') }).toEqual({ status: 204, allow });
    }
  });

  it('points at the faults in a record', async () => {
    const { body } = await cloud.ask('POST', '/v1/policies', {
      as: keys.get('records:write') ?? '',
      body: { name: 'x', effect: 'MAYBE', resource_type: 'billing/invoice', actions: [] },
    });
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(['/actions', '/effect']);
  });

  it('points at the faults in a list of changes', async () => {
    const changes = [
      { op: 'create', kind: 'role', fields: { name: 'fine' } },
      { op: 'create', kind: 'role', fields: { name: 'x', application: 'nope' } },
    ];
    const { body } = await cloud.ask('POST', '/v1/changesets', {
      as: keys.get('records:write') ?? '',
      body: { changes },
    });
    expect(body.errors).toMatchObject([{ pointer: '/changes/1/fields/application', address: 'role/nope/x' }]);
  });
});

describe('a query parameter that means nothing', () => {
  it.each([
    ['GET', '/v1/state?tenant=other'],
    ['GET', '/v1/whoami?x'],
    ['GET', '/v1/roles/x?limit=1'],
    ['DELETE', '/v1/roles/x?force=true'],
    ['POST', '/v1/authorize?explain=true'],
    ['POST', '/v1/changesets?dry_run=true'],
  ])('is refused: %s %s', async (method, path) => {
    const as = keys.get(path.startsWith('/v1/authorize') ? 'decisions' : 'records:write') ?? '';
    const { status, body } = await cloud.ask(method, path, { as, ...(method === 'POST' && { body: ALICE_READS }) });
    const name = /\?(\w+)/.exec(path)?.[1];
    expect({ status, detail: body.detail }).toEqual({ status: 400, detail: expect.stringContaining(`"${name}"`) });
  });

  it('does not keep a probe from its answer', async () => {
    expect((await cloud.ask('GET', '/livez?from=probe')).status).toBe(200);
  });
});

describe('a request id', () => {
  const echoed = async (id?: string) => {
    const { headers } = await cloud.ask('GET', '/livez', id === undefined ? {} : { headers: { 'x-request-id': id } });
    return headers.get('x-request-id');
  };

  it('is made where none is sent', async () => {
    expect(await echoed()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await echoed()).not.toBe(await echoed());
  });

  it('comes back as it was sent', async () => {
    for (const id of ['a', 'trace/1 of 2; x="y"', 'x'.repeat(10_000), 'é\u00ff']) expect(await echoed(id)).toBe(id);
  });

  it('is on decisions too', async () => {
    const as = keys.get('decisions') ?? '';
    const answer = await cloud.ask('POST', '/v1/authorize', {
      as,
      body: ALICE_READS,
      headers: { 'x-request-id': 'mine' },
    });
    expect(answer.headers.get('x-request-id')).toBe('mine');
    expect(answer.body.decision).toBe(true);
  });
});
