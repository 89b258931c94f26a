import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workbench } from './cli/workbench.js';
import { PROVIDER } from './terraform/product.js';
import { hasTerraform, Workspace } from './terraform/workspace.js';

let bench: Workbench;
let url: string;
let cookie: string;
let client: ServiceClient;

const TREE = `
version: 1
stack: payroll
applications:
  payroll:
    resource_types:
      payslip: { actions: [read] }
    policies:
      read: { effect: ALLOW, resource_type: payroll/payslip, actions: [read], assigned_to: [group/clerks] }
groups:
  clerks: {}
subjects:
  user/alice: {}
  user/eve: {}
access_rules:
  not-eve: { never: { subjects: { named: [user/eve] }, actions: [read], resources: { types: [payroll/payslip] } }, mode: enforce }
`;

const membership = (subject: string) => ({
  op: 'create',
  kind: 'group_membership',
  fields: { group: 'clerks', entity_type: 'subject', entity: subject },
});

const ask = (method: string, path: string, body?: unknown, signal?: AbortSignal) =>
  fetch(`${url}/console/api${path}`, {
    method,
    headers: { 'content-type': 'application/json', origin: url, cookie },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });

const revision = async () => ((await (await ask('GET', '/v1/state')).json()) as { revision: string }).revision;

const plan = async (changes: object[], more: object = {}) => {
  const draft = { base_revision: await revision(), stack: 'payroll', changes, ...more };
  const answer = await ask('POST', '/draft-plans', draft);
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into answers of any shape.
  return { status: answer.status, body: (await answer.json()) as any };
};

beforeAll(async () => {
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  url = cloud.url;
  const env = await cloud.tenant();
  await bench.write({ 'tree/main.yaml': TREE });
  await bench.json(['apply', 'tree', '--yes'], { env });
  const credentials = { clientId: env.SERVICE_CLIENT_ID ?? '', clientSecret: env.SERVICE_CLIENT_SECRET ?? '' };
  client = new ServiceClient({ url, credentials });
  await client.changeset({
    changes: [{ op: 'create', kind: 'role', fields: { name: 'nobodys' } }],
  });
  const { url: link } = await bench.json<{ url: string }>(['console'], { env });
  const signedIn = await fetch(`${url}/console/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ link: new URL(link).hash.slice(1) }),
  });
  cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
});
afterAll(() => bench.close());

describe('the plan of a draft', () => {
  const described = { op: 'update', address: 'role/nobodys', fields: { name: 'nobodys', description: 'x' } };

  it.each<[string, object]>([
    ['what its owner does not share', membership('user/alice')],
    ['what another stack owns', { op: 'delete', address: 'group/clerks' }],
    ["taking over what is nobody's", { op: 'adopt', address: 'role/nobodys' }],
  ])('for the stack of the console refuses as the commit does: %s', async (_, change) => {
    const planned = await plan([change], { stack: 'console' });
    const wish = { base_revision: await revision(), stack: 'console', changes: [change] };
    const committed = await ask('POST', '/v1/changesets', wish);
    const body = (await committed.json()) as { detail: string };
    expect([planned.status, committed.status]).toEqual([409, 409]);
    expect(planned.body).toMatchObject({ code: 'not_owner', detail: body.detail });
  });

  it("for the stack of the console changes what is nobody's, and for another stack does not", async () => {
    const { status, body } = await plan([described], { stack: 'console' });
    expect([status, body.counts]).toEqual([200, { added: 0, changed: 1, removed: 0, unchanged: 0 }]);
    expect(await plan([described])).toMatchObject({ status: 409, body: { code: 'not_owner' } });
  });

  it('says what it does to records and access, and changes nothing', async () => {
    const before = await revision();
    const { status, body } = await plan([membership('user/alice')]);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      format: 1,
      stack: 'payroll',
      base_revision: before,
      changes: [{ action: 'create', address: 'group_membership/clerks//subject/user/alice' }],
      counts: { added: 1, changed: 0, removed: 0 },
      access: { exact: true, findings: [{ change: 'gained', actions: ['read'] }] },
      violations: [],
    });
    expect(await revision()).toBe(before);
  });

  it.skipIf(!hasTerraform)('has the changed records to copy, as YAML and as HCL that Terraform takes', async () => {
    const odd = 'a: "b" # \'c\'\n- $\u007bpath.cwd} %\u007bif} \\ ü';
    const type = { application: 'payroll', name: 'note', actions: ['read'], properties: { text: 'string' } };
    const { body } = await plan([
      {
        op: 'create',
        kind: 'subject',
        fields: { type: 'user', id: 'new', name: odd, properties: { odd: [odd, null] } },
      },
      { op: 'create', kind: 'group', fields: { name: 'a.b' } },
      { op: 'create', kind: 'group', fields: { name: 'a_b' } },
      { op: 'create', kind: 'resource_type', fields: type },
      { op: 'update', address: 'group/clerks', fields: { name: 'clerks', description: odd } },
      { op: 'move', from: 'subject/user/alice', to: 'subject/user/alicia' },
      { op: 'delete', address: 'access_rule/not-eve' },
      membership('user/new'),
    ]);
    const { yaml, hcl } = body.texts as { yaml: string; hcl: string };
    expect(yaml).toContain('# Remove access_rule/not-eve.\n');
    expect(yaml).toContain('moved:\n  - { from: "subject/user/alice", to: "subject/user/alicia" }');
    expect(hcl).toContain('# Remove the block of access_rule/not-eve, by whatever name you have it.');
    expect(hcl).toContain('# Rename subject/user/alice by changing its block');
    const workspace = new Workspace({ providers: { service: PROVIDER } });
    try {
      workspace.write(`provider "service" {}\n${hcl}`);
      expect(await workspace.ok('validate')).toContain('The configuration is valid');
    } finally {
      workspace.remove();
    }
    const many = Array.from({ length: 51 }, (_, index) => ({
      op: 'create',
      kind: 'group',
      fields: { name: `g${index}` },
    }));
    expect((await plan(many)).body.texts).toBeUndefined();
    expect((await plan([])).body.texts).toBeUndefined();
  });

  it('is what a commit of the same changes makes', async () => {
    const fields = { name: 'clerks', description: 'Pay.' };
    const update = { op: 'update', address: 'group/clerks', fields };
    const { body } = await plan([update, { op: 'move', from: 'subject/user/alice', to: 'subject/user/alicia' }]);
    expect(body.changes.map(({ action, address }: Record<string, string>) => `${action} ${address}`)).toEqual([
      'move subject/user/alicia',
      'update group/clerks',
    ]);
    expect(body.changes[1].differences).toEqual([{ pointer: '/description', after: 'Pay.' }]);
  });

  it('names the access rules that it would break, which a commit refuses', async () => {
    const { status, body } = await plan([membership('user/eve')]);
    expect(status).toBe(200);
    expect(body.violations).toMatchObject([{ rule: 'access_rule/not-eve', mode: 'enforce', form: 'never' }]);
    expect(body.violations[0].detail).toMatch(/forbids it, and user\/eve may "read"/);
    const commit = await ask('POST', '/v1/changesets', { stack: 'payroll', changes: [membership('user/eve')] });
    expect(commit.status).toBe(409);
  });

  it.each([
    ['a base that has moved', [membership('user/alice')], { base_revision: '1.0' }, 409, 'stale_base'],
    ['a record of another stack', [{ op: 'delete', address: 'group/clerks' }], { stack: 'other' }, 409, 'not_owner'],
    ['a name that is not there', [membership('user/nobody')], {}, 422, 'invalid_records'],
    ['a removal of what is mentioned', [{ op: 'delete', address: 'group/clerks' }], {}, 409, 'conflict'],
    ['changes of no form', [{ op: 'paint' }], {}, 400, 'invalid_request'],
  ])('refuses %s as a commit does', async (_, changes, more, status, code) => {
    expect(await plan(changes, more)).toMatchObject({ status, body: { code } });
  });

  it('says which part of a proposal is whose, where it touches records of several stacks', async () => {
    for (const stack of ['one', 'other']) {
      const name = `not-${stack}`;
      const denies = { name, effect: 'DENY', resource_type: 'payroll/payslip', actions: ['read'] };
      const given = { policy: name, entity_type: 'subject', entity: 'user/zoe' };
      await client.changeset({
        stack,
        changes: [
          ...(stack === 'one'
            ? [
                { op: 'create' as const, kind: 'subject' as const, fields: { type: 'user', id: 'zoe' } },
                {
                  op: 'create' as const,
                  kind: 'policy_assignment' as const,
                  fields: { ...given, policy: 'payroll/read' },
                },
              ]
            : []),
          { op: 'create', kind: 'policy', fields: denies },
          { op: 'create', kind: 'policy_assignment', fields: given },
        ],
      });
    }
    const question = {
      subject: { type: 'user', id: 'zoe' },
      action: { name: 'read' },
      resource: { type: 'payroll/payslip', name: 'P-1' },
    };
    const answer = await ask('POST', '/why-not', { base_revision: await revision(), question });
    const { proposals } = (await answer.json()) as {
      proposals: { stack?: string; changes: object[]; parts?: { stack: string; changes: object[] }[] }[];
    };
    const removal = (stack: string) => ({ op: 'delete', address: `policy_assignment/not-${stack}//subject/user/zoe` });
    const both = proposals.find(({ changes }) => JSON.stringify(changes).match(/"delete".*"delete"/));
    expect(both).toMatchObject({
      parts: [
        { stack: 'one', changes: [removal('one')] },
        { stack: 'other', changes: [removal('other')] },
      ],
    });
    expect(both?.stack).toBeUndefined();
    for (const { stack, changes } of both?.parts ?? [])
      expect([stack, (await plan(changes, { stack })).status]).toEqual([stack, 200]);
  });

  it('finds what would allow a denied question, and marks what would be refused', async () => {
    const question = (id: string) => ({
      subject: { type: 'user', id },
      action: { name: 'read' },
      resource: { type: 'payroll/payslip', name: 'P-1' },
    });
    const whyNot = async (id: string, base: string) => {
      const answer = await ask('POST', '/why-not', { base_revision: base, question: question(id) });
      // biome-ignore lint/suspicious/noExplicitAny: the test looks into answers of any shape.
      return { status: answer.status, body: (await answer.json()) as any };
    };
    const base = await revision();
    const alice = await whyNot('alice', base);
    expect(alice).toMatchObject({ status: 200, body: { allowed: false, not_weighed: 0 } });
    const proposed = alice.body.proposals.map(({ changes }: { changes: object[] }) => changes);
    expect(proposed).toContainEqual([membership('user/alice')]);
    expect((await plan(proposed[0])).body.access.findings[0].change).toBe('gained');
    const eve = await whyNot('eve', base);
    expect(eve.body.proposals[0].breaks).toMatchObject([{ rule: 'access_rule/not-eve', mode: 'enforce' }]);
    expect(await whyNot('alice', '1.0')).toMatchObject({ status: 409, body: { code: 'stale_base' } });
    const malformed = await ask('POST', '/why-not', { base_revision: base, question: {} });
    expect(malformed.status).toBe(400);
    expect(await revision()).toBe(base);
  });

  it('is for the records as they are, too: findings of lint, at the newest revision alone', async () => {
    const linted = await ask('GET', `/lint?revision=${await revision()}`);
    const { total, findings } = (await linted.json()) as {
      total: number;
      findings: { rule: string; address: string }[];
    };
    expect([linted.status, findings.length]).toEqual([200, total]);
    expect(findings).toContainEqual(expect.objectContaining({ rule: 'empty-group', address: 'group/clerks' }));
    expect((await ask('GET', '/lint?revision=1.0')).status).toBe(409);
  });

  it('is forgotten when its caller goes, and the next is found', async () => {
    const controller = new AbortController();
    const draft = { base_revision: await revision(), stack: 'payroll', changes: [membership('user/alice')] };
    const gone = ask('POST', '/draft-plans', draft, controller.signal).catch((error: Error) => error.name);
    controller.abort();
    expect(await gone).toBe('AbortError');
    const several = await Promise.all([plan([membership('user/alice')]), plan([membership('user/eve')])]);
    expect(several.map(({ body }) => body.counts?.added)).toEqual([1, 1]);
  });
});
