import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cloud } from '@authz-service/cloud/cloud';
import { allRoutes } from '@authz-service/cloud/routes/routes';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres, PGBOUNCER, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import { type Operation, type Reference, referenceOf } from '../../../cloud/testing/reference.js';
import { ALICE_READS, billing } from '../../../cloud/testing/test-cloud.js';
import { ADMINISTRATOR, bootstrapEnv, CloudProcess } from '../e2e/cloud/cloud-process.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const SUBJECT = { subject: 'user/alice' };

/** The queries and bodies of operations that need some, by their names. */
const QUERIES: Record<string, string> = {
  searchRecords: 'q=finance',
  listLinks: 'address=group/finance',
  listAgents: 'enforces=1&wait=1',
  retireAgents: 'credential=gone',
  lintRecords: 'revision=2',
  compareRevisions: 'before=1&after=2',
  reviewAccess: 'part=resource_type&path=billing/invoice',
  fetchBundle: 'tenant=default',
};
const BODIES: Record<string, object | string> = {
  createApplication: { name: 'hr' },
  createResourceType: { application: 'billing', name: 'receipt', actions: ['read'] },
  createResource: { type: 'billing/invoice', name: 'INV-2' },
  createSubjectType: { name: 'robot' },
  createSubject: { type: 'user', id: 'bob' },
  createContextAttribute: { name: 'size', type: 'number' },
  createRole: { name: 'auditor' },
  createGroup: { name: 'auditors' },
  createPolicy: { name: 'read-all', effect: 'ALLOW', resource_type: 'billing/invoice', actions: ['read'] },
  createPolicyAssignment: { policy: 'billing/approve', entity_type: 'group', entity: 'finance' },
  createRoleAssignment: { role: 'billing/accountant', entity_type: 'group', entity: 'finance' },
  createGroupMembership: { group: 'finance', entity_type: 'subject', entity: 'user/carol' },
  createAccessRule: { name: 'other', never: { actions: ['read'], resources: { types: ['*'] } }, mode: 'warn' },
  createApiKey: { name: 'other', scopes: ['decisions'] },
  createOauthClient: { name: 'other', scopes: ['decisions'] },
  rotateApiKey: {},
  rotateOauthClient: {},
  evaluateAccess: ALICE_READS,
  evaluateAccessBatch: ALICE_READS,
  authorize: ALICE_READS,
  searchSubjects: { ...ALICE_READS, subject: { type: 'user' } },
  searchResources: { ...ALICE_READS, resource: { type: 'invoice' } },
  searchActions: { ...ALICE_READS, action: undefined },
  commitChangeset: { changes: [{ op: 'create', kind: 'role', fields: { name: 'made' } }] },
  readRecordOrigins: { addresses: ['group/finance'] },
  createTenant: { name: 'acme' },
  eraseFromHistory: { ...SUBJECT, properties: ['email'] },
  enableCredentials: {},
  decideHeldChanges: { decision: 'discard' },
  adoptForDirectory: { addresses: ['group/finance'] },
  deleteDisabledCredentials: { credentials: ['api_key/none'] },
  rotateBundleKeys: {},
  signIn: { link: 'nothing'.padEnd(43, '-') },
  planDraft: { base_revision: '2', stack: 'api', changes: [] },
  findWhyNot: { base_revision: '2', question: ALICE_READS },
  signOff: { scope: 'resource_type/billing/invoice', revision: '2', rows: [] },
};

const writing = new Set(allRoutes({} as Cloud).flatMap(({ writes, operation }) => (writes ? [operation.id] : [])));

interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  body: any;
}

describe.skipIf(!hasPostgres)('a PostgreSQL that stands still', () => {
  let dir: string;
  let server: PostgresServer;
  let cloud: CloudProcess;
  let url: string;
  let token: string;
  let cookie: string;
  let reference: Reference;
  /** An id of a record of each collection. */
  const ids = new Map<string, string>();

  let database: string;
  let pooled: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'still-postgres-'));
    server = await PostgresServer.start();
    database = await server.database();
    pooled = PGBOUNCER ? server.url(new URL(database).pathname.slice(1), await server.pooler()) : database;
    await start();
  });
  afterAll(async () => {
    signalAll('SIGCONT');
    await cloud?.kill();
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  function signalAll(signal: NodeJS.Signals): void {
    const pid = server.pid ?? 0;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    for (const one of [pid, ...children]) {
      try {
        process.kill(one, signal);
      } catch {}
    }
  }

  async function ask(method: string, path: string, more: RequestInit = {}): Promise<Answer> {
    const response = await fetch(url + path, { method, redirect: 'manual', ...more });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const { status, headers } = response;
    return { status, headers, body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : bytes };
  }

  /** Asks an operation as somebody who may do everything. */
  async function attempt({ method, path, operationId, requestBody, security }: Operation): Promise<Answer> {
    const collection = path.split('/')[2] ?? '';
    const place = path
      .replace('{id}', encodeURIComponent(ids.get(collection) ?? 'nothing'))
      .replace('{name}', 'default');
    const isConsole = path.startsWith('/console');
    const headers: Record<string, string> = isConsole
      ? { cookie, origin: url, 'sec-fetch-site': 'same-origin' }
      : security.length > 0
        ? { authorization: `Bearer ${token}` }
        : {};
    const query = QUERIES[operationId] === undefined ? '' : `?${QUERIES[operationId]}`;
    if (operationId === 'issueToken') {
      const { clientId, clientSecret } = ADMINISTRATOR;
      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      return ask(method, place, { headers: FORM, body: new URLSearchParams(form).toString() });
    }
    const body = requestBody && JSON.stringify(BODIES[operationId] ?? { description: 'x' });
    return ask(method, place + query, {
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
  }

  async function session(to: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: to });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async function start(): Promise<void> {
    cloud = new CloudProcess(dir, { ...bootstrapEnv(), DATABASE_URL: pooled });
    url = await cloud.url();
    reference = referenceOf(await (await fetch(`${url}/openapi.json`)).text());
    const issue = reference.operations.find(({ operationId }) => operationId === 'issueToken');
    if (issue === undefined) throw new Error('no such operation');
    token = (await attempt(issue)).body.access_token;
    const changes = [
      ...billing(),
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'carol' } },
      { op: 'create', kind: 'subject_type', fields: { name: 'user' } },
      { op: 'create', kind: 'context_attribute', fields: { name: 'amount', type: 'number' } },
      { op: 'create', kind: 'directory', fields: { name: 'okta' } },
      {
        op: 'create',
        kind: 'access_rule',
        fields: {
          name: 'rule',
          never: { actions: ['approve'], resources: { types: ['billing/invoice'] } },
          mode: 'warn',
        },
      },
      { op: 'create', kind: 'api_key', fields: { name: 'key', scopes: ['decisions'] } },
    ];
    await ask('POST', '/v1/changesets', {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ changes }),
    });
    for (const { method, path } of reference.operations) {
      const [, version, collection = ''] = path.split('/');
      if (
        method !== 'POST' ||
        version !== 'v1' ||
        !reference.operations.some((one) => one.path === `/v1/${collection}/{id}`)
      )
        continue;
      const { body } = await ask('GET', `/v1/${collection}?limit=1`, { headers: { authorization: `Bearer ${token}` } });
      ids.set(collection, body.items[0].id);
    }
    const made = await ask('POST', '/v1/console-links', { headers: { authorization: `Bearer ${token}` } });
    const link = new URL(made.body.url).hash.slice(1);
    const signed = await ask('POST', '/console/api/session', {
      headers: { origin: url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      body: JSON.stringify({ link }),
    });
    cookie = (signed.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  }

  /** Asks every operation at once; returns the names of those that were refused since the database does not answer. */
  async function refusedNow(): Promise<string[]> {
    const refused: string[] = [];
    const one = async (operation: Operation) => {
      const { method, path, operationId } = operation;
      const answer = await attempt(operation);
      reference.assertDocumented(method, path, answer);
      const { status, headers, body } = answer;
      if (operationId === 'readyz' || status < 500) return;
      // An error of SCIM has no code of ours (RFC 7644 section 3.12).
      const isScim = path.startsWith('/scim/v2') && body.status === '503';
      const { code = isScim ? 'not_ready' : undefined, detail } = body;
      expect({ operationId, status, code, retryAfter: headers.get('retry-after') }).toMatchObject({
        ...{ operationId, status: 503, code: 'not_ready', retryAfter: '5' },
      });
      if (!writing.has(operationId)) expect(`${operationId}: ${detail}`).not.toMatch(/nothing was changed|stored/);
      refused.push(operationId);
    };
    await Promise.all(reference.operations.map(one));
    return refused;
  }

  const isReady = () =>
    vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), { timeout: 60_000, interval: 50 });

  /** Reads and writes of the database, be it that they are refused after a wait or at once. */
  const SOME = ['listAudit', 'readState', 'createRole', 'commitChangeset', 'createTenant', 'getSession', 'signIn'];

  it('whose tables are locked gives no 500', async () => {
    const holder = await session(database);
    const { rows } = await holder.query("select tablename from pg_tables where schemaname = 'public'");
    await holder.query(`begin; lock table ${rows.map(({ tablename }) => tablename).join()} in access exclusive mode`);
    expect(await refusedNow()).toEqual(expect.arrayContaining(['listAudit', 'createRole', 'createTenant', 'signIn']));
    await holder.end();
    await isReady();
  });

  it.skipIf(!PGBOUNCER)('whose pooler has no connection left gives no 500', async () => {
    const holders = await Promise.all(Array.from({ length: 5 }, () => session(pooled)));
    for (const holder of holders) await holder.query('begin');
    expect(await refusedNow()).toEqual(expect.arrayContaining(['listAudit', 'createRole', 'createTenant', 'signIn']));
    for (const holder of holders) await holder.end();
    await isReady();
  });

  it('whose processes are stopped gives no 500, neither at first nor later, and all is well once they go on', async () => {
    signalAll('SIGSTOP');
    const early = await refusedNow();
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503), { timeout: 60_000 });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^service_cloud_replica\{state="cut_off"\} 1$/m);
    expect(metrics).toMatch(/^service_cloud_replica_silent_seconds (?:[5-9]|\d{2,})/m);
    const late = await refusedNow();
    expect(early).toEqual(expect.arrayContaining(['listAudit', 'createRole', 'createTenant', 'signIn']));
    expect(late).toEqual(expect.arrayContaining(SOME));
    expect(late.filter((name) => /^(authorize|evaluate|issueToken)/.test(name))).toEqual([]);
    signalAll('SIGCONT');
    await isReady();
    const client = await cloud.client();
    expect(await client.records('role').create({ name: 'afterwards' })).toMatchObject({ name: 'afterwards' });
  });
});
