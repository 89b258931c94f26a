/** A type that loses what others mention, changed together with them in one apply of the real Terraform. */
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform, unwrapped } from './terraform/workspace.js';

/** A type with resources and policies that mention its second action and its property. */
function tree({ action, property, type, value, policies = ['p', 'q'], more = '' }: Tree): string {
  const covering = policies.map(
    (name) => `
      resource "service_policy" "${name}" {
        name          = "${name}"
        effect        = "ALLOW"
        resource_type = service_resource_type.t.path
        actions       = ["read", "${action}"]
        condition     = "resource.properties.${property} == ${JSON.stringify(value).replaceAll('"', '\\"')}"
      }`,
  );
  return `
    resource "service_application" "a" { name = "a" }
    resource "service_resource_type" "t" {
      application = service_application.a.path
      name        = "t"
      actions     = ["read", "${action}"]
      properties  = { ${property} = "${type}" }
    }
    resource "service_resource" "r" {
      count      = 3
      type       = service_resource_type.t.path
      name       = "r\${count.index}"
      properties = jsonencode({ ${property} = ${JSON.stringify(value)} })
    }
    ${covering.join('')}
    ${more}`;
}

interface Tree {
  action: string;
  property: string;
  type: string;
  value: string | boolean;
  policies?: string[];
  more?: string;
}

const BEFORE: Tree = { action: 'old', property: 'open', type: 'boolean', value: true };

describe.skipIf(!hasTerraform)('a type that loses what is mentioned', () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  const typeNow = () => tenant.fields('resource_type/a/t');
  const idOf = async (address: string) =>
    (await tenant.client.state()).records.find((record) => record.address === address)?.id ?? '';
  const typeOf = (actions: string[], properties: object) => ({ application: 'a', name: 't', actions, properties });

  it.each<{ what: string; after: Tree; options?: string[] }>([
    { what: 'an action is renamed', after: { ...BEFORE, action: 'new' } },
    { what: 'a property is renamed', after: { ...BEFORE, property: 'unlocked' } },
    { what: 'a property becomes of another type', after: { ...BEFORE, type: 'string', value: 'yes' } },
    {
      what: 'all of that at once, one request after the other',
      after: { action: 'new', property: 'state', type: 'string', value: 'open' },
      options: ['-parallelism=1'],
    },
    { what: 'one that mentions it is removed', after: { ...BEFORE, action: 'new', policies: ['q'] } },
    { what: 'one is made anew under another name', after: { ...BEFORE, action: 'new', policies: ['q', 's'] } },
  ])('changes with them in one apply where $what', async ({ after, options = [] }) => {
    const workspace = tenant.workspace(tree(BEFORE));
    await workspace.apply();
    const id = await idOf('policy/q');
    workspace.write(tree(after));
    // Warnings are for what an apply leaves behind: the plan of an apply that works needs none.
    expect(unwrapped(await workspace.apply(...options))).not.toMatch(/still mentioned|not narrowed|should have lost/);
    expect(await typeNow()).toEqual(typeOf([after.action, 'read'].sort(), { [after.property]: after.type }));
    expect((await tenant.client.state()).records.find((record) => record.id === id)?.address).toBe('policy/q');
    await workspace.isSettled();
  });

  it('fails the plan where what mentions it stays as it is', async () => {
    const workspace = tenant.workspace(tree(BEFORE));
    await workspace.apply();
    workspace.write(tree(BEFORE).replace('actions     = ["read", "old"]', 'actions     = ["read"]'));
    expect(await workspace.fails('plan')).toMatch(/with service_policy\.[pq],.*The type "a\/t" has no action "old"/);
    await tenant.client.records('policy').create({ name: 'z', effect: 'DENY', resource_type: 'a/t', actions: ['old'] });
    workspace.write(tree({ ...BEFORE, action: 'new' }));
    expect(await workspace.fails('plan')).toMatch(
      /with service_resource_type\.t,.*"policy\/z" would become invalid\. .*no action "old": .* belongs to the stack "api"/,
    );
  });

  it('keeps it where a change fails on the way, and the next apply finishes', async () => {
    const covering = (action: string, more: string) => `
      resource "service_policy" "late" {
        name      = "late"
        effect    = "ALLOW"
        resources = [{ resource = service_resource.r[0].path, actions = ["${action}"] }${more}]
      }`;
    const others = { type: 'a/t', name: 'others' };
    const workspace = tenant.workspace(tree({ ...BEFORE, more: covering('old', '') }));
    await workspace.apply();
    const { id } = await tenant.client.records('resource').create(others);
    const after = covering('new', ', { resource = "a/t/others", actions = ["read"] }');
    workspace.write(tree({ ...BEFORE, action: 'new', more: after }));
    await workspace.ok('plan', '-out=saved');
    await tenant.client.records('resource').delete(id);
    expect(await workspace.fails('apply', 'saved')).toMatch(
      /"resource_type\/a\/t" is not narrowed yet.*with service_policy\.late,.*"policy\/late", which mentions it, has not changed/,
    );
    expect(await typeNow()).toMatchObject({ actions: ['new', 'old', 'read'] });
    await tenant.client.records('resource').create(others);
    await workspace.apply();
    expect(await typeNow()).toMatchObject({ actions: ['new', 'read'] });
    await workspace.isSettled();
  });

  it.each<{ what: string; before: Tree; after: Tree; left: RegExp }>([
    {
      what: 'an action',
      before: BEFORE,
      after: { ...BEFORE, action: 'new' },
      left: /"policy\/lost" mentions what this type should have lost: the action "old"\. /,
    },
    {
      what: 'a property whose type changes',
      before: BEFORE,
      after: { ...BEFORE, type: 'string', value: 'yes' },
      left: /"policy\/lost" mentions what this type should have lost: the property "open" as any\. /,
    },
  ])('keeps $what that a record mentions for which there is no resource, and says so until there is', async (row) => {
    const workspace = tenant.workspace(tree({ ...row.before, policies: ['p', 'lost'] }));
    await workspace.apply();
    await workspace.ok('state', 'rm', 'service_policy.lost');
    workspace.write(tree({ ...row.after, policies: ['p'] }));
    await workspace.apply();
    expect(unwrapped(await workspace.ok('plan'))).toMatch(row.left);
    expect(unwrapped(await workspace.ok('plan'))).toMatch(/"resource_type\/a\/t" is not narrowed yet/);
    await tenant.client.records('policy').delete(await idOf('policy/lost'));
    await workspace.apply();
    await workspace.isSettled();
  });

  it('keeps what -target leaves out, names it in the next plan, and removes it in an apply without -target', async () => {
    const workspace = tenant.workspace(tree(BEFORE));
    await workspace.apply();
    workspace.write(tree({ ...BEFORE, action: 'new' }));
    await workspace.apply('-target=service_resource_type.t');
    expect(await typeNow()).toMatchObject({ actions: ['new', 'old', 'read'] });
    expect(unwrapped(await workspace.ok('plan'))).toMatch(
      /"policy\/p" and "policy\/q" mention what this type should have lost: the action "old"\. /,
    );
    await workspace.apply();
    expect(await typeNow()).toMatchObject({ actions: ['new', 'read'] });
    await workspace.isSettled();
  });

  it('keeps what a record mentions that no resource stands for, and shows it until there is one', async () => {
    const workspace = tenant.workspace(tree({ ...BEFORE, policies: ['p', 'lost'] }));
    await workspace.apply();
    await workspace.ok('state', 'rm', 'service_policy.lost');
    workspace.write(tree({ ...BEFORE, action: 'new', policies: ['p'] }));
    const kept = /"resource_type\/a\/t" is not narrowed yet.*"policy\/lost" mentions .* the action "old"/;
    await workspace.apply();
    expect(await typeNow()).toMatchObject({ actions: ['new', 'old', 'read'] });
    const again = unwrapped(await workspace.ok('plan'));
    expect(again).toMatch(/- "old"/);
    expect(again).toMatch(kept);
    workspace.write(
      `${tree({ ...BEFORE, action: 'new', policies: ['p', 'lost'] })}
      import {
        to = service_policy.lost
        id = "lost"
      }`,
    );
    await workspace.apply();
    expect(await typeNow()).toMatchObject({ actions: ['new', 'read'] });
    await workspace.isSettled();
  });
});
