/** A bank with roles on resources, hierarchies, included roles, everyone and schemas, in three notations. */
import { join } from 'node:path';
import { readManifest } from '@authz-service/core/manifest/read';
import { Application } from '@authz-service/provider/cdktf/application';
import { everyone } from '@authz-service/provider/cdktf/everyone';
import { Group } from '@authz-service/provider/cdktf/group';
import { Subject } from '@authz-service/provider/cdktf/subject';
import { ContextAttribute } from '@authz-service/provider/constructs/context-attribute';
import { ServiceProvider } from '@authz-service/provider/constructs/provider';
import { SubjectType } from '@authz-service/provider/constructs/subject-type';
import { App, LocalBackend, TerraformStack } from 'cdktf';
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform } from './terraform/workspace.js';

const CONDITIONS = {
  transfer:
    'context.amount <= subject.properties.limit || (subject.in_group("desk") && subject.has_role("bank/manager"))',
  inside: 'ip_in(context.ip, "10.0.0.0/8") && resource.ancestor("bank/region").properties.open',
};

const YAML = `
version: 1
stack: bank
applications:
  bank:
    resource_types:
      region: { actions: [report], properties: { open: boolean } }
      branch: { actions: [report], parents: [{ type: region, property: region }] }
      account: { actions: [view, transfer], parents: [{ type: branch, property: branch }], properties: { frozen: boolean } }
    resources:
      north: { type: region, properties: { open: true } }
      kiel: { type: branch, parents: [region/north] }
      K-1: { type: account, parents: [branch/kiel], properties: { frozen: false } }
    roles:
      clerk: { from_requests: false, assigned_to: [{ to: group/desk, resource: branch/kiel }] }
      manager: { includes: [clerk], from_requests: false, assigned_to: [{ to: user/mia, resource: region/north }] }
      auditor: { assigned_to: [{ to: user/axel, starts_at: "2027-03-01T00:00:00.000Z", expires_at: "2027-03-08T00:00:00.000Z" }] }
    policies:
      view: { effect: ALLOW, resource_type: account, actions: [view], assigned_to: [role/bank/clerk, role/bank/auditor] }
      transfer:
        { effect: ALLOW, resource_type: account, actions: [transfer], condition: '${CONDITIONS.transfer}', assigned_to: [role/bank/clerk] }
      report: { effect: ALLOW, resource_types: [region, branch], actions: [report], assigned_to: [role/bank/manager] }
      north: { effect: ALLOW, resources: [{ resource: region/north, actions: [view, report], below: true }], assigned_to: [group/board] }
      inside: { effect: ALLOW, resource_type: account, actions: [view], condition: '${CONDITIONS.inside}', assigned_to: [everyone/user] }
      second-factor:
        { effect: DENY, priority: 100, resource_types: ["*"], actions: [transfer], unless: { mfa_required: true }, assigned_to: [everyone] }
groups: { desk: { members: [user/karl] }, board: {} }
subject_types: { user: { properties: { limit: number } } }
context_attributes: { amount: { type: number } }
subjects: { user/karl: { properties: { limit: 10000 } }, user/mia: { properties: { limit: 0 } }, user/axel: {} }
`;

const text = (condition: string) => JSON.stringify(condition);

const HCL = `
locals { bank = service_application.bank.path }
resource "service_application" "bank" { name = "bank" }
resource "service_resource_type" "region" {
  application = local.bank
  name        = "region"
  actions     = ["report"]
  properties  = { open = "boolean" }
}
resource "service_resource_type" "branch" {
  application = local.bank
  name        = "branch"
  actions     = ["report"]
  parents     = [{ type = service_resource_type.region.path, property = "region" }]
}
resource "service_resource_type" "account" {
  application = local.bank
  name        = "account"
  actions     = ["view", "transfer"]
  properties  = { frozen = "boolean" }
  parents     = [{ type = service_resource_type.branch.path, property = "branch" }]
}
resource "service_resource" "north" {
  type       = service_resource_type.region.path
  name       = "north"
  properties = jsonencode({ open = true })
}
resource "service_resource" "kiel" {
  type    = service_resource_type.branch.path
  name    = "kiel"
  parents = [service_resource.north.path]
}
resource "service_resource" "account" {
  type       = service_resource_type.account.path
  name       = "K-1"
  parents    = [service_resource.kiel.path]
  properties = jsonencode({ frozen = false })
}
resource "service_role" "clerk" {
  application   = local.bank
  name          = "clerk"
  from_requests = false
}
resource "service_role" "manager" {
  application   = local.bank
  name          = "manager"
  includes      = [service_role.clerk.path]
  from_requests = false
}
resource "service_role" "auditor" {
  application = local.bank
  name        = "auditor"
}
resource "service_role_assignment" "clerk" {
  role        = service_role.clerk.path
  entity_type = "group"
  entity      = service_group.group["desk"].path
  resource    = service_resource.kiel.path
}
resource "service_role_assignment" "manager" {
  role        = service_role.manager.path
  entity_type = "subject"
  entity      = service_subject.user["mia"].path
  resource    = service_resource.north.path
}
resource "service_role_assignment" "auditor" {
  role        = service_role.auditor.path
  entity_type = "subject"
  entity      = service_subject.user["axel"].path
  starts_at   = "2027-03-01T00:00:00Z"
  expires_at  = "2027-03-08T00:00:00Z"
}
locals {
  policies = {
    view     = { actions = ["view"] }
    transfer = { actions = ["transfer"], condition = ${text(CONDITIONS.transfer)} }
    inside   = { actions = ["view"], condition = ${text(CONDITIONS.inside)} }
  }
}
resource "service_policy" "account" {
  for_each      = local.policies
  application   = local.bank
  name          = each.key
  effect        = "ALLOW"
  resource_type = service_resource_type.account.path
  actions       = each.value.actions
  condition     = try(each.value.condition, null)
  depends_on    = [service_group.group, service_role.manager]
}
resource "service_policy" "report" {
  application    = local.bank
  name           = "report"
  effect         = "ALLOW"
  resource_types = [service_resource_type.region.path, service_resource_type.branch.path]
  actions        = ["report"]
}
resource "service_policy" "north" {
  application = local.bank
  name        = "north"
  effect      = "ALLOW"
  resources   = [{ resource = service_resource.north.path, actions = ["view", "report"], below = true }]
}
resource "service_policy" "second_factor" {
  application    = local.bank
  name           = "second-factor"
  effect         = "DENY"
  priority       = 100
  resource_types = ["*"]
  actions        = ["transfer"]
  unless         = { mfa_required = true }
}
resource "service_policy_assignment" "of" {
  for_each = {
    view     = [service_policy.account["view"].path, "role", service_role.clerk.path]
    audit    = [service_policy.account["view"].path, "role", service_role.auditor.path]
    transfer = [service_policy.account["transfer"].path, "role", service_role.clerk.path]
    inside   = [service_policy.account["inside"].path, "everyone", "user"]
    report   = [service_policy.report.path, "role", service_role.manager.path]
    north    = [service_policy.north.path, "group", service_group.group["board"].path]
    factor   = [service_policy.second_factor.path, "everyone", "*"]
  }
  policy      = each.value[0]
  entity_type = each.value[1]
  entity      = each.value[2]
}
resource "service_group" "group" {
  for_each = toset(["desk", "board"])
  name     = each.key
}
resource "service_group_membership" "karl" {
  group       = service_group.group["desk"].path
  entity_type = "subject"
  entity      = service_subject.user["karl"].path
}
resource "service_subject_type" "user" {
  name       = "user"
  properties = { limit = "number" }
}
resource "service_context_attribute" "amount" {
  name = "amount"
  type = "number"
}
resource "service_subject" "user" {
  for_each   = { karl = { limit = 10000 }, mia = { limit = 0 }, axel = null }
  type       = "user"
  id         = each.key
  properties = each.value == null ? null : jsonencode(each.value)
}
`;

function declareBank(stack: TerraformStack): void {
  const karl = new Subject(stack, 'karl', { properties: { limit: 10000 } });
  const mia = new Subject(stack, 'mia', { properties: { limit: 0 } });
  const axel = new Subject(stack, 'axel');
  const desk = new Group(stack, 'desk', { members: [karl] });
  const board = new Group(stack, 'board');
  new SubjectType(stack, 'user', { name: 'user', properties: { limit: 'number' } });
  new ContextAttribute(stack, 'amount', { name: 'amount', type: 'number' });
  const bank = new Application(stack, 'bank');
  const region = bank.resourceType('region', { actions: ['report'], properties: { open: 'boolean' } });
  const branch = bank.resourceType('branch', { actions: ['report'], parents: [{ type: region, property: 'region' }] });
  const account = bank.resourceType('account', {
    actions: ['view', 'transfer'],
    properties: { frozen: 'boolean' },
    parents: [{ type: branch, property: 'branch' }],
  });
  const north = region.resource('north', { properties: { open: true } });
  const kiel = branch.resource('kiel', { parents: [north] });
  account.resource('K-1', { parents: [kiel], properties: { frozen: false } });
  const clerk = bank.role('clerk', { fromRequests: false }).assignTo(desk, { resource: kiel });
  const manager = bank.role('manager', { includes: [clerk], fromRequests: false }).assignTo(mia, { resource: north });
  const auditor = bank.role('auditor');
  auditor.assignTo(axel, { startsAt: '2027-03-01T00:00:00Z', expiresAt: '2027-03-08T00:00:00Z' });
  const of = { resourceType: account, actions: ['view'] };
  bank.policy('view', of).assignTo(clerk).assignTo(auditor);
  const transfer = bank.policy('transfer', { ...of, actions: ['transfer'], condition: CONDITIONS.transfer });
  // What a condition names has to exist before it.
  transfer.record.dependsOn = [desk, manager].map(
    ({ record }) => `${record.terraformResourceType}.${record.friendlyUniqueId}`,
  );
  transfer.assignTo(clerk);
  bank.policy('inside', { ...of, condition: CONDITIONS.inside }).assignTo(everyone('user'));
  bank.policy('report', { resourceTypes: [region, branch], actions: ['report'] }).assignTo(manager);
  const below = bank.policy('north', { resources: [{ resource: north, actions: ['view', 'report'], below: true }] });
  below.assignTo(board);
  const factor = { effect: 'DENY', priority: 100, unless: { mfaRequired: true } } as const;
  bank.policy('second-factor', { ...factor, resourceTypes: ['*'], actions: ['transfer'] }).assignTo(everyone());
}

/** Declares so many folders, each in the one before. */
const chain = (length: number) =>
  Array.from(
    { length },
    (_, at) => `
  resource "service_resource" "f${at}" {
    type    = service_resource_type.folder.path
    name    = "f${at}"
    parents = ${at === 0 ? 'null' : `[service_resource.f${at - 1}.path]`}
  }`,
  ).join('');

/** A folder with 8, 64 and 192 folders above it. */
const WIDE = `
  resource "service_resource" "top" {
    count = 192
    type  = service_resource_type.folder.path
    name  = "top\${count.index}"
  }
  resource "service_resource" "mid" {
    count   = 64
    type    = service_resource_type.folder.path
    name    = "mid\${count.index}"
    parents = [for at in range(3) : service_resource.top[3 * count.index + at].path]
  }
  resource "service_resource" "low" {
    count   = 8
    type    = service_resource_type.folder.path
    name    = "low\${count.index}"
    parents = [for at in range(8) : service_resource.mid[8 * count.index + at].path]
  }
  resource "service_resource" "leaf" {
    type    = service_resource_type.folder.path
    name    = "leaf"
    parents = service_resource.low[*].path
  }`;

const DOCS = `
  resource "service_application" "docs" { name = "docs" }
  resource "service_resource_type" "folder" {
    application = service_application.docs.path
    name        = "folder"
    actions     = ["read"]
    parents     = [{ type = "docs/folder", property = "folder" }]
  }
  resource "service_role" "a" { name = "a" }
  resource "service_group" "g" { name = "g" }`;

describe.skipIf(!hasTerraform)('a bank', { timeout: 180_000 }, () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  /** The tenant's records are those of the tree, whoever made them. */
  async function isTheOneInYaml(): Promise<void> {
    const { manifest, faults } = readManifest([{ path: 'bank.yaml', text: YAML }]);
    expect(faults).toEqual([]);
    const { records } = await tenant.client.state();
    const made = new Map(records.map(({ address, fields }) => [address, fields]));
    made.delete('oauth_client/administrator');
    expect(made).toEqual(new Map(manifest?.records.map(({ address, fields }) => [address, fields])));
  }

  it('in HCL is the one in YAML', async () => {
    const workspace = tenant.workspace(HCL);
    await workspace.apply();
    await isTheOneInYaml();
    await workspace.isSettled();
    await workspace.ok('destroy', '-auto-approve');
  });

  it('in CDKTF is the one in YAML', async () => {
    const workspace = await tenant.newcomer();
    const app = new App({ outdir: join(workspace.dir, 'cdktf.out') });
    const stack = new TerraformStack(app, 'bank');
    new LocalBackend(stack, { path: join(workspace.dir, 'bank.tfstate') });
    new ServiceProvider(stack, 'service', { stack: 'bank' });
    declareBank(stack);
    app.synth();
    const there = '-chdir=cdktf.out/stacks/bank';
    await workspace.ok(there, 'init');
    await workspace.ok(there, 'apply', '-auto-approve');
    await isTheOneInYaml();
    await workspace.isSettled(there);
  });

  it.each([
    [
      'a place that names nothing',
      `resource "service_role_assignment" "x" {
        role        = service_role.a.path
        entity_type = "group"
        entity      = service_group.g.path
        resource    = "docs/folder/nowhere"
      }`,
      /Resource "docs\/folder\/nowhere" does not exist: declare it, or correct the name\. A record of this configuration is referred to as resource = service_resource\.NAME\.path/,
    ],
    [
      'a hierarchy that is too deep',
      chain(33),
      /It lies on level 33 of its hierarchy: at most 32 are allowed\. Move it up\./,
    ],
    ['too many ancestors', WIDE, /It has 264 ancestors: at most 256 are allowed\. Take some of its parents out\./],
    [
      'a parent of a type that the type does not declare',
      `resource "service_resource_type" "page" {
        application = service_application.docs.path
        name        = "page"
        actions     = ["read"]
      }
      resource "service_resource" "page" {
        type = service_resource_type.page.path
        name = "p"
        parents = [service_resource.top.path]
      }
      resource "service_resource" "top" {
        type = service_resource_type.folder.path
        name = "top"
      }`,
      /The type "docs\/page" declares no parents of the type "docs\/folder", it declares none: add it there, or take this parent out\./,
    ],
  ])('refuses %s in the plan', async (_, more, fault) => {
    const workspace = tenant.workspace(`${DOCS}\n${more}`);
    expect(await workspace.fails('plan')).toMatch(fault);
  });

  it('refuses a circle of inclusions in the plan', async () => {
    const role = (name: string, includes: string) =>
      `resource "service_role" "${name}" {\n  name = "${name}"\n  includes = ${includes}\n}\n`;
    const workspace = tenant.workspace(role('x', 'null') + role('y', '[service_role.x.path]'));
    await workspace.apply();
    workspace.write(role('x', '["y"]') + role('y', '[service_role.x.path]'));
    expect(await workspace.fails('plan')).toMatch(
      /Roles include each other in a circle: [xy] → [xy] → [xy]\. Take one of these inclusions out\./,
    );
  });
});
