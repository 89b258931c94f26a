/** Empty texts for people, which mean the same as absent ones, with the real Terraform. */
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('a text for people', () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  it('is as good as none where it is empty', async () => {
    await tenant.client.records('role').create({ name: 'r', description: '' });
    await tenant.client.records('subject').create({ type: 'user', id: 's', name: '' });
    const workspace = tenant.workspace(`
      provider "service" { stack = "api" }
      import {
        to = service_role.r
        id = "role/r"
      }
      import {
        to = service_subject.s
        id = "subject/user/s"
      }`);
    expect(await workspace.ok('plan', '-generate-config-out=generated.tf')).toContain(
      'Plan: 2 to import, 0 to add, 0 to change, 0 to destroy.',
    );
    const subject = (more: string) => `
      resource "service_subject" "t" {
        type = "user"
        id   = "t"
        ${more}
      }`;
    const written = tenant.workspace(subject('name = ""'));
    await written.apply();
    await written.isSettled();
    written.write(subject(''));
    await written.isSettled();
    written.write(subject('name = "Tess"'));
    await written.apply();
    written.write(subject(''));
    expect(await written.apply()).toMatch(/- name\s+= "Tess" -> null/);
    await written.isSettled();
    expect(await tenant.fields('subject/user/t')).toEqual({ type: 'user', id: 't' });
  });
});
