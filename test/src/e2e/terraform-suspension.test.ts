/** Suspensions by others of subjects that Terraform declares, with the real Terraform. */
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('a suspension', () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });
  const subject = (more = '') => `
    resource "service_subject" "s" {
      type = "user"
      id   = "s"
      ${more}
    }`;
  const suspended = { suspended: true, suspension_reason: 'Theft.' };

  it('stays where the configuration says nothing of it', async () => {
    const workspace = tenant.workspace(subject());
    await workspace.apply();
    await workspace.isSettled();
    await tenant.client.records('subject').update('user/s', suspended);
    await workspace.isSettled();
    workspace.write(subject('name = "Sam"'));
    await workspace.apply();
    await workspace.isSettled();
    expect(await tenant.fields('subject/user/s')).toEqual({ type: 'user', id: 's', name: 'Sam', ...suspended });

    workspace.write(subject('suspended = false'));
    await workspace.apply();
    await workspace.isSettled();
    expect(await tenant.fields('subject/user/s')).toEqual({ type: 'user', id: 's' });
    workspace.write(subject('suspended_until = "2999-01-01T00:00:00Z"'));
    await workspace.apply();
    await workspace.isSettled();
    await tenant.client.records('subject').update('user/s', { suspended_until: null, ...suspended });
    await workspace.apply();
    await workspace.isSettled();
    expect(await tenant.fields('subject/user/s')).toEqual({
      type: 'user',
      id: 's',
      suspended_until: '2999-01-01T00:00:00.000Z',
    });
  });

  it('stays where the subject is taken over, or was suspended after the plan', async () => {
    await tenant.client.records('subject').create({ type: 'user', id: 's', ...suspended });
    const workspace = tenant.workspace(`
      provider "service" { take_ownership = true }
      ${subject('name = "Sam"')}`);
    await workspace.apply();
    await workspace.isSettled();
    expect(await tenant.fields('subject/user/s')).toEqual({ type: 'user', id: 's', name: 'Sam', ...suspended });
    const none = { suspended: null, suspension_reason: null };
    await tenant.client.records('subject').update('user/s', none);
    workspace.write(`
      provider "service" { take_ownership = true }
      ${subject('name = "Samuel"')}`);
    await workspace.ok('plan', '-out=saved');
    await tenant.client.records('subject').update('user/s', suspended);
    await workspace.ok('apply', 'saved');
    expect(await tenant.fields('subject/user/s')).toEqual({ type: 'user', id: 's', name: 'Samuel', ...suspended });
  });
});
