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
