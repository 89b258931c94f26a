/** Trees of records that a configuration makes from data, by the real Terraform. */
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('records of one kind that mention each other by text', () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  const config = (tree: string) => `provider "service" { stack = "rt" }
resource "service_application" "d" { name = "d" }
resource "service_resource_type" "f" {
  application = service_application.d.path
  name = "f"
  actions = ["l"]
  parents = [{ type = "d/f", property = "f" }]
}
locals { tree = ${tree} }
resource "service_resource" "n" {
  for_each = local.tree
  type = service_resource_type.f.path
  name = each.key
  parents = each.value == null ? null : ["\${service_resource_type.f.path}/\${each.value}"]
}
resource "service_role" "r" {
  for_each = local.tree
  application = service_application.d.path
  name = each.key
  includes = each.value == null ? null : ["\${service_application.d.path}/\${each.value}"]
}
`;
  const TREE = '{ root = null, a = "root", b = "root", c = "a" }';

  it('are planned, made and removed in whichever order Terraform walks', async () => {
    const workspace = tenant.workspace(config(TREE));
    await workspace.ok('plan', '-parallelism=1');
    await workspace.apply();
    expect(await tenant.fields('resource/d/f/c')).toMatchObject({ parents: ['d/f/a'] });
    expect(await tenant.fields('role/d/c')).toMatchObject({ includes: ['d/a'] });
    await workspace.isSettled();
    await workspace.ok('destroy', '-auto-approve');
    expect(await tenant.addresses()).not.toContain('resource/d/f/root');
  });

  it('are refused in the plan where a name leads nowhere', async () => {
    const workspace = tenant.workspace(config(TREE.replace('c = "a"', 'c = "z"')));
    const said = await workspace.fails('plan');
    expect(said).toContain('"d/f/z"');
    expect(said.match(/Error: \w+ \w+ with service_\w+\.\w\["c"\]/g)).toHaveLength(2);
    expect(said.match(/Error: /g)).toHaveLength(2);
  });
});
