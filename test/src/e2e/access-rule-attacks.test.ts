/** Tries to slip a grant past access rules, against a cloud that runs: what is refused changes nothing. */
import { readManifest } from '@authz-service/core/manifest/read';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ATTACKED_TENANT } from './access-rules/attacked-tenant.js';
import { ATTACKS, HARMLESS } from './access-rules/attacks.js';
import { add, assign, type Change, change, drop, EVE, LATER, member } from './access-rules/changes.js';
import { type CloudBench, Workbench } from './cli/workbench.js';

let bench: Workbench;
let cloud: CloudBench;
let admin: ServiceClient;

beforeAll(async () => {
  bench = await Workbench.create();
  cloud = await bench.startCloud();
});
afterAll(() => bench.close());

beforeEach(async () => {
  const { SERVICE_CLIENT_ID: clientId = '', SERVICE_CLIENT_SECRET: clientSecret = '' } = await cloud.tenant();
  admin = new ServiceClient({ url: cloud.url, credentials: { clientId, clientSecret } });
  const { manifest } = readManifest([{ path: 'tenant.yaml', text: ATTACKED_TENANT }]);
  const changes = (manifest?.records ?? []).map(({ kind, fields }) => ({ op: 'create' as const, kind, fields }));
  // Eve reads what may be said to lie in both folders: that stands when the rules come.
  await commit(...(changes.filter(({ kind }) => kind !== 'access_rule') as Change[]));
  await commit(...(changes.filter(({ kind }) => kind === 'access_rule') as Change[]));
});

const commit = async (...changes: Change[]) => admin.changeset({ changes });
const ruleOf = async (name: string) =>
  (await admin.state()).records.find(({ address }) => address === `access_rule/${name}`)?.fields as object;
/** A client with an API key of its own. */
async function robotWith(fields: object): Promise<ServiceClient> {
  const made = await admin.records('api_key').create({ name: 'robot', ...fields } as never);
  return new ServiceClient({ url: cloud.url, credentials: { apiKey: (made as { secret?: string }).secret ?? '' } });
}

describe('a grant that is slipped past a rule', () => {
  it.each(ATTACKS)('is refused by %s', async (_, changes) => {
    const { revision } = await admin.state();
    await expect(commit(...changes(await ruleOf('no-externals')))).rejects.toMatchObject({
      code: 'access_rule_violated',
    });
    expect((await admin.state()).revision).toBe(revision);
  });
});

describe('what no rule forbids', () => {
  it.each(HARMLESS)('is committed: %s', async (_, changes) => {
    const { revision } = await admin.state();
    await commit(...changes(await ruleOf('no-externals')));
    expect((await admin.state()).revision).not.toBe(revision);
  });
});

describe('a rule', () => {
  it('lets one of two commits at once through that are harmless alone', async () => {
    const both = await Promise.allSettled([
      commit(member('inner', 'subject/user/ann')),
      commit(assign('payroll/approve', 'subject/user/ann')),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: 'access_rule_violated' });
  });

  it.each<[what: string, credential: object, code: string]>([
    ['without the scope', { scopes: ['records:read', 'records:write'] }, 'forbidden'],
    [
      'within limits, whatever its scopes',
      { scopes: ['records:read', 'records:write', 'access-rules'], limits: { stacks: ['api'] } },
      'outside_limits',
    ],
  ])('is not suspended, changed, removed or made by a credential %s', async (_, fields, code) => {
    const robot = await robotWith(fields);
    const rule = await ruleOf('no-externals');
    const { revision } = await admin.state();
    const address = 'access_rule/no-externals';
    for (const one of [
      change(address, { ...rule, suspended_until: LATER, suspension_reason: 'audit' }),
      change(address, { ...rule, mode: 'warn' }),
      drop(address),
      add('access_rule', { ...rule, name: 'mine' }),
    ])
      await expect(robot.changeset({ changes: [one] })).rejects.toMatchObject({ code });
    expect((await admin.state()).revision).toBe(revision);
  });

  it('holds for a credential within limits as for all others', async () => {
    const limits = { stacks: ['mine'], applications: ['payroll'] };
    const scopes = ['records:read', 'records:write'];
    const robot = await robotWith({ scopes, limits });
    const grant = { changes: [assign('payroll/read', EVE)], stack: 'mine' };
    await expect(robot.changeset(grant)).rejects.toMatchObject({ code: 'access_rule_violated' });
  });
});
