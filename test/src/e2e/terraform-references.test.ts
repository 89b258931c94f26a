/** References between records, as the real Terraform plans and applies them. */
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('references of records', () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  it('to what is in neither cloud nor configuration fail the plan', async () => {
    const referring = (role: string, more = '') => `
      resource "terraform_data" "x" { input = timestamp() }
      resource "service_role_assignment" "a" {
        role        = ${role}
        entity_type = "group"
        entity      = terraform_data.x.output
      }
      resource "service_role_assignment" "b" {
        role        = ${role}
        entity_type = "group"
        entity      = service_group.g.path
      }
      resource "service_group" "g" { name = "g" }
      ${more}`;
    const workspace = tenant.workspace(referring('"nowhere"'));
    const text = await workspace.fails('plan');
    for (const name of ['a', 'b']) {
      expect(text).toMatch(
        new RegExp(
          `with service_role_assignment\\.${name}, on main\\.tf line \\d+.*role: Role "nowhere" does not exist: .*role = service_role.NAME.path`,
        ),
      );
    }
    const { id } = await tenant.client.records('role').create({ name: 'nowhere' });
    await workspace.ok('plan');
    await tenant.client.records('role').delete(id);
    const made = 'resource "service_role" "nowhere" { name = "nowhere" }';
    workspace.write(referring('service_role.nowhere.path', made));
    await workspace.ok('plan');
    workspace.write(referring('"now-here"', `${made}\nresource "service_role" "other" { name = "other" }`));
    await workspace.apply('-target=service_role.nowhere');
    expect(await workspace.fails('plan')).toMatch(/"now-here" does not exist: did you mean "nowhere"\?/);
  });
});
