/** Resources that own a whole set of links, links of other stacks, and limited clients, by the real Terraform. */
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform, unwrapped } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('the provider', () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  const PROVIDER = 'provider "service" {\n  stack = "team"\n}\n';
  const subject = (id: string) => `resource "service_subject" "${id}" {\n  type = "user"\n  id = "${id}"\n}\n`;
  const PEOPLE = ['alice', 'bob', 'mallory'].map(subject).join('');
  const member = (id: string, more = '') => `{ entity_type = "subject", entity = service_subject.${id}.path${more} }`;
  const GROUP = 'resource "service_group" "g" {\n  name = "g"\n}\n';
  const members = (...items: string[]) =>
    `resource "service_group_members" "g" {\n  group = service_group.g.path\n  members = [${items.join(', ')}]\n}\n`;
  const links = async () =>
    (await tenant.client.state()).records
      .filter(({ kind }) => /assignment|membership/.test(kind))
      .map(({ address, managed_by }) => `${address} of ${managed_by}`)
      .sort();
  const join = (group: string, id: string) =>
    tenant.client.records('group_membership').create({ group, entity_type: 'subject', entity: `user/${id}` });

  it('owns all members of a group: makes, changes, shows what others added, and removes it', async () => {
    const expiring = member('bob', ', expires_at = "2035-01-31T18:00:00+01:00"');
    const workspace = tenant.workspace(PROVIDER + PEOPLE + GROUP + members(member('alice'), expiring));
    await workspace.apply();
    await workspace.isSettled();
    const own = ['group_membership/g//subject/user/alice of team', 'group_membership/g//subject/user/bob of team'];
    expect(await links()).toEqual(own);

    await join('g', 'mallory');
    const { status, text } = await workspace.run('plan', '-detailed-exitcode');
    expect(status).toBe(2);
    expect(text).toMatch(/- \{\s+- entity\s+= "user\/mallory" -> null/);
    expect(unwrapped(text)).toContain('Group "g" loses what other stacks have added');
    expect(text).toContain('  - group_membership/g//subject/user/mallory, which belongs to "api"');
    const before = await tenant.revisions();
    expect(await workspace.apply()).toContain('0 added, 1 changed, 0 destroyed');
    expect(await tenant.revisions()).toBe(before + 1);
    expect(await links()).toEqual(own);

    workspace.write(PROVIDER + PEOPLE + GROUP + members(member('bob'), member('mallory')));
    await workspace.apply();
    await workspace.isSettled();
    expect(await links()).toEqual(own.map((link) => link.replace('alice', 'mallory')).sort());
    expect(await tenant.fields('group_membership/g//subject/user/bob')).toEqual({
      group: 'g',
      entity_type: 'subject',
      entity: 'user/bob',
    });

    workspace.write(PROVIDER + PEOPLE + GROUP);
    await workspace.apply();
    expect(await links()).toEqual([]);
  });

  it("makes a listed link of another stack this stack's own, by removing it and making it anew", async () => {
    const workspace = tenant.workspace(PROVIDER + PEOPLE + GROUP);
    await workspace.apply();
    await join('g', 'alice');
    workspace.write(PROVIDER + PEOPLE + GROUP + members(member('alice')));
    const planned = await workspace.ok('plan');
    expect(planned).toContain(
      `  ~ group_membership/g//subject/user/alice, which belongs to "api" and is made anew as this stack's`,
    );
    await workspace.apply();
    await workspace.isSettled();
    expect(await links()).toEqual(['group_membership/g//subject/user/alice of team']);
  });

  it('owns all holders of a role and all assignees of a policy, and imports both', async () => {
    const text = `${PROVIDER}${PEOPLE}${GROUP}
      resource "service_application" "a" { name = "a" }
      resource "service_resource_type" "t" {
        application = service_application.a.path
        name        = "t"
        actions     = ["read"]
      }
      resource "service_role" "r" {
        application = service_application.a.path
        name        = "r"
      }
      resource "service_policy" "p" {
        application   = service_application.a.path
        name          = "p"
        effect        = "ALLOW"
        resource_type = service_resource_type.t.path
        actions       = ["read"]
      }
      resource "service_role_holders" "r" {
        role    = service_role.r.path
        holders = [${member('alice')}, { entity_type = "group", entity = service_group.g.path }]
      }
      resource "service_policy_assignees" "p" {
        policy    = service_policy.p.path
        assignees = [{ entity_type = "role", entity = service_role.r.path }]
      }`;
    const workspace = tenant.workspace(text);
    await workspace.apply();
    const all = [
      'policy_assignment/a/p//role/a/r of team',
      'role_assignment/a/r//group/g of team',
      'role_assignment/a/r//subject/user/alice of team',
    ];
    expect(await links()).toEqual(all);
    await workspace.ok('state', 'rm', 'service_role_holders.r', 'service_policy_assignees.p');
    await workspace.ok('import', 'service_role_holders.r', 'role/a/r');
    await workspace.ok('import', 'service_policy_assignees.p', 'a/p');
    await workspace.isSettled();
    expect(await links()).toEqual(all);
    await workspace.ok('destroy', '-auto-approve');
    expect(await tenant.addresses()).toEqual([]);
  });

  it('refuses in the plan what cannot be a set', async () => {
    const refused = async (configuration: string, expected: RegExp) =>
      expect(await tenant.workspace(PROVIDER + PEOPLE + configuration).fails('plan')).toMatch(expected);
    await refused(
      GROUP + members(member('alice'), member('alice', ', expires_at = "2035-01-31T18:00:00Z"')),
      /Invalid members .*"group_membership\/g\/\/subject\/user\/alice" is listed twice/,
    );
    await refused(
      `${GROUP}${members(member('alice'))}resource "service_group_membership" "m" {\n  group = service_group.g.path\n  entity_type = "subject"\n  entity = service_subject.alice.path\n}`,
      /Record declared twice/,
    );
    await refused(
      `${GROUP}${members('{ entity_type = "subject", entity = "user/nobody" }')}`,
      /Invalid entity .*Subject "user\/nobody" does not exist/,
    );
    await tenant.client.records('group').create({ name: 'theirs' });
    await refused(
      `resource "service_group_members" "g" {\n  group = "theirs"\n  members = []\n}`,
      /Record of another stack .*Group "theirs" belongs to the stack "api", not to "team".*service_group_membership/,
    );
  });

  it('warns of links of other stacks that nothing in the configuration removes', async () => {
    const workspace = tenant.workspace(PROVIDER + PEOPLE + GROUP);
    await workspace.apply();
    await join('g', 'mallory');
    const text = await workspace.ok('plan');
    expect(text).toContain('No changes.');
    expect(text).toContain('Warning: "group/g" is granted by other stacks');
    expect(text).toContain('  ! group_membership/g//subject/user/mallory, which belongs to "api"');
    expect(unwrapped(text)).toContain('unless a service_group_members of this configuration owns all of them');
  });

  it('refuses at plan what lies outside the limits of its client, which can still own sets', async () => {
    await tenant.client.changeset({
      stack: 'platform',
      changes: [
        { op: 'create', kind: 'application', fields: { name: 'team' } },
        { op: 'create', kind: 'subject', fields: { type: 'user', id: 'mallory' } },
        { op: 'create', kind: 'role', fields: { name: 'auditor' } },
      ],
    });
    const limits = { stacks: ['team'], applications: ['team'] };
    const made = await tenant.client.records('oauth_client').create({ name: 'ci', scopes: ['records:write'], limits });
    const env = { SERVICE_CLIENT_ID: made.client_id ?? '', SERVICE_CLIENT_SECRET: made.client_secret ?? '' };
    const holders = 'resource "service_role_holders" "r" {\n  role = service_role.r.path\n  holders = []\n}\n';
    const role = 'resource "service_role" "r" {\n  application = "team"\n  name = "r"\n}\n';
    const workspace = tenant.workspace(PROVIDER + role + holders, env);
    await workspace.apply();
    const given = { role: 'team/r', entity_type: 'subject', entity: 'user/mallory' } as const;
    await tenant.client.records('role_assignment').create(given);
    expect(await workspace.apply()).toContain('0 added, 1 changed');
    expect(await links()).toEqual([]);

    const refused = async (more: string, expected: RegExp) => {
      workspace.write(PROVIDER + role + holders + more);
      expect(await workspace.fails('plan')).toMatch(expected);
    };
    const outside = 'Outside the limits of the client';
    await refused(subject('new'), new RegExp(`${outside}.*"subject/user/new" belongs to the tenant`));
    await refused(
      'resource "service_role_assignment" "a" {\n  role = "auditor"\n  entity_type = "subject"\n  entity = "user/mallory"\n}',
      new RegExp(`${outside}.*uses "role/auditor", which belongs to the tenant`),
    );
    workspace.write(PROVIDER.replace('team', 'platform') + role + holders);
    expect(await workspace.fails('plan')).toMatch(/belongs to the stack/);
  });
});
