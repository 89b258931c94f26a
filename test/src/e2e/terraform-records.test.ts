/** The provider against a running cloud, by the real Terraform: every kind of record, and its life. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { operatorOf } from '../conformance/over-http.js';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import { EVERY_ADDRESS, EVERY_KIND } from './terraform/every-kind.js';
import { TerraformTenant } from './terraform/product.js';
import { hasTerraform, unwrapped } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('the records of a tenant in Terraform', () => {
  let cloud: TestCloud;
  let tenant: TerraformTenant;
  eachOnATenant((made, on) => {
    [tenant, cloud] = [made, on];
  });

  it('of every kind are made, settle, are imported by address and by id, and are removed', async () => {
    const workspace = tenant.workspace(EVERY_KIND);
    await workspace.ok('validate');
    expect(await workspace.apply()).toContain('29 added');
    expect(await tenant.addresses()).toEqual(EVERY_ADDRESS);
    await workspace.isSettled();
    expect(await tenant.fields('policy/billing/approve')).toEqual({
      application: 'billing',
      name: 'approve',
      effect: 'ALLOW',
      priority: 10,
      resource_type: 'billing/invoice',
      actions: ['approve', 'read'],
      condition: 'resource.properties.amount < 10000',
      modifiers: {
        ip_ranges: ['10.0.0.0/8', '192.168.0.1'],
        time_windows: [
          { start: '00:00', end: '00:00', zone: 'UTC', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
          { start: '22:00', end: '06:00', zone: 'Europe/Berlin' },
        ],
        mfa_required: true,
      },
    });
    const attributes = await workspace.attributes('service_role.accountant');
    expect(attributes).toMatchObject({
      path: 'billing/accountant',
      address: 'role/billing/accountant',
      managed_by: 'terraform',
    });

    const { records } = await tenant.client.state();
    const ids = new Map(records.map((record) => [record.address, record.id]));
    const blocks = (await workspace.ok('state', 'list'))
      .trim()
      .split('\n')
      .map(async (resource, index) => {
        const { address } = await workspace.attributes(resource);
        const id = index % 2 === 0 ? address : ids.get(String(address));
        return `import {\n  to = ${resource}\n  id = "${id}"\n}`;
      });
    const imports = (await Promise.all(blocks)).join('\n');
    const other = tenant.workspace(`${EVERY_KIND}\n${imports}`);
    expect(await other.apply()).toContain('29 imported, 0 added, 0 changed, 0 destroyed');
    await other.isSettled();
    expect(await other.apply('-destroy')).toContain('29 destroyed');
    expect(await tenant.addresses()).toEqual([]);
  });

  it('are written down from imports alone', async () => {
    await tenant.workspace(EVERY_KIND).apply();
    const imports = EVERY_ADDRESS.map((address, index) => {
      const kind = address.slice(0, address.indexOf('/'));
      return `import {\n  to = service_${kind}.r${index}\n  id = "${address}"\n}`;
    });
    const workspace = tenant.workspace(imports.join('\n'));
    const plan = await workspace.ok('plan', '-generate-config-out=generated.tf');
    expect(plan).toContain('29 to import, 0 to add, 0 to change, 0 to destroy');
    await workspace.apply();
    await workspace.isSettled();
    const generated = readFileSync(join(workspace.dir, 'generated.tf'), 'utf8');
    expect(generated).toContain('jsonencode');
  });

  it('import by command, and say what is wrong with an id', async () => {
    await tenant.client.records('role').create({ name: 'made by hand' });
    const workspace = tenant.workspace('resource "service_role" "r" { name = "made by hand" }');
    await workspace.ok('import', 'service_role.r', 'role/made%20by%20hand');
    await workspace.isSettled();
    const twin = tenant.workspace(
      'resource "service_role" "r" { name = "x" }\nresource "service_group" "g" { name = "x" }',
    );
    expect(await twin.fails('import', 'service_role.r', 'role/made%20by%20had')).toContain(
      'did you mean "role/made%20by%20hand"?',
    );
    expect(await twin.fails('import', 'service_group.g', 'role/made%20by%20hand')).toContain(
      'is imported as service_role',
    );
  });

  it('change in place, and are replaced only where the natural key changes', async () => {
    const configuration = (name: string, edit: (text: string) => string = (text) => text) =>
      edit(`
        resource "service_application" "a" { name = "${name}" }
        resource "service_resource_type" "t" {
          application = service_application.a.path
          name        = "doc"
          actions     = ["read"]
        }
        resource "service_policy" "p" {
          name          = "p"
          effect        = "ALLOW"
          resource_type = service_resource_type.t.path
          actions       = ["read"]
          lifecycle { replace_triggered_by = [] }
        }
        resource "service_subject" "s" {
          type       = "user"
          id         = "s"
          properties = jsonencode({ a = 1 })
        }`);
    const workspace = tenant.workspace(configuration('one'));
    await workspace.apply();
    const before = await workspace.attributes('service_policy.p');
    const widened = (text: string) =>
      text.replaceAll('["read"]', '["write", "read"]').replace('a = 1', 'a = 2').replace('"ALLOW"', '"DENY"');
    workspace.write(configuration('one', widened));
    expect(await workspace.apply()).toContain('0 added, 3 changed, 0 destroyed');
    await workspace.isSettled();
    expect(await workspace.attributes('service_policy.p')).toMatchObject({
      id: before.id,
      effect: 'DENY',
      priority: 0,
    });
    expect(await tenant.fields('subject/user/s')).toMatchObject({ properties: { a: 2 } });

    const anew = (text: string) =>
      text.replaceAll('name = "', 'name = "').replace(/(resource "service_(?:application|resource_type)".*)/g, '$1');
    workspace.write(
      configuration('two', (text) =>
        anew(widened(text))
          .replace('{ name = "two" }', '{\n name = "two"\n lifecycle { create_before_destroy = true }\n}')
          .replace('name        = "doc"', 'name        = "doc"\n lifecycle { create_before_destroy = true }'),
      ),
    );
    expect(await workspace.ok('plan')).toContain('forces replacement');
    expect(await workspace.apply()).toContain('2 added, 1 changed, 2 destroyed');
    await workspace.isSettled();
    expect(await workspace.attributes('service_policy.p')).toMatchObject({ id: before.id, resource_type: 'two/doc' });
  });

  it('show drift, keep what means the same, are recreated when they are gone, and are gone when they are removed twice', async () => {
    const workspace = tenant.workspace(`
      resource "service_subject" "s" {
        type       = "user"
        id         = "s"
        name       = "S"
        properties = "{ \\"b\\": 1, \\"a\\": [1, 2] }"
      }
      resource "service_group" "g" { name = "g" }
      resource "service_group_membership" "m" {
        group       = service_group.g.path
        entity_type = "subject"
        entity      = service_subject.s.path
        expires_at  = "2099-01-01T01:00:00+01:00"
      }`);
    await workspace.apply();
    await workspace.isSettled();
    const { address, fields } =
      (await tenant.client.state()).records.find(({ kind }) => kind === 'subject') ?? expect.fail();
    await tenant.client.changeset({
      changes: [
        { op: 'update', address, fields: { ...fields, properties: { b: 2, a: [1, 2] } } },
        { op: 'delete', address: 'group_membership/g//subject/user/s' },
      ],
    });
    const plan = await workspace.ok('plan');
    expect(plan).toMatch(/~ b = 2 -> 1/);
    expect(plan).toContain('1 to add, 1 to change, 0 to destroy');
    await workspace.apply('-refresh-only');
    expect(await workspace.apply()).toContain('1 added, 1 changed, 0 destroyed');
    await workspace.isSettled();
    expect(await tenant.fields(address)).toMatchObject({ properties: { a: [1, 2], b: 1 } });
    await tenant.client.changeset({ changes: [{ op: 'delete', address: 'group_membership/g//subject/user/s' }] });
    expect(await workspace.apply('-destroy', '-refresh=false')).toContain('3 destroyed');
  });

  it('that went away after the plan was made are planned again', async () => {
    const role = (text: string) => `resource "service_role" "r" {\n  name = "r"\n  description = "${text}"\n}`;
    const workspace = tenant.workspace(role('one'));
    await workspace.apply();
    workspace.write(role('two'));
    await workspace.ok('plan', '-out=planned');
    await tenant.client.changeset({ changes: [{ op: 'delete', address: 'role/r' }] });
    expect(await workspace.fails('apply', 'planned')).toMatch(
      /with service_role\.r,.*"role\/r" does not exist.*plan again/,
    );
    expect(await workspace.apply()).toContain('1 added, 0 changed, 0 destroyed');
    expect(await tenant.fields('role/r')).toEqual({ name: 'r', description: 'two' });
  });

  it('follow a rename in the service as drift, since the id stays', async () => {
    const workspace = tenant.workspace('resource "service_role" "r" { name = "before" }');
    await workspace.apply();
    await tenant.client.changeset({ changes: [{ op: 'move', from: 'role/before', to: 'role/after' }] });
    expect(await workspace.ok('plan')).toMatch(/name\s+= "after" -> "before" # forces replacement/);
    expect(await workspace.apply()).toContain('1 added, 0 changed, 1 destroyed');
    expect(await tenant.addresses()).toEqual(['role/before']);
  });

  it('are renamed in the configuration by moved blocks, and survive a new label without one', async () => {
    const workspace = tenant.workspace('resource "service_role" "old" { name = "r" }');
    await workspace.apply();
    workspace.write(
      'resource "service_role" "new" { name = "r" }\nmoved {\n  from = service_role.old\n  to = service_role.new\n}',
    );
    expect(await workspace.apply()).toContain('0 added, 0 changed, 0 destroyed');
    workspace.write('resource "service_role" "newer" { name = "r" }');
    expect(await workspace.apply()).toContain('1 added, 0 changed, 1 destroyed');
    expect(await tenant.addresses()).toEqual(['role/r']);
    await workspace.isSettled();
  });

  describe('are validated without a service, by one run of validate:', () => {
    const policy = (lines: string) => `resource "service_policy" "LABEL" {\n  name = "p"\n${lines}\n}`;
    const covered = '  resource_type = "a/t"\n  actions = ["x"]';
    const rows: [behaviour: string, configuration: string, expected: RegExp][] = [
      [
        'an empty name',
        'resource "service_role" "LABEL" {\n  name = ""\n}',
        /Invalid name .*: name = "" name: "" must not be empty/,
      ],
      [
        'an effect that there is not',
        policy(`  effect = "MAYBE"\n${covered}`),
        /Invalid effect .*: effect = "MAYBE".*is the string "MAYBE": write one of ALLOW, DENY/,
      ],
      [
        'properties that are no JSON',
        'resource "service_subject" "LABEL" {\n  type = "user"\n  id = "x"\n  properties = "{"\n}',
        /Invalid properties .*: properties = "{".*jsonencode/,
      ],
      [
        'a range in a nested set',
        policy(`  effect = "DENY"\n${covered}\n  modifiers = { ip_ranges = ["10.0.0.0/40"] }`),
        /Invalid modifiers .*: modifiers = .*modifiers\.ip_ranges\[0\]: .*IP address or CIDR range like "10\.0\.0\.0\/8"\. $/,
      ],
      ['a policy that covers nothing', policy('  effect = "DENY"'), /Invalid record .*covers nothing/],
      [
        'a condition that does not parse, though its type is not known yet',
        policy(
          '  effect = "ALLOW"\n  resource_type = service_resource_type.t.id\n  actions = ["x"]\n  condition = "subject.id =="',
        ),
        /Invalid condition .*: condition = "subject.id ==".*The condition is not valid/,
      ],
    ];
    const label = (index: number) => `case${index}`;
    let found: string[] = [];

    beforeAll(async () => {
      const one = await TerraformTenant.make(cloud, operatorOf(cloud));
      const all = rows.map(([, configuration], index) => configuration.replace('LABEL', label(index))).join('\n');
      const type = 'resource "service_resource_type" "t" {\n  application = "a"\n  name = "t"\n  actions = ["x"]\n}';
      const workspace = one.workspace(`${all}\n${type}`, { SERVICE_CLOUD_URL: 'http://127.0.0.1:59999' });
      const { text } = await workspace.run('validate');
      found = unwrapped(text).split(/(?=Error: |Warning: )/);
      one.remove();
    });

    it.each(rows.map(([behaviour, , expected], index) => [behaviour, index, expected] as const))(
      '%s',
      (_behaviour, index, expected) => {
        const own = found.filter((text) => text.includes(`.${label(index)},`));
        expect(own).toEqual([expect.stringMatching(expected)]);
      },
    );
  });

  it.each<[string, string, RegExp]>([
    [
      'an action that the type lacks',
      'actions = ["reed"]',
      /Invalid actions .*line 1\d.*no action "reed": did you mean "read"\?/,
    ],
    [
      'a condition against the type of a property',
      'actions = ["read"]\n  condition = "resource.properties.amount == \'much\'"',
      /Invalid condition .*line 1\d.*The condition is not valid/,
    ],
  ])('are validated by the plan among what it makes: %s', async (_name, more, expected) => {
    const workspace = tenant.workspace(`
      resource "service_application" "a" { name = "a" }
      resource "service_resource_type" "t" {
        application = service_application.a.path
        name        = "t"
        actions     = ["read"]
        properties  = { amount = "number" }
      }
      resource "service_policy" "p" {
        name          = "p"
        effect        = "ALLOW"
        resource_type = service_resource_type.t.path
        ${more}
      }`);
    expect(await workspace.fails('plan')).toMatch(expected);
    expect(await tenant.addresses()).toEqual([]);
  });

  it('take values that are known only after apply', async () => {
    const workspace = tenant.workspace(`
      resource "terraform_data" "x" { input = "x" }
      resource "service_role" "r" { name = "r-\${terraform_data.x.id}" }
      resource "service_role_assignment" "a" {
        role        = service_role.r.path
        entity_type = "group"
        entity      = service_group.g.path
        expires_at  = terraform_data.x.output == "x" ? "2099-01-01T00:00:00Z" : null
      }
      resource "service_group" "g" {
        name        = "g"
        description = terraform_data.x.id
      }
      resource "service_subject" "s" {
        type       = "user"
        id         = terraform_data.x.id
        properties = jsonencode({ made = terraform_data.x.id })
      }
      resource "service_application" "a" { name = "a-\${terraform_data.x.id}" }
      resource "service_resource_type" "t" {
        application = service_application.a.path
        name        = "t"
        actions     = ["read", "do-\${terraform_data.x.output}"]
        properties  = { (terraform_data.x.output) = "string" }
      }
      resource "service_resource" "r" {
        count = 2
        type  = service_resource_type.t.path
        name  = "r\${count.index}"
      }
      resource "service_policy" "p" {
        name      = "p"
        effect    = "ALLOW"
        resources = [for r in service_resource.r : { resource = r.path, actions = ["do-\${terraform_data.x.output}", "read"] }]
        condition = "subject.id == '\${terraform_data.x.id}'"
        modifiers = {
          ip_ranges    = [terraform_data.x.output == "x" ? "10.0.0.0/8" : "::1"]
          time_windows = [{ start = "09:00", end = terraform_data.x.output == "x" ? "17:00" : "18:00" }]
        }
      }
      resource "service_policy" "q" {
        count         = 2
        name          = "q\${count.index}"
        effect        = "ALLOW"
        resource_type = service_resource_type.t.path
        actions       = ["read"]
        condition     = "context.level > \${count.index}"
        modifiers     = { mfa_required = terraform_data.x.output == "y" }
      }`);
    expect(await workspace.apply()).toContain('12 added');
    await workspace.isSettled();
  });
});
