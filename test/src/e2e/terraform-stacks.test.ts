/** Who owns a record, and whose tenant it is, by the real Terraform against a running cloud. */
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform, unwrapped } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('the provider of two stacks on one tenant', () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  const as = (stack: string, more = '') => `provider "service" {\n  stack = "${stack}"\n${more}\n}\n`;
  const role = (text: string) => `resource "service_role" "r" {\n  name = "shared"\n  description = "${text}"\n}`;

  it('tells repository and commit of what it writes, without the password, and nothing of files', async () => {
    const repository = 'https://deploy:s3cret@github.com/acme/access.git';
    const commit = 'abc1234567890abcdef1234567890abcdef12345';
    const given = `  repository = "${repository}"\n  commit = "${commit}"`;
    const stack = tenant.workspace(as('origin', given) + role('one'));
    await stack.apply();
    expect(await tenant.client.origins(['role/shared'])).toEqual([
      {
        address: 'role/shared',
        repository: 'https://github.com/acme/access',
        commit,
        link: `https://github.com/acme/access/commit/${commit}`,
      },
    ]);
    await stack.isSettled();
    stack.write(as('origin', '  commit = "main"') + role('one'));
    expect(await stack.fails('plan')).toMatch(/Invalid commit.*commit: is not the name of a commit/);
    stack.write(as('origin') + role('one'));
    await stack.ok('destroy', '-auto-approve');
  });

  it('refuses what the other owns, at plan, and takes it over when told to', async () => {
    const first = tenant.workspace(as('first') + role('one'));
    await first.apply();
    const second = tenant.workspace(as('second') + role('one'));
    expect(await second.fails('plan')).toMatch(
      /exists already and belongs to the stack "first".*take_ownership = true.*import \{ to = service_role.NAME id = "role\/shared" \}/,
    );

    await second.ok('import', 'service_role.r', 'role/shared');
    await second.isSettled();
    expect(await second.fails('plan', '-destroy')).toMatch(/Record of another stack.*terraform state rm/);
    second.write(as('second') + role('two'));
    expect(await second.fails('plan')).toMatch(
      /Record of another stack .*belongs to the stack "first", not to "second".*take_ownership = true/,
    );

    const third = tenant.workspace(as('third', 'take_ownership = true') + role('three'));
    expect(unwrapped(await third.ok('plan'))).toMatch(
      /"role\/shared" is taken over .*It already exists and belongs to the stack "first": .* ~ description = "one" -> "three"/,
    );

    second.write(as('second', 'take_ownership = true') + role('two'));
    expect(await second.ok('plan')).toMatch(/~ managed_by\s+= "first" -> "second"/);
    expect(await second.apply()).toContain('0 added, 1 changed');
    await second.isSettled();
    expect((await tenant.client.state()).records.find(({ kind }) => kind === 'role')?.managed_by).toBe('second');
    expect(await first.fails('destroy', '-refresh=false', '-auto-approve')).toMatch(
      /Record of another stack "role\/shared" belongs to the stack "second", not to "first": .*terraform state rm/,
    );
  });

  it('needs a name where one is given', async () => {
    const workspace = tenant.workspace(as('') + role('one'));
    expect(await workspace.fails('plan')).toMatch(/Invalid stack .*stack = "" .*Without one it is "terraform"/);
  });

  it('is for one tenant where the provider block names it', async () => {
    const { name } = (await tenant.client.whoami()).tenant;
    const workspace = tenant.workspace(as('mine', 'tenant = "elsewhere"') + role('one'));
    expect(await workspace.fails('apply', '-auto-approve')).toMatch(
      new RegExp(`Another tenant .*tenant = "elsewhere" .*for the tenant "elsewhere", but .* of "${name}"`),
    );
    expect((await tenant.client.state()).records.filter(({ kind }) => kind === 'role')).toEqual([]);
    workspace.write(as('mine', `tenant = "${name}"`) + role('one'));
    await workspace.apply();
  });

  it('takes over a record that it declares when told to', async () => {
    await tenant.client.records('role').create({ name: 'shared' });
    const workspace = tenant.workspace(as('mine', 'take_ownership = true') + role('taken'));
    expect(await workspace.apply()).toContain('1 added');
    await workspace.isSettled();
    expect(await tenant.fields('role/shared')).toEqual({ name: 'shared', description: 'taken' });
  });

  it('says in the plan what a takeover changes, and what it leaves as it is', async () => {
    const policy = (effect: string, more = '') => `
      resource "service_application" "a" { name = "a" }
      resource "service_resource_type" "t" {
        application = service_application.a.path
        name        = "t"
        actions     = ["write", "read"]
      }
      resource "terraform_data" "note" { input = timestamp() }
      resource "service_policy" "p" {
        name          = "p"
        effect        = "${effect}"
        resource_type = service_resource_type.t.path
        actions       = ["write", "read"]
        ${more}
      }`;
    const first = tenant.workspace(as('first') + policy('DENY', 'condition = "context.risk > 3.0"'));
    await first.apply();
    const more = 'description = terraform_data.note.output\n modifiers = { mfa_required = true }';
    const second = tenant.workspace(as('second', 'take_ownership = true') + policy('ALLOW', more));
    const text = await second.ok('plan');
    expect(text).toContain(
      [
        '',
        '  - condition = "context.risk > 3.0"',
        '  ~ effect = "DENY" -> "ALLOW"',
        '  + modifiers = {"mfa_required":true}',
        '  ~ description = (known after apply)',
        '',
      ].join('\n'),
    );
    expect(unwrapped(text)).toContain(
      'It already exists and belongs to the stack "first": the apply takes it over. It already holds what is declared here.',
    );
    await second.apply();
    expect(await tenant.fields('policy/p')).toMatchObject({ effect: 'ALLOW' });
  });

  it('leaves alone what the other makes', async () => {
    const first = tenant.workspace(as('first') + role('one'));
    await first.apply();
    const second = tenant.workspace(
      `${as('second')}resource "service_role_assignment" "a" {\n  role = "shared"\n  entity_type = "subject"\n  entity = service_subject.s.path\n}\nresource "service_subject" "s" {\n  type = "user"\n  id = "s"\n}`,
    );
    await second.apply();
    await first.isSettled();
    await second.isSettled();
    expect(await first.fails('apply', '-destroy', '-auto-approve')).toMatch(/still .*role "shared"|shared/i);
    await second.apply('-destroy');
    await first.apply('-destroy');
    expect(await tenant.addresses()).toEqual([]);
  });
});
