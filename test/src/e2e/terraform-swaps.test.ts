/** Links that go from one resource to another in one run, by the real Terraform: none is lost. */
import { describe, expect, it } from 'vitest';
import { eachOnATenant } from './terraform/each-on-a-tenant.js';
import type { TerraformTenant } from './terraform/product.js';
import { hasTerraform, unwrapped } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('a link that another resource owns from now on', () => {
  let tenant: TerraformTenant;
  eachOnATenant((made) => {
    tenant = made;
  });

  const IDS = ['ann', 'bob', 'eve'];
  const BASE = `provider "service" { stack = "sw" }
${IDS.map((id) => `resource "service_subject" "${id}" {\n  type = "user"\n  id = "${id}"\n}`).join('\n')}
resource "service_group" "g" { name = "g" }
resource "service_role" "r" { name = "r" }
resource "service_application" "a" { name = "a" }
resource "service_resource_type" "t" {
  application = service_application.a.path
  name = "t"
  actions = ["read"]
}
resource "service_policy" "p" {
  name = "p"
  effect = "DENY"
  resource_type = service_resource_type.t.path
  actions = ["read"]
}
`;
  const KINDS = [
    { granted: 'policy', single: 'service_policy_assignment', set: 'service_policy_assignees', items: 'assignees' },
    { granted: 'role', single: 'service_role_assignment', set: 'service_role_holders', items: 'holders' },
    { granted: 'group', single: 'service_group_membership', set: 'service_group_members', items: 'members' },
  ] as const;
  type Words = (typeof KINDS)[number];
  /** Whom a link is to, known in the plan, or only in the apply. */
  const entity = (id: string, later: string) =>
    later === '' ? `service_subject.${id}.path` : `terraform_data.${id}_${later}.output`;
  const laterOf = (id: string, later: string) =>
    later === '' ? '' : `resource "terraform_data" "${id}_${later}" { input = "user/${id}" }\n`;
  const pathOf = ({ granted }: Words) => `service_${granted}.${granted[0]}.path`;
  const single = (words: Words, id: string, label = id, later = '') => `${laterOf(id, later)}
resource "${words.single}" "${label}" {
  ${words.granted} = ${pathOf(words)}
  entity_type = "subject"
  entity = ${entity(id, later)}
}
`;
  const set = (words: Words, ids: readonly string[], label = 's', later = '') =>
    `${ids.map((id) => laterOf(id, later)).join('')}
resource "${words.set}" "${label}" {
  ${words.granted} = ${pathOf(words)}
  ${words.items} = [${ids.map((id) => `{ entity_type = "subject", entity = ${entity(id, later)} }`).join(', ')}]
}
`;
  const moved = (from: string, to: string) => `moved {\n  from = ${from}\n  to = ${to}\n}\n`;
  const forgotten = (from: string) => `removed {\n  from = ${from}\n  lifecycle {\n    destroy = false\n  }\n}\n`;
  const linked = async () =>
    (await tenant.client.state()).records
      .filter(({ kind }) => /assignment|membership/.test(kind))
      .map(({ address }) => address.slice(-3))
      .sort();

  it.each(KINDS)('between $single and $set: the plan refuses, and a moved block hands it over', async (words) => {
    const workspace = tenant.workspace(BASE + single(words, 'eve'));
    await workspace.apply();
    workspace.write(BASE + set(words, ['eve']));
    expect(await workspace.fails('plan')).toMatch(/Link changes hands.*gives up.*moved \{ from = service_/);
    expect(await linked()).toEqual(['eve']);

    workspace.write(BASE + set(words, ['eve', 'bob']) + moved(`${words.single}.eve`, `${words.set}.s`));
    const before = await tenant.revisions();
    expect(await workspace.apply()).toContain('0 added, 1 changed, 0 destroyed');
    expect(await tenant.revisions()).toBe(before + 1);
    expect(await linked()).toEqual(['bob', 'eve']);
    await workspace.isSettled();

    workspace.write(BASE + single(words, 'eve') + moved(`${words.set}.s`, `${words.single}.eve`));
    expect(await workspace.fails('plan')).toMatch(/holds 2 links.*removed block.*import each link/);
    workspace.write(BASE + set(words, ['eve']));
    await workspace.apply();
    workspace.write(BASE + single(words, 'eve'));
    expect(await workspace.fails('plan')).toContain('Link changes hands');
    workspace.write(BASE + single(words, 'eve') + moved(`${words.set}.s`, `${words.single}.eve`));
    expect(await workspace.apply()).toContain('0 added, 0 changed, 0 destroyed');
    expect(await linked()).toEqual(['eve']);
  });

  it('several single ones to a set, one moved and the others forgotten', async () => {
    const [words] = KINDS;
    const workspace = tenant.workspace(BASE + IDS.map((id) => single(words, id)).join(''));
    await workspace.apply();
    workspace.write(
      BASE +
        set(words, IDS) +
        moved(`${words.single}.ann`, `${words.set}.s`) +
        forgotten(`${words.single}.bob`) +
        forgotten(`${words.single}.eve`),
    );
    await workspace.apply();
    expect(await linked()).toEqual(IDS);
    await workspace.isSettled();
  });

  it('a set to another of the same record: the plan refuses', async () => {
    const [words] = KINDS;
    const workspace = tenant.workspace(BASE + set(words, ['ann', 'eve']));
    await workspace.apply();
    workspace.write(BASE + set(words, ['eve'], 'other'));
    expect(await workspace.fails('plan')).toContain('Link changes hands');
    expect(await linked()).toEqual(['ann', 'eve']);
  });

  it('from an owner that stays: the plan says what to do there', async () => {
    const [, , words] = KINDS;
    const workspace = tenant.workspace(BASE + set(words, IDS));
    await workspace.apply();
    workspace.write(BASE + set(words, ['ann', 'bob']) + single(words, 'eve'));
    const stays = await workspace.fails('plan');
    expect(stays).toMatch(/gives up .* stays, .*list this one there again, and remove the service_group_membership/);
    expect(stays).not.toContain('moved');
    workspace.write(BASE + set(words, []));
    await workspace.apply();
    workspace.write(BASE + single(words, 'eve', 'one'));
    await workspace.apply();
    workspace.write(BASE + single(words, 'ann', 'one') + set(words, ['eve'], 'other'));
    expect(await workspace.fails('plan')).toMatch(/Link changes hands.*stays under the same name with another key/);
    expect(await linked()).toEqual(['eve']);
  });

  /** Who owns the links of a group in a configuration. */
  const OWNERS: readonly ((later: string) => { text: string; ids: readonly string[] })[] = [
    (later) => ({ text: IDS.map((id) => single(KINDS[2], id, id, later)).join(''), ids: IDS }),
    (later) => ({ text: single(KINDS[2], 'eve', 'other', later), ids: ['eve'] }),
    (later) => ({ text: set(KINDS[2], IDS, 's', later), ids: IDS }),
    (later) => ({ text: set(KINDS[2], ['bob', 'eve'], 'other', later), ids: ['bob', 'eve'] }),
  ];
  it.each([
    [0, 2, ''],
    [0, 2, 'late'],
    [2, 0, ''],
    [2, 0, 'late'],
    [2, 3, 'late'],
    [0, 1, 'late'],
  ])(
    'is never lost between the owners %i and %i, known in the plan or only in the apply (%j)',
    async (from, to, later) => {
      const workspace = tenant.workspace(BASE + OWNERS[from]?.('').text);
      await workspace.apply();
      const wanted = OWNERS[to]?.(later);
      workspace.write(BASE + wanted?.text);
      const { status, text } = await workspace.run('apply', '-auto-approve');
      if (status !== 0) {
        expect(unwrapped(text)).toContain('Link changes hands');
        expect(await linked()).toEqual(OWNERS[from]?.('').ids);
      } else expect(await linked()).toEqual(wanted?.ids);
      expect(status).toBe(later === '' ? 1 : 0);
    },
  );

  it('stays where the resource that gave it up is removed only after the set was made', async () => {
    const config = `${BASE}variable "owned" { default = false }
resource "service_group_membership" "eve" {
  count = var.owned ? 0 : 1
  group = service_group.g.path
  entity_type = "subject"
  entity = service_subject.eve.path
}
resource "terraform_data" "last" {
  count = var.owned ? 0 : 1
  depends_on = [service_group_membership.eve]
  provisioner "local-exec" {
    when = destroy
    command = "sleep 2"
  }
}
resource "terraform_data" "eve" {
  input = "user/eve"
  triggers_replace = var.owned
}
resource "service_group_members" "s" {
  count = var.owned ? 1 : 0
  group = service_group.g.path
  members = [{ entity_type = "subject", entity = terraform_data.eve.output }]
}
`;
    const workspace = tenant.workspace(config);
    await workspace.apply();
    const text = await workspace.apply('-var', 'owned=true');
    expect(text).toMatch(/members\.s\[0\]: Creation complete[\s\S]*membership\.eve\[0\]: Destruction complete/);
    expect(await linked()).toEqual(['eve']);
    await workspace.isSettled('-var', 'owned=true');
  });
});
