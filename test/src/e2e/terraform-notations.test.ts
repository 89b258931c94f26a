/** One tenant in several notations: each gives the same records, which the digest shows. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { operatorOf } from '../conformance/over-http.js';
import { applyTree, planOfTree } from './terraform/apply-tree.js';
import { TerraformTenant } from './terraform/product.js';
import { hasTerraform } from './terraform/workspace.js';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));

describe.skipIf(!hasTerraform)('the tenant of the examples', () => {
  let cloud: TestCloud;
  let tenant: TerraformTenant;
  let expected: string;
  beforeAll(async () => {
    cloud = await TestCloud.start();
    const { client } = await TerraformTenant.make(cloud, operatorOf(cloud));
    const empty = await digestOf(client);
    await applyTree(client, join(examples, 'tenant'));
    expected = await digestOf(client);
    expect(expected).not.toBe(empty);
  });
  afterAll(() => cloud.close());
  beforeEach(async () => {
    tenant = await TerraformTenant.make(cloud, operatorOf(cloud));
  });
  afterEach(() => tenant.remove());

  it('in HCL is the one in YAML', async () => {
    const workspace = tenant.workspace('');
    cpSync(join(examples, 'hcl'), workspace.dir, { recursive: true });
    await workspace.ok('fmt', '-check');
    await workspace.apply();
    expect(await digestOf(tenant.client)).toBe(expected);
    await workspace.isSettled();
    // What the one notation has made, the other one finds to be its own already.
    expect((await planOfTree(tenant.client, join(examples, 'tenant'))).changes).toEqual([]);
  });
});

/** The digest of all records, without the number of the revision that made them. */
async function digestOf(client: { state(): Promise<{ revision: string }> }): Promise<string> {
  return (await client.state()).revision.split('.')[1] ?? '';
}
