import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AUTHZEN_PATHS } from '@authz-service/pdp/contract/authzen-paths';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, linkOf } from '../../testing/browser.js';
import type { Reference } from '../../testing/reference.js';
import { ADMIN, ALICE_READS, type Ask, billing, TestCloud } from '../../testing/test-cloud.js';
import type { Cloud } from '../cloud.js';
import { allRoutes } from './routes.js';

const MIB = 1024 * 1024;
const AHEAD = { 'service-min-revision': '999999' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A record of each kind that refers to what `billing` creates. */
const BODIES: Record<string, object> = {
  applications: { name: 'hr' },
  'resource-types': { application: 'billing', name: 'receipt', actions: ['read'] },
  resources: { type: 'billing/invoice', name: 'INV-2' },
  'subject-types': { name: 'user' },
  subjects: { type: 'user', id: 'bob' },
  'context-attributes': { name: 'amount', type: 'number' },
  directories: { name: 'okta' },
  roles: { name: 'auditor' },
  groups: { name: 'auditors' },
  policies: { name: 'read-all', effect: 'ALLOW', resource_type: 'billing/invoice', actions: ['read'] },
  'policy-assignments': { policy: 'billing/approve', entity_type: 'group', entity: 'finance' },
  'role-assignments': { role: 'billing/accountant', entity_type: 'group', entity: 'finance' },
  'group-memberships': { group: 'finance', entity_type: 'subject', entity: 'user/carol' },
  'access-rules': { name: 'rule', never: { actions: ['read'], resources: { types: ['*'] } }, mode: 'warn' },
  'api-keys': { name: 'a-key', scopes: ['decisions'] },
  'oauth-clients': { name: 'a-client', scopes: ['decisions'] },
};

let cloud: TestCloud;
let reference: Reference;
let admin: string;
/** Has a scope that only one operation requires. */
let bundler: string;
/** Has a scope that only decisions require. */
let decider: string;

beforeAll(async () => {
  cloud = await TestCloud.start({ now: () => Date.parse('2026-06-01T00:00:00Z') });
  reference = await cloud.reference();
  admin = await cloud.token();
  await cloud.commit(admin, [...billing(), { op: 'create', kind: 'subject', fields: { type: 'user', id: 'carol' } }]);
  bundler = await cloud.key(admin, ['bundle']);
  decider = await cloud.key(admin, ['decisions']);
  await provoke();
}, 120_000);
afterAll(() => cloud.close());

const ask = (method: string, path: string, more: Ask = {}) => cloud.ask(method, path, { as: admin, ...more });

/** Asks for everything that each operation can answer. `TestCloud.ask` checks each answer. */
async function provoke(): Promise<void> {
  await Promise.all(reference.operations.map(refusals));
  await Promise.all(Object.keys(BODIES).map(lifeOf));
  await decisions();
  await directories();
  await past();
  await changesets();
  await tokens();
  await tenants();
  await consoleSessions();
  for (const { method, path } of reference.operations) {
    if (method !== 'GET' || path.includes('{')) continue;
    await ask('GET', path);
    await ask('GET', path, { headers: { 'if-none-match': '*' } });
  }
  for (const found of [
    'search?q=finance',
    'search?q=finance&kind=group&cursor=nonsense',
    'links?address=group/finance',
  ])
    for (const headers of [{}, AHEAD]) await ask('GET', `/v1/${found}`, { headers });
  for (const missing of ['address=group/nobody', 'address=group/finance&cursor=nonsense'])
    await ask('GET', `/v1/links?${missing}`);
  await ask('POST', '/v1/record-origins', { body: { addresses: ['group/finance'] } });
  for (const holder of ['a', 'b']) await ask('PUT', '/v1/sync/git', { body: { holder, lease_seconds: 60 } });
  for (let times = 0; times < 2; times++) await ask('DELETE', '/v1/sync/git');
  await ask('POST', '/v1/bundle-keys', { body: {} });
  await unstored();
}

/** Asks for all that is refused without reading the records. */
async function refusals({ method, path, requestBody, parameters }: Reference['operations'][number]): Promise<void> {
  const place = path.replaceAll(/\{\w+\}/g, 'nothing');
  const isList = parameters.some(({ name }) => name === 'cursor');
  const body = requestBody && {};
  await cloud.ask(method, place, { body });
  await ask(method, place, { as: bundler, body });
  await ask(method, place, { as: decider, body });
  await ask(method, `${place}?nonsense=1`, { body });
  if (isList) await ask(method, `${place}?cursor=nonsense`);
  await ask(method, place, { body });
  await ask(method, place, { body, headers: AHEAD });
  if (!requestBody) return;
  const form = path === '/oauth/token' ? FORM : {};
  await ask(method, place, { body: '{', headers: form });
  await ask(method, place, { body: '{}', headers: { 'content-type': 'text/plain' } });
  await ask(method, place, { body: '{}', headers: { ...form, 'content-encoding': 'gzip' } });
  if (path !== '/v1/changesets') await ask(method, place, { body: ' '.repeat(MIB + 1), headers: form });
}

async function lifeOf(collection: string): Promise<void> {
  const place = `/v1/${collection}`;
  const { body } = await ask('POST', place, { body: BODIES[collection] });
  const item = `${place}/${encodeURIComponent(body.id)}`;
  await ask('POST', place, { body: BODIES[collection] });
  await ask('POST', place, { body: { ...BODIES[collection], nonsense: true } });
  await ask('GET', item);
  await ask('GET', item, { headers: { 'if-none-match': '*' } });
  await ask('PATCH', item, { body: {} });
  await ask('PATCH', item, { body: { managed_by: 'somebody', nonsense: true } });
  for (const method of ['PATCH', 'DELETE']) {
    const conditional = { headers: { 'if-match': '"0"' }, ...(method === 'PATCH' && { body: {} }) };
    await ask(method, item, conditional);
  }
  if (/^(api-keys|oauth-clients)$/.test(collection))
    for (const [stack, headers] of [
      ['', {}],
      ['', { 'if-match': '"0"' }],
      ['?stack=other', {}],
    ] as const)
      await ask('POST', `${item}/secret${stack}`, { body: {}, headers });
  await ask('DELETE', item);
}

async function past(): Promise<void> {
  for (const { method, path, parameters } of reference.operations) {
    if (method !== 'GET' || !parameters.some(({ name }) => name === 'at')) continue;
    for (const at of ELSEWHEN) await ask('GET', `${path.replaceAll(/\{\w+\}/g, 'nothing')}${at}`);
  }
}

/** Moments that no tenant has. */
const ELSEWHEN = ['?at=999999', '?at=2000-01-01'];

async function decisions(): Promise<void> {
  const types = { subject: { type: 'user' }, resource: { type: 'invoice' } };
  for (const path of [...Object.values(AUTHZEN_PATHS), '/v1/authorize', '/v1/filter']) {
    const body = { ...ALICE_READS, ...(path === AUTHZEN_PATHS.resource && { resource: types.resource }) };
    if (path === AUTHZEN_PATHS.configuration) continue;
    for (const at of ELSEWHEN) await ask('POST', `${path}${at}`, { body });
    await ask('POST', path, { body, headers: AHEAD });
  }
  for (const path of ['/v1/authorize', AUTHZEN_PATHS.evaluation, AUTHZEN_PATHS.evaluations]) {
    await ask('POST', path, { body: ALICE_READS });
    await ask('POST', path, { body: { ...ALICE_READS, explain: true } });
    await ask('POST', path, { body: { ...ALICE_READS, subject: { type: 'user', id: 'nobody' } } });
  }
  await ask('POST', AUTHZEN_PATHS.evaluations, { body: { ...ALICE_READS, evaluations: [{}, { resource: 1 }] } });
  await ask('POST', AUTHZEN_PATHS.subject, { body: { ...ALICE_READS, subject: types.subject } });
  await ask('POST', AUTHZEN_PATHS.resource, { body: { ...ALICE_READS, resource: types.resource } });
  await ask('POST', AUTHZEN_PATHS.action, { body: { ...ALICE_READS, action: undefined } });
  await ask('POST', '/v1/filter', { body: ALICE_READS });
  const changes = [
    {
      op: 'create',
      kind: 'policy',
      fields: {
        ...{ name: 'unsayable', effect: 'ALLOW', resource_type: 'billing/invoice', actions: ['read'] },
        condition: 'resource.properties.nobody_declares_it == 1',
      },
    },
    {
      op: 'create',
      kind: 'policy_assignment',
      fields: { policy: 'unsayable', entity_type: 'everyone', entity: '*' },
    },
  ];
  await ask('POST', '/v1/changesets', { body: { changes } });
  await ask('POST', '/v1/filter', { body: ALICE_READS });
}

async function directories(): Promise<void> {
  await ask('POST', '/v1/directories', { body: { name: 'adp' } });
  await ask('GET', '/v1/directories/adp/status');
  for (const name of ['adp', 'nobody']) {
    await ask('POST', `/v1/directories/${name}/held-changes`, { body: { decision: 'discard' } });
    const operations = [{ method: 'POST', path: '/Users', data: { userName: 'eve' } }];
    await ask('POST', `/v1/directories/${name}/plans`, { body: { operations } });
    for (const address of ['group/finance', 'directory/adp'])
      await ask('POST', `/v1/directories/${name}/adopted-records`, { body: { addresses: [address] } });
  }
}

async function changesets(): Promise<void> {
  const path = '/v1/changesets';
  const create = { op: 'create', kind: 'role', fields: { name: 'made' } };
  const headers = { 'idempotency-key': 'once' };
  const adopt = { op: 'adopt', address: 'role/made' };
  await ask('POST', path, { body: { changes: [create] }, headers });
  await ask('POST', path, { body: { changes: [create] }, headers });
  await ask('POST', path, { body: { changes: [] }, headers });
  await ask('POST', path, { body: { changes: [create] } });
  await ask('POST', path, { body: { base_revision: '1.x', changes: [] } });
  await ask('POST', path, { body: { stack: 'other', changes: [adopt] } });
  await ask('POST', path, { body: { changes: [{ ...create, fields: { name: '' } }] } });
  const client = { op: 'create', kind: 'oauth_client', fields: BODIES['oauth-clients'] };
  await ask('POST', path, { body: { changes: [client] } });
  // Sent with the present revision: what has changed since is answered as a delta.
  const { headers: bundle } = await ask('GET', '/v1/policies/bundle?tenant=default');
  await ask('POST', '/v1/roles', { body: { name: 'later' } });
  const since = { 'if-none-match': bundle.get('etag') ?? '', 'a-im': 'policy-delta' };
  await ask('GET', '/v1/policies/bundle?tenant=default', { headers: since });
  await ask('GET', '/v1/policies/bundle?tenant=nobody');
}

async function tokens(): Promise<void> {
  const send = (id: string, secret: string, more: object = {}) => {
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, ...more };
    return cloud.ask('POST', '/oauth/token', { body: new URLSearchParams(form).toString(), headers: FORM });
  };
  await send(ADMIN.id, ADMIN.secret);
  await send(ADMIN.id, ADMIN.secret, { scope: 'everything' });
  await send(ADMIN.id, ADMIN.secret, { grant_type: 'password' });
  for (let count = 0; count < 11; count++) await send(ADMIN.id, 'wrong');
}

async function consoleSessions(): Promise<void> {
  const browser = await Browser.signIn(cloud, admin);
  const twin = await Browser.signIn(cloud, admin);
  const { id } = (await twin.ask('GET', '/console/api/session')).body;
  const deciding = await Browser.signIn(cloud, decider);
  for (const path of ['sign-offs', 'summary']) await deciding.ask('GET', `/console/api/${path}`);
  const lists = ['session', 'sessions', 'sign-in-settings', 'sign-offs', 'summary'];
  for (const path of lists.map((name) => `/console/api/${name}`)) {
    await browser.ask('GET', path);
    await browser.ask('GET', `${path}?nonsense=1`);
    await browser.ask('GET', path, { headers: AHEAD });
  }
  const reader = await Browser.signIn(cloud, await cloud.key(admin, ['records:read']));
  await reader.ask('GET', '/console/api/sign-in-settings');
  const words = '/console/api/condition-words';
  for (const body of [{ conditions: ['context.mfa'] }, {}, ' '.repeat(2 * MIB)])
    await browser.ask('POST', words, { body });
  await browser.ask('POST', words, { body: '{}', headers: { 'content-type': 'text/plain' } });
  await browser.ask('POST', words, { body: { conditions: [''] }, headers: AHEAD });
  const auditor = await Browser.signIn(cloud, await cloud.key(admin, ['credentials']));
  await auditor.ask('POST', words, { body: { conditions: [''] } });
  await browser.ask('DELETE', '/console/api/sessions/nothing');
  await browser.ask('DELETE', '/console/api/session?nonsense=1');
  await browser.ask('DELETE', `/console/api/sessions/${id}?nonsense=1`);
  await browser.ask('DELETE', `/console/api/sessions/${id}`);
  await browser.ask('GET', '/console/oidc/callback', { headers: { host: 'elsewhere.example' } });
  await browser.redeem('nothing'.padEnd(43, '-'));
  await browser.redeem(await linkOf(cloud, admin), { 'content-type': 'text/plain' });
  await browser.ask('POST', '/console/api/session', { body: ' '.repeat(MIB) });
  await browser.ask('GET', '/console/api/sign-in', { headers: { 'sec-fetch-site': 'cross-site' } });
  await browser.ask('DELETE', '/console/api/session');
  await browser.ask('DELETE', '/console/api/session');
  await browser.ask('POST', words, { body: { conditions: [''] } });
  await browser.ask('DELETE', `/console/api/sessions/${id}`);
}

async function tenants(): Promise<void> {
  await ask('POST', '/v1/tenants', { body: { name: 'acme' } });
  await ask('POST', '/v1/tenants', { body: { name: 'acme' } });
  await ask('GET', '/v1/tenants/acme');
  const named = { subject: 'user/alice', properties: ['email'] };
  for (const body of [named, { subject: 'user/alice' }, { subject: 'user/nobody' }, { nonsense: true }])
    await ask('POST', '/v1/tenants/default/erasures', { body });
  await ask('POST', '/v1/tenants/default/erasures', { body: named, headers: { 'content-type': 'text/plain' } });
  for (const tenant of ['default', 'nobody']) {
    await ask('GET', `/v1/agents?tenant=${tenant}&enforces=1&wait=0`);
    await ask('DELETE', `/v1/agents/gone?tenant=${tenant}`);
    await ask('DELETE', `/v1/agents?credential=gone&tenant=${tenant}`);
    await ask('GET', `/v1/tenants/${tenant}/disabled-credentials`);
    for (const body of [{}, { credentials: ['api_key/none'] }, { credentials: [] }])
      await ask('POST', `/v1/tenants/${tenant}/enabled-credentials`, { body });
    for (const body of [{ credentials: ['api_key/none'] }, {}])
      await ask('POST', `/v1/tenants/${tenant}/deleted-credentials`, { body });
  }
  await ask('DELETE', '/v1/tenants/acme');
  await ask('DELETE', '/v1/tenants/default');
}

/** Changes while nothing can be stored. */
async function unstored(): Promise<void> {
  const { body: role } = await ask('POST', '/v1/roles', { body: { name: 'kept' } });
  await ask('POST', '/v1/tenants', { body: { name: 'acme' } });
  await rm(join(cloud.dir, 'cloud.sqlite'));
  await ask('POST', '/v1/roles', { body: { name: 'lost' } });
  await ask('PATCH', `/v1/roles/${role.id}`, { body: { description: 'x' } });
  await ask('DELETE', `/v1/roles/${role.id}`);
  await ask('POST', '/v1/changesets', {
    body: { changes: [{ op: 'create', kind: 'role', fields: { name: 'lost' } }] },
  });
  await ask('POST', '/v1/tenants', { body: { name: 'lost' } });
  await ask('DELETE', '/v1/tenants/acme');
  await ask('POST', '/v1/tenants/default/erasures', { body: { subject: 'user/carol' } });
  await ask('POST', '/v1/bundle-keys', { body: {} });
  await ask('POST', '/v1/tenants/default/enabled-credentials', { body: {} });
  await ask('POST', '/v1/tenants/default/deleted-credentials', { body: { credentials: ['api_key/none'] } });
  await ask('GET', '/readyz');
}

describe('the document', () => {
  it('says what every operation answers', () => {
    const answered = new Set([...reference.seen].map((name) => name.split(' ')[0]));
    expect([...answered].sort()).toEqual(reference.operations.map(({ operationId }) => operationId).sort());
  });

  it('lists nothing that a caller cannot bring about', () => {
    const listed = reference.operations.flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => ({ name: `${operationId} ${status}`, status: Number(status) })),
    );
    const unseen = listed.filter(({ name, status }) => status < 500 && !reference.seen.has(name));
    // Records without references; other tests send change-sets of 64 MiB, fill the queue of chosen secrets and that
    // of waiting requests, use up a tenant's budget, lose history, take links from elsewhere or from nowhere, name a
    // credential of agents as several are named, and plan drafts, ask why not, compare revisions, review access,
    // plan what a directory sends and sign off access with a built thread, delete what a restore has turned off, rotate what has no secret, ask for a
    // bundle by the id of another credential's agent, and send people with the key of a directory.
    const elsewhere =
      /^(update|delete)[A-Z]\w+ 409$|^commitChangeset 413$| 429$|^listAudit 410$|^createConsoleLink 409$|^signIn 403$|^retireAgents 409$|^(planDraft|lintRecords|findWhyNot|compareRevisions|reviewAccess|planDirectoryOperations|findAccessChanges|signOff|findChangesSinceSignOff) [24]\d\d$|^deleteDisabledCredentials 200$|^rotateOauthClient 422$|^(read|list|create|replace|patch|delete)Scim\w+ [234]\d\d$|^fetchBundle 409$/;
    expect(unseen.map(({ name }) => name).filter((name) => !elsewhere.test(name))).toEqual([]);
  });

  it.each([
    'createRole',
    'updateRole',
    'deleteRole',
    'commitChangeset',
    'createTenant',
    'deleteTenant',
    'eraseFromHistory',
    'enableCredentials',
    'rotateBundleKeys',
  ])('says that %s is answered with 507 while nothing can be stored', (operationId) => {
    expect(reference.seen).toContain(`${operationId} 507`);
  });

  it('lists 507 and 503 for every operation that writes', () => {
    const writing = allRoutes({} as Cloud).filter(({ writes }) => writes);
    expect(writing.length).toBe(3 * Object.keys(BODIES).length + 28);
    for (const { operation } of writing) {
      const { responses } = reference.operations.find(({ operationId }) => operationId === operation.id) ?? {};
      expect(Object.keys(responses ?? {})).toEqual(expect.arrayContaining(['503', '507']));
    }
  });
});
