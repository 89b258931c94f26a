import { TerraformStack, Testing } from 'cdktf';
import { describe, expect, it } from 'vitest';
import { Role } from './role.js';
import { Tree } from './tree.js';

const GROUP = 'version: 1\ngroups: { finance: { members: [user/alice] } }\nsubjects: { user/alice: {} }\n';

function tree(text: string): { stack: TerraformStack; tree: Tree } {
  const stack = new TerraformStack(Testing.app(), 'stack');
  return { stack, tree: new Tree(stack, 'tenant', { files: [{ path: 'tenant.yaml', text }] }) };
}

describe('a tree of YAML in a stack', () => {
  it('refers from record to record, and is referred to', () => {
    const { stack, tree: declared } = tree(GROUP);
    new Role(stack, 'reader').assignTo(declared.entity('group/finance'));
    const { resource } = JSON.parse(Testing.synth(stack));
    const [membership] = Object.values<Record<string, string>>(resource.service_group_membership);
    expect(membership?.group).toMatch(/^\$\{service_group\..+\.path\}$/);
    expect(membership?.entity).toMatch(/^\$\{service_subject\..+\.path\}$/);
    const [assignment] = Object.values<Record<string, string>>(resource.service_role_assignment);
    expect(assignment).toMatchObject({ entity_type: 'group', entity: membership?.group });
  });

  it('refers from resources and types to those that they lie in, whatever their order', () => {
    const { stack } = tree(`version: 1
applications:
  docs:
    resource_types:
      document: { actions: [read], parents: [{ type: folder, property: folder }] }
      folder: { actions: [read], parents: [{ type: folder, property: folder }] }
    resources:
      a: { type: document, parents: [folder/z] }
      z: { type: folder, parents: [folder/zz] }
      zz: { type: folder }
    roles: { viewer: { assigned_to: [{ to: user/anne, resource: document/a }] } }
subjects: { user/anne: {} }
`);
    const { resource } = JSON.parse(Testing.synth(stack));
    const named = (kind: string, name: string) =>
      Object.values<Record<string, unknown>>(resource[kind]).find((one) => one.name === name);
    const path = (kind: string) => expect.stringMatching(new RegExp(`^\\$\\{${kind}\\..+\\.path\\}$`));
    expect(named('service_resource', 'a')?.parents).toEqual([path('service_resource')]);
    expect(named('service_resource', 'z')?.parents).toEqual([path('service_resource')]);
    expect(named('service_resource_type', 'document')?.parents).toEqual([
      { type: path('service_resource_type'), property: 'folder' },
    ]);
    expect(named('service_resource_type', 'folder')?.parents).toEqual([{ type: 'docs/folder', property: 'folder' }]);
    const [assignment] = Object.values<Record<string, string>>(resource.service_role_assignment);
    expect(assignment?.resource).toEqual(path('service_resource'));
  });

  it('refers from conditions to the groups and roles that they ask for', () => {
    const { stack } = tree(`version: 1
external: [role/far]
groups: { finance: {} }
applications: { docs: { resource_types: { page: { actions: [read] } } } }
policies:
  p:
    effect: ALLOW
    resource_type: docs/page
    actions: [read]
    condition: subject.in_group("finance") && !subject.has_role("far")
`);
    const { resource } = JSON.parse(Testing.synth(stack));
    const [policy] = Object.values<Record<string, string>>(resource.service_policy);
    const group = /^subject\.in_group\("\$\{service_group\.[^}]+\.path\}"\) && !subject\.has_role\("far"\)$/;
    expect(policy?.condition).toMatch(group);
  });

  it.each([
    ['a fault', 'version: 1\ngroups: { finance: { members: [user/nobody] } }\n', /tenant\.yaml:2:\d+: .*user\/nobody/],
    ['moved records', `${GROUP}moved: [{ from: group/money, to: group/finance }]\n`, /"moved" entries/],
  ])('refuses %s', (_, text, expected) => {
    expect(() => tree(text)).toThrow(expected);
  });

  it('names a record that is not declared', () => {
    expect(() => tree(GROUP).tree.entity('group/nobody')).toThrow('declares no record "group/nobody"');
  });
});
