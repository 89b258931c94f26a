import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ask, billing, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.tenant('ruled');
  await cloud.commit(admin, billing());
});
afterAll(() => cloud.close());

const ask = (method: string, path: string, more: Ask = {}) => cloud.ask(method, path, { as: admin, ...more });
const commit = (...changes: object[]) => ask('POST', '/v1/changesets', { body: { changes } });
const RULE = {
  name: 'four-eyes',
  never: { subjects: { named: ['user/mallory'] }, actions: ['approve'], resources: { types: ['billing/invoice'] } },
};
const mallory = { op: 'create', kind: 'subject', fields: { type: 'user', id: 'mallory' } };
const grant = (more: object = {}) => ({
  op: 'create',
  kind: 'policy_assignment',
  fields: { policy: 'billing/approve', entity_type: 'subject', entity: 'user/mallory', ...more },
});

describe('an access rule', () => {
  it('refuses what breaks it, with a request and the change that would bring it', async () => {
    await commit(mallory, { op: 'create', kind: 'access_rule', fields: RULE });
    const { status, body } = await commit(grant());
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'access_rule_violated' });
    expect(body.errors).toEqual([
      {
        pointer: '/changes/0',
        address: 'policy_assignment/billing/approve//subject/user/mallory',
        detail: expect.stringMatching(
          /^The access rule "four-eyes" forbids it, and user\/mallory may "approve" billing\/invoice\/.* at .*, by policy_assignment\/billing\/approve\/\/subject\/user\/mallory\.$/,
        ),
      },
    ]);
  });

  it('refuses it over every route of writing', async () => {
    const { fields } = grant();
    const single = await ask('POST', '/v1/policy-assignments', { body: fields });
    expect({ status: single.status, code: single.body.code }).toEqual({ status: 409, code: 'access_rule_violated' });
  });

  it('refuses what breaks it in the change-set that removes it, changes it or suspends it', async () => {
    const address = 'access_rule/four-eyes';
    const until = { suspended_until: '2999-01-01T00:00:00Z', suspension_reason: 'audit' };
    for (const change of [
      { op: 'delete', address },
      { op: 'update', address, fields: { ...RULE, mode: 'warn' } },
      { op: 'update', address, fields: { ...RULE, ...until } },
    ]) {
      expect((await commit(change, grant())).body.code).toBe('access_rule_violated');
    }
  });

  it('judges each of two commits at once on the state that it is committed on', async () => {
    const group = { op: 'create', kind: 'group', fields: { name: 'crew' } };
    await commit(group);
    const answers = await Promise.all([
      commit({ ...grant(), fields: { ...grant().fields, entity_type: 'group', entity: 'crew' } }),
      commit({
        op: 'create',
        kind: 'group_membership',
        fields: { group: 'crew', entity_type: 'subject', entity: 'user/mallory' },
      }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('takes the scope access-rules and no limits to be changed', async () => {
    const key = await cloud.key(admin, ['records:write']);
    const body = { ...RULE, name: 'mine' };
    expect((await cloud.ask('POST', '/v1/access-rules', { as: key, body })).body.code).toBe('forbidden');
    const limited = await cloud.key(admin, ['records:write', 'access-rules'], { limits: { stacks: ['mine'] } });
    const made = await cloud.ask('POST', '/v1/access-rules?stack=mine', { as: limited, body });
    expect(made.body.code).toBe('outside_limits');
  });

  describe('that names what a writer without the scope renames', () => {
    const docs = (kind: string, fields: object) => ({ op: 'create', kind, fields });
    const records = [
      docs('application', { name: 'docs' }),
      docs('resource_type', { application: 'docs', name: 'document', actions: ['read'] }),
      docs('resource', { type: 'docs/document', name: 'salaries' }),
      docs('group', { name: 'ext' }),
      docs('role', { application: 'docs', name: 'reader' }),
      docs('subject', { type: 'user', id: 'eve' }),
      docs('access_rule', {
        name: 'kept',
        never: {
          subjects: { named: ['user/eve'], groups: ['ext'], roles: ['docs/reader'] },
          actions: ['read'],
          resources: { types: ['docs/document'], named: ['docs/document/salaries'] },
        },
        when: 'subject.in_group("ext") || subject.id == "eve"',
      }),
    ];
    let tenant: string;
    let writers: readonly string[];

    beforeAll(async () => {
      tenant = await cloud.tenant('renamed');
      expect((await cloud.ask('POST', '/v1/changesets', { as: tenant, body: { changes: records } })).status).toBe(200);
      const limits = { applications: ['docs'] };
      writers = [
        await cloud.key(tenant, ['records:write']),
        await cloud.key(tenant, ['records:write'], { limits }),
        await cloud.key(tenant, ['records:write', 'access-rules'], { limits }),
      ];
    });

    it.each([
      ['resource_type/docs/document', 'resource_type/docs/old'],
      ['resource/docs/document/salaries', 'resource/docs/document/old'],
      ['subject/user/eve', 'subject/user/eva'],
      ['group/ext', 'group/out'],
      ['role/docs/reader', 'role/docs/viewer'],
      ['application/docs', 'application/old'],
    ])('is kept from following %s', async (from, to) => {
      for (const as of writers) {
        const { status, body } = await cloud.ask('POST', '/v1/changesets', {
          as,
          body: { changes: [{ op: 'move', from, to }] },
        });
        expect({ status, code: body.code }, from).toEqual({
          status: 403,
          code: expect.stringMatching(/^(?:forbidden|outside_limits)$/),
        });
      }
      const moved = await cloud.ask('POST', '/v1/changesets', {
        as: tenant,
        body: { changes: [{ op: 'move', from, to }] },
      });
      expect(moved.status, moved.body.detail).toBe(200);
      await cloud.ask('POST', '/v1/changesets', {
        as: tenant,
        body: { changes: [{ op: 'move', from: to, to: from }] },
      });
    });

    it('is named with what it names and with the remedy', async () => {
      const [as] = writers;
      const changes = [{ op: 'move', from: 'subject/user/eve', to: 'subject/user/eva' }];
      const { body } = await cloud.ask('POST', '/v1/changesets', { as: as as string, body: { changes } });
      expect(body.detail).toMatch(
        /^"access_rule\/kept" names "subject\/user\/eve", so this rename changes the rule, .* lacks the scope "access-rules": keep the name, or use a credential/,
      );
    });
  });

  it('is in no bundle, and leaves the digest', async () => {
    const before = (await ask('GET', '/v1/state')).body.revision;
    await commit({ op: 'create', kind: 'access_rule', fields: { ...RULE, name: 'another', mode: 'warn' } });
    const after = (await ask('GET', '/v1/state')).body.revision;
    expect(after.split('.')[1]).toBe(before.split('.')[1]);
    expect(after).not.toBe(before);
  });

  it('lets through what it only warns of, and stands in the list of violations', async () => {
    await commit({ op: 'delete', address: 'access_rule/four-eyes' });
    expect((await commit(grant())).status).toBe(200);
    const { status, body } = await ask('GET', '/v1/access-rule-violations');
    expect(status).toBe(200);
    expect(body.violations).toEqual([
      expect.objectContaining({ rule: 'access_rule/another', form: 'never', mode: 'warn', proven: true }),
    ]);
  });

  it('counts breaches and existing violations', async () => {
    const text = await (await fetch(`${cloud.url}/metrics`)).text();
    expect(text).toMatch(/service_cloud_access_rule_breaches_total\{mode="enforce"\} [1-9]/);
    expect(text).toMatch(/service_cloud_access_rule_breaches_total\{mode="warn"\} 1/);
    expect(text).toMatch(/service_cloud_access_rule_violations\{tenant="[^"]+"\} 1/);
  });

  it('is counted no longer once the tenant is gone', async () => {
    expect((await cloud.ask('DELETE', '/v1/tenants/ruled', { as: await cloud.token() })).status).toBe(204);
    const text = await (await fetch(`${cloud.url}/metrics`)).text();
    expect(text).not.toContain('service_cloud_access_rule_violations{');
  });
});
