/** One tenant in several notations: each gives the same records, which the digest shows. */
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTree } from '@authz-service/embedded/tree/read-tree';
import { Role } from '@authz-service/provider/cdktf/role';
import { Tree } from '@authz-service/provider/cdktf/tree';
import { ServiceProvider } from '@authz-service/provider/constructs/provider';
import { App, LocalBackend, TerraformStack } from 'cdktf';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { operatorOf } from '../conformance/over-http.js';
import { applyTree, planOfTree } from './terraform/apply-tree.js';
import { TerraformTenant } from './terraform/product.js';
import { hasTerraform } from './terraform/workspace.js';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));

describe.skipIf(!hasTerraform)('the tenant of the examples', { timeout: 90_000 }, () => {
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
    // What one notation has created belongs to the other one, too.
    expect((await planOfTree(tenant.client, join(examples, 'tenant'))).changes).toEqual([]);
  });

  it('in CDKTF, by typed constructs, is the one in YAML', async () => {
    const workspace = await tenant.newcomer();
    execFileSync(process.execPath, [join(examples, 'cdktf/dist/main.js')], { cwd: workspace.dir });
    await workspace.ok(STACK, 'init');
    await workspace.ok(STACK, 'apply', '-auto-approve');
    expect(await digestOf(tenant.client)).toBe(expected);
    expect((await planOfTree(tenant.client, join(examples, 'tenant'))).changes).toEqual([]);
    await workspace.isSettled(STACK);
  });

  it('as a tree of YAML within CDKTF is the one in YAML, and other constructs refer to it', async () => {
    const workspace = await tenant.newcomer();
    const app = new App({ outdir: join(workspace.dir, 'cdktf.out') });
    const stack = new TerraformStack(app, 'acme');
    const state = { path: join(workspace.dir, 'acme.tfstate') };
    new LocalBackend(stack, state);
    new ServiceProvider(stack, 'service', { stack: 'acme' });
    const tree = new Tree(stack, 'tenant', { files: await readTree(join(examples, 'tenant')) });
    app.synth();
    await workspace.ok(STACK, 'init');
    await workspace.ok(STACK, 'apply', '-auto-approve');
    expect(await digestOf(tenant.client)).toBe(expected);

    const more = new App({ outdir: join(workspace.dir, 'cdktf.out') });
    const mixed = new TerraformStack(more, 'acme');
    new LocalBackend(mixed, state);
    new ServiceProvider(mixed, 'service', { stack: 'acme' });
    const files = [...(await readTree(join(examples, 'tenant'))), { path: 'more.yaml', text: UNUSUAL }];
    const declared = new Tree(mixed, 'tenant', { files });
    new Role(mixed, 'reader').assignTo(declared.entity('group/finance'));
    more.synth();
    expect(await workspace.ok(STACK, 'apply', '-auto-approve')).toContain('4 added, 0 changed, 0 destroyed');
    expect(await tenant.fields('role_assignment/reader//group/finance')).toBeDefined();
    expect(await tenant.fields(`subject/user/${ODD}`)).toEqual({
      type: 'user',
      id: ODD,
      properties: { text: '%{if true}', list: [ODD] },
    });
    expect(() => tree.entity('group/nobody')).toThrow('declares no record "group/nobody"');
  });
});

/** The folder in which CDKTF puts what Terraform applies. */
const STACK = '-chdir=cdktf.out/stacks/acme';

/** Text that Terraform would take for an expression. */
const ODD = ['$', '{path.cwd}'].join('');

const UNUSUAL = `
version: 1
subjects:
  user/${ODD}: { properties: { text: "%{if true}", list: ["${ODD}"] } }
api_keys:
  agent: { scopes: [bundle] }
`;

/** The digest of all records, without the number of the revision that made them. */
async function digestOf(client: { state(): Promise<{ revision: string }> }): Promise<string> {
  return (await client.state()).revision.split('.')[1] ?? '';
}
