/** Values that mean the same though they are written differently, with the real Terraform. */
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('a plan', () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  it('takes an empty text for people as none', async () => {
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

  const types = (more: string) => `
    resource "service_application" "a" { name = "a" }
    resource "service_resource_type" "t" {
      application = service_application.a.path
      name        = "t"
      actions     = ["read"]
      ${more}
    }`;

  it('takes an empty set as none where absence means none', async () => {
    const empty = (shared: string, parents: string, includes: string) => `
      ${types(shared + parents)}
      resource "service_resource" "r" {
        type = service_resource_type.t.path
        name = "r"
        ${shared}${parents}
      }
      resource "service_role" "r" {
        name = "r"
        ${shared}${includes}
      }
      resource "service_group" "g" {
        name = "g"
        ${shared}
      }
      resource "service_policy" "p" {
        application   = service_application.a.path
        name          = "p"
        effect        = "ALLOW"
        resource_type = service_resource_type.t.path
        actions       = ["read"]
        ${shared}
      }`;
    const written = empty('shared_with = []\n', 'parents = []\n', 'includes = []\n');
    const workspace = tenant.workspace(written);
    await workspace.apply();
    await workspace.isSettled();
    expect(await tenant.fields('resource_type/a/t')).toEqual({ application: 'a', name: 't', actions: ['read'] });
    expect(await tenant.fields('resource/a/t/r')).toEqual({ type: 'a/t', name: 'r' });
    expect(await tenant.fields('role/r')).toEqual({ name: 'r' });
    expect(await tenant.fields('group/g')).toEqual({ name: 'g' });
    workspace.write(empty('', '', ''));
    await workspace.isSettled();
    workspace.write(empty('shared_with = [service_application.a.path]\n', '', ''));
    await workspace.apply();
    workspace.write(written);
    expect(await workspace.ok('plan')).toMatch(
      /- shared_with\s+= \[\s+- "a",\s+\] -> null|~ shared_with\s+= \[\s+- "a",\s+\]/,
    );
    await workspace.apply();
    await workspace.isSettled();
    expect(await tenant.fields('group/g')).toEqual({ name: 'g' });
  });

  it('refuses an empty set where absence would mean more', async () => {
    const policy = (more: string) => `${types('')}
      resource "service_policy" "p" {
        application   = service_application.a.path
        name          = "p"
        effect        = "ALLOW"
        resource_type = service_resource_type.t.path
        actions       = ["read"]
        ${more}
      }`;
    const key = (limits: string) => `
      resource "service_api_key" "k" {
        name   = "k"
        scopes = ["records:write"]
        limits = { ${limits} }
      }`;
    for (const configuration of [
      policy('modifiers = { ip_ranges = [] }'),
      policy('modifiers = { time_windows = [] }'),
      policy('resource_types = []'),
      key('stacks = []'),
      key('stacks = ["a"], applications = []'),
    ])
      expect(await tenant.workspace(configuration).fails('validate'), configuration).toMatch(/Invalid/);
  });

  it('shows no difference after an import, whatever zone the times in a set are written in', async () => {
    await tenant.client.changeset({
      stack: 'team',
      changes: [
        { op: 'create', kind: 'group', fields: { name: 'g' } },
        { op: 'create', kind: 'subject', fields: { type: 'user', id: 's' } },
        { op: 'create', kind: 'subject', fields: { type: 'user', id: 't' } },
        ...['s', 't'].map((id) => ({
          op: 'create' as const,
          kind: 'group_membership' as const,
          fields: {
            group: 'g',
            entity_type: 'subject' as const,
            entity: `user/${id}`,
            expires_at: '2035-01-31T18:00:00.000Z',
          },
        })),
      ],
    });
    const workspace = tenant.workspace(`
      provider "service" { stack = "team" }
      resource "service_group_members" "g" {
        group   = "g"
        members = [
          { entity_type = "subject", entity = "user/s", expires_at = "2035-01-31T20:00:00+02:00" },
          { entity_type = "subject", entity = "user/t", expires_at = "2035-01-31T18:00:00Z" },
        ]
      }`);
    await workspace.ok('import', 'service_group_members.g', 'group/g');
    await workspace.isSettled();
  });
});
