/** The examples of the provider's reference pages, applied by the real Terraform. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { applyTree } from './terraform/apply-tree.js';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform } from './terraform/workspace.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const EXAMPLES = join(root, 'provider/examples');
const example = (path: string) => readFileSync(join(EXAMPLES, path), 'utf8');

/** Variables that examples take. */
const VARIABLES = {
  TF_VAR_agent_key: `svc_${'k'.repeat(40)}`,
  TF_VAR_pipeline_secret: 's'.repeat(40),
};

describe.skipIf(!hasTerraform)('the example of', { timeout: 90_000 }, () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  it.each(readdirSync(join(EXAMPLES, 'resources')))(
    'the resource %s applies, and imports what it says',
    async (type) => {
      const workspace = tenant.workspace(example(`resources/${type}/resource.tf`), VARIABLES);
      await workspace.apply();
      for (const secret of Object.values(VARIABLES)) expect(workspace.stateText()).not.toContain(secret);
      const { to, id } =
        /to = (?<to>\S+)\n\s*id = "(?<id>[^"]+)"/.exec(example(`resources/${type}/import.tf`))?.groups ?? {};
      const state = JSON.parse(workspace.stateText()) as { resources: StateResource[] };
      const addresses = state.resources.flatMap(({ type: own, name, instances }) =>
        instances.map(({ index_key: key, attributes }) => [
          `${own}.${name}${key === undefined ? '' : `["${key}"]`}`,
          attributes.address,
        ]),
      );
      expect(addresses).toContainEqual([to, id]);
    },
  );

  it('all data sources reads a tenant, and that of the access token makes one', async () => {
    await applyTree(tenant.client, join(root, 'examples/tenant'));
    await tenant.client.records('api_key').create({ name: 'agent-eu', scopes: ['bundle'] });
    await tenant.client.records('oauth_client').create({ name: 'pipeline', scopes: ['records:write'] });
    await tenant.client.records('directory').create({ name: 'okta' });
    await tenant.client.records('access_rule').create({
      name: 'no-externals-in-payroll',
      never: { actions: ['delete'], resources: { types: ['billing/invoice'] } },
    });
    const workspace = tenant.workspace('');
    for (const folder of ['data-sources', 'ephemeral-resources']) {
      for (const type of readdirSync(join(EXAMPLES, folder))) {
        const name = `${folder.slice(0, -1)}.tf`;
        copyFileSync(join(EXAMPLES, folder, type, name), join(workspace.dir, `${type}_${name}`));
      }
    }
    expect(await workspace.apply()).not.toContain('Warning: Check block assertion failed');
    expect(await workspace.outputs()).toMatchObject({
      amount_of_the_first: 120,
      approval_limit_of_bob: 10000,
      invoice_actions: ['approve', 'delete', 'pay', 'read'],
      invoice_names: ['INV-1', 'INV-2', 'INV-3'],
      writers: ['engineering'],
      denying_policies: ['billing/closed-is-closed'],
      key_names: ['agent-eu'],
      type_of_okta_people: 'user',
    });
    expect(workspace.stateText()).not.toContain('eyJ');
  });
});

interface StateResource {
  type: string;
  name: string;
  instances: { index_key?: string; attributes: { address: string } }[];
}
