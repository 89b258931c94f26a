/** Access rules that are declared in Terraform, and what the real Terraform says when a configuration breaks one. */
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform, unwrapped } from './terraform/workspace.js';

let tenant: TerraformTenant;
eachOnATenant((made) => {
  tenant = made;
});

const PAYROLL = `
  resource "service_application" "payroll" { name = "payroll" }
  resource "service_resource_type" "payslip" {
    application = service_application.payroll.path
    name        = "payslip"
    actions     = ["read"]
  }
  resource "service_policy" "read" {
    application   = service_application.payroll.path
    name          = "read"
    effect        = "ALLOW"
    resource_type = service_resource_type.payslip.path
    actions       = ["read"]
  }
  resource "service_subject" "eve" {
    type       = "user"
    id         = "eve"
    properties = jsonencode({ contract = "external" })
  }`;
const rule = (mode: string) => `
  resource "service_access_rule" "no-externals" {
    name = "no-externals"
    mode = "${mode}"
    never = {
      subjects  = { type = "user", where = "subject.properties.contract == \\"external\\"" }
      actions   = ["read"]
      resources = { types = [service_resource_type.payslip.path] }
    }
  }`;
const GRANT = `
  resource "service_policy_assignment" "eve" {
    policy      = service_policy.read.path
    entity_type = "subject"
    entity      = service_subject.eve.path
  }`;

describe.skipIf(!hasTerraform)('a configuration that breaks an access rule', () => {
  it('is refused at its resource, with the request that shows it, and is applied once it is mended', async () => {
    const workspace = tenant.workspace(PAYROLL + rule('enforce'));
    await workspace.apply();
    const revisions = await tenant.revisions();

    workspace.write(PAYROLL + rule('enforce') + GRANT);
    const refused = await workspace.fails('apply', '-auto-approve');
    expect(refused).toContain('Error: Access rule violated with service_policy_assignment.eve, on main.tf line');
    expect(refused).toMatch(/forbids it, and user\/eve may "read" payroll\/payslip\/something at [0-9T:.-]+Z, by/);
    expect(await tenant.revisions()).toBe(revisions);

    // What is refused leaves nothing behind: the same configuration without it has nothing to do.
    workspace.write(PAYROLL + rule('enforce'));
    await workspace.isSettled();
  });

  it('is refused in the plan, where a policy comes to cover more and where a DENY goes', async () => {
    const deny = `
  resource "service_policy" "stop" {
    application   = service_application.payroll.path
    name          = "stop"
    effect        = "DENY"
    priority      = 9
    resource_type = service_resource_type.payslip.path
    actions       = ["read"]
  }
  resource "service_policy_assignment" "stop" {
    policy      = service_policy.stop.path
    entity_type = "everyone"
    entity      = "*"
  }`;
    const wide = PAYROLL.replaceAll('["read"]', '["read", "approve"]');
    const approving = rule('enforce').replace('["read"]', '["approve"]');
    const workspace = tenant.workspace(
      wide.replace('actions       = ["read", "approve"]', 'actions       = ["read"]') + GRANT + approving,
    );
    await workspace.apply();
    workspace.write(wide + GRANT + approving);
    const said = await workspace.fails('plan');
    expect(said).toContain('Error: Access rule violated with service_policy.read, on main.tf line');
    expect(said).toMatch(/may "approve" payroll\/payslip\/.* An apply would be refused here/);

    workspace.write(PAYROLL + deny);
    await workspace.apply();
    workspace.write(PAYROLL + deny + GRANT + rule('enforce'));
    await workspace.apply();
    workspace.write(PAYROLL + GRANT + rule('enforce'));
    expect(await workspace.fails('plan')).toMatch(/Access rule violated .*policy(?:_assignment)?\/payroll\/stop/);
    workspace.write(PAYROLL + rule('enforce'));
    await workspace.ok('plan');
    expect(unwrapped((await workspace.run('plan')).text)).not.toContain('Access rule violated');
  });

  it('is applied with a warning where the rule only warns', async () => {
    const workspace = tenant.workspace(PAYROLL + rule('warn'));
    await workspace.apply();
    workspace.write(PAYROLL + rule('warn') + GRANT);
    const said = unwrapped(await workspace.apply());
    expect(said).toMatch(/Warning: .*no-externals.* user\/eve may "read" payroll\/payslip\/something .*only warns/);
    expect(await tenant.addresses()).toContain('policy_assignment/payroll/read//subject/user/eve');
    await workspace.isSettled();
  });

  it('is refused along with the removal of the rule', async () => {
    const workspace = tenant.workspace(PAYROLL + rule('enforce'));
    await workspace.apply();
    const revisions = await tenant.revisions();
    const scopes = ['records:read', 'records:write'];
    const client = await tenant.client.records('oauth_client').create({ name: 'pipeline', scopes } as never);
    const { client_id: id = '', client_secret: secret = '' } = client as unknown as Record<string, string>;

    workspace.write(PAYROLL + GRANT);
    const env = { SERVICE_CLIENT_ID: id, SERVICE_CLIENT_SECRET: secret };
    const { status, text } = await workspace.start(['apply', '-auto-approve'], env).finished;
    expect(status, text).toBe(1);
    expect(text).toContain('Error: Access rule violated');
    expect(await tenant.revisions()).toBe(revisions + 1);
    expect(await tenant.addresses()).toContain('access_rule/no-externals');
    expect(await tenant.addresses()).not.toContain('policy_assignment/payroll/read//subject/user/eve');
  });
});
