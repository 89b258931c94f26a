/**
 * Changes that Terraform has no order for, in one apply: schemas and what they are checked for, and types that hold each
 * other.
 */
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform, unwrapped } from './terraform/workspace.js';

/** A configuration with a subject type, an attribute, a subject and several policies that read both. */
const tree = (property: string, attribute: string, read = property, sent = attribute, type = 'string', more = '') => `
  resource "service_application" "a" { name = "a" }
  resource "service_resource_type" "t" {
    application = service_application.a.path
    name        = "t"
    actions     = ["read"]
  }
  resource "service_subject_type" "user" {
    name       = "user"
    properties = { ${property} = "${type}" }
  }
  resource "service_context_attribute" "sent" {
    name = "${attribute}"
    type = "string"
  }
  resource "service_subject" "anne" {
    type       = "user"
    id         = "anne"
    properties = jsonencode({ ${read} = "x" })
    ${more}
  }
  resource "service_policy" "p" {
    count         = 6
    name          = "p\${count.index}"
    effect        = "ALLOW"
    resource_type = service_resource_type.t.path
    actions       = ["read"]
    condition     = "subject.properties.${read} == context.${sent}"
    ${more}
  }`;
const AFTER = 'depends_on = [service_subject_type.user, service_context_attribute.sent]';

const HOLDING = (application = 'service_application.a.path') => `
  resource "service_application" "a" { name = "a" }
  resource "service_resource_type" "folder" {
    application = ${application}
    name        = "folder"
    actions     = ["read"]
    parents     = [{ type = "a/project", property = "project" }, { type = "a/folder", property = "folder" }]
  }
  resource "service_resource_type" "project" {
    application = ${application}
    name        = "project"
    actions     = ["read"]
    parents     = [{ type = "a/folder", property = "folder" }]
  }`;

/** Three roles, each of which includes the next, and the last that given as an expression. */
const INCLUDING = (last = '') => `
  resource "service_role" "a" {
    name     = "a"
    includes = [service_role.b.path]
  }
  resource "service_role" "b" {
    name     = "b"
    includes = [service_role.c.path]
  }
  resource "service_role" "c" {
    name     = "c"
    includes = [${last}]
  }`;

describe.skipIf(!hasTerraform)('one apply of Terraform', { timeout: 120_000 }, () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  it.each([
    ['at once', [], ''],
    ['one after the other, in the order that they say', ['-parallelism=1'], AFTER],
  ])('renames what schemas declare with all that read it, %s', async (_, flags, more) => {
    const workspace = tenant.workspace(tree('region', 'place', 'region', 'place', 'string', more));
    expect(await workspace.apply(...flags)).toContain('11 added');
    workspace.write(tree('market_segment', 'customer_segment', 'market_segment', 'customer_segment', 'string', more));
    await workspace.apply(...flags);
    await workspace.isSettled();
    const { records } = await tenant.client.state();
    const fields = records.find(({ address }) => address === 'policy/p5')?.fields;
    expect(fields).toMatchObject({ condition: 'subject.properties.market_segment == context.customer_segment' });
  });

  it('takes types that hold each other, and removes them', async () => {
    const workspace = tenant.workspace(HOLDING());
    expect(await workspace.apply()).toContain('3 added');
    await workspace.isSettled();
    await workspace.ok('destroy', '-auto-approve');
  });

  it('takes roles that include each other, and refuses in the plan to close them to a circle', async () => {
    const workspace = tenant.workspace(INCLUDING(''));
    expect(await workspace.apply()).toContain('3 added');
    await workspace.isSettled();
    workspace.write(INCLUDING('"a"'));
    expect(unwrapped(await workspace.fails('plan'))).toMatch(/Roles include each other in a circle: a → b → c → a\./);
  });

  it.each([
    [
      'a misspelt property',
      tree('region', 'place', 'regoin'),
      /declares no property "regoin": did you mean "region"\?/,
    ],
    [
      'a misspelt attribute',
      tree('region', 'place', 'region', 'palce'),
      /context attribute "palce": did you mean "place"\?/,
    ],
    [
      'an attribute of another type',
      tree('region', 'place', 'region', 'place', 'number'),
      /"region" is a string, but the subject type "user" declares it as number/,
    ],
    [
      'a parent that nobody declares',
      HOLDING().replace('a/project"', 'a/projct"'),
      /Resource type "a\/projct" does not exist: did you mean "a\/project"\?/,
    ],
    [
      'a circle of new roles that refer to each other',
      INCLUDING('service_role.a.path'),
      /Cycle: service_role\.[abc], service_role\.[abc], service_role\.[abc]/,
    ],
    ['a circle of new roles that a name closes', INCLUDING('"a"'), /Role "a" does not exist/],
  ])('refuses %s in the plan', async (_, configuration, fault) => {
    const workspace = tenant.workspace(configuration);
    expect(unwrapped(await workspace.fails('plan'))).toMatch(fault);
  });

  it('refuses in the plan to narrow or remove what others read', async () => {
    const workspace = tenant.workspace(tree('region', 'place'));
    await workspace.apply();
    await tenant.client.changeset({
      stack: 'team',
      changes: [
        {
          op: 'create',
          kind: 'policy',
          fields: {
            name: 'team',
            effect: 'ALLOW',
            resource_type: 'a/t',
            actions: ['read'],
            condition: 'subject.properties.region == "x"',
          },
        },
      ],
    });
    workspace.write(tree('area', 'place'));
    expect(unwrapped(await workspace.fails('plan'))).toMatch(
      /"policy\/team", which belongs to the stack "team", would not fit it\./,
    );
  });
});
