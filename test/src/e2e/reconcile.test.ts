import { readManifest } from '@authz-service/core/manifest/read';
import { ProblemError } from '@authz-service/core/problem';
import { applyPlan, planTree } from '@authz-service/provider/reconcile/reconcile';
import { ServiceClient } from '@authz-service/sdk/client';
import type { IssuedSecret } from '@authz-service/sdk/wire';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { operatorOf } from '../conformance/over-http.js';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(() => cloud.close());

/** `fetch` through a network that loses the answers to the first `lost` change-sets. */
function lossy(lost: number): typeof fetch {
  let left = lost;
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!String(url).endsWith('/v1/changesets') || left-- <= 0) return response;
    await response.arrayBuffer();
    const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
    throw new TypeError('fetch failed', { cause });
  };
}

async function tenant(name: string, lost = 0): Promise<ServiceClient> {
  const made = await operatorOf(cloud).tenants.create({ name });
  const credentials = { clientId: made.client_id, clientSecret: made.client_secret };
  return new ServiceClient({ url: cloud.url, credentials, fetch: lossy(lost) });
}

function manifest(text: string) {
  const { faults, manifest } = readManifest([{ path: 'tree.yaml', text: `version: 1\n${text}` }]);
  return manifest ?? expect.fail(JSON.stringify(faults));
}

const BILLING = manifest(`
stack: billing
applications:
  billing:
    resource_types: { invoice: { actions: [read] } }
    roles: { clerk: { assigned_to: [user/alice] } }
    policies:
      read: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: [role/billing/clerk] }
subjects: { user/alice: {} }
`);

it('a tree is applied in one revision, and then planned to nothing', async () => {
  const client = await tenant('tree');
  const base = await client.state();
  const plan = await planTree(client, BILLING);
  const result = await applyPlan(client, plan);
  expect(result).toMatchObject({ added: BILLING.records.length, changed: 0, removed: 0, unchanged: 0 });
  expect(Number.parseInt(result.revision, 10)).toBe(Number.parseInt(base.revision, 10) + 1);
  expect((await planTree(client, BILLING)).changes).toEqual([]);
  const question = {
    subject: { type: 'user', id: 'alice' },
    action: { name: 'read' },
    resource: { type: 'invoice', name: 'any' },
  };
  expect(await client.decide(question)).toMatchObject({ allowed: true });
});

it("what a plan's preflight refuses is what the cloud refuses, word for word", async () => {
  const client = await tenant('preflight');
  await applyPlan(client, await planTree(client, BILLING));
  await client.records('group').create({ name: 'staff' });
  await client.records('role_assignment').create({ role: 'billing/clerk', entity_type: 'group', entity: 'staff' });
  const preflight = await planTree(client, { ...BILLING, records: [] }).catch((error) => error);
  const { records } = await client.state();
  const mine = records.filter((record) => record.managed_by === 'billing');
  const sent = await client
    .changeset({ stack: 'billing', changes: mine.map(({ address }) => ({ op: 'delete', address })) })
    .catch((error) => error);
  expect(preflight).toBeInstanceOf(ProblemError);
  expect(preflight).toMatchObject({ code: sent.code, detail: sent.detail });
});

it('an apply whose answer gets lost is done once, and told as if it had not been lost', async () => {
  const client = await tenant('lost', 2);
  const plan = await planTree(client, BILLING);
  const result = await applyPlan(client, plan);
  expect(result).toMatchObject({ added: BILLING.records.length });
  expect(result.revision).toBe((await client.state()).revision);
  expect(Number.parseInt(result.revision, 10)).toBe(Number.parseInt(plan.base_revision, 10) + 1);
});

it('secrets that get lost with the answer are told of by the name of their credential', async () => {
  const client = await tenant('lost-secret', 1);
  const keys = manifest('api_keys: { ci: { scopes: [decisions] }, agent: { scopes: [bundle] } }');
  const kept: IssuedSecret[] = [];
  const credentialsSink = async (secrets: IssuedSecret[]) => void kept.push(...secrets);
  const error = await applyPlan(client, await planTree(client, keys), { credentialsSink }).catch((caught) => caught);
  expect(error).toMatchObject({
    code: 'network',
    detail: expect.stringMatching(/api_key\/(ci|agent), api_key\/(ci|agent) were lost/),
  });
  expect(kept).toEqual([]);
  expect((await planTree(client, keys)).changes).toEqual([]);
});

it('an apply that never gets an answer says that the tenant holds its changes', async () => {
  const client = await tenant('never', 99);
  const error = await applyPlan(client, await planTree(client, BILLING)).catch((caught) => caught);
  expect(error).toMatchObject({ code: 'network', detail: expect.stringContaining('the tenant holds all the changes') });
});

it('stacks that are applied to one tenant at once all get through', async () => {
  const client = await tenant('busy');
  const stacks = Array.from({ length: 4 }, (_, n) => manifest(`stack: s${n}\ngroups: { g${n}: {} }`));
  const plans = await Promise.all(stacks.map((tree) => planTree(client, tree)));
  const results = await Promise.all(
    plans.map((plan, n) => applyPlan(client, plan, { replan: () => planTree(client, stacks[n] ?? BILLING) })),
  );
  expect(results.map((result) => result.added)).toEqual([1, 1, 1, 1]);
  expect(new Set(results.map((result) => result.revision)).size).toBe(4);
});
