import { describe, expect, it } from 'vitest';
import { readShown } from './read-shown.js';

interface Instance {
  address: string;
  type: string;
  values: object;
  mode?: string;
}
const role = (name: string, more: object = {}): Instance => ({
  address: `service_role.${name}`,
  type: 'service_role',
  values: { application: 'billing', name, managed_by: 'acme', id: 'x', path: `billing/${name}`, ...more },
});
const members = (...entities: string[]): Instance => ({
  address: 'service_group_members.finance',
  type: 'service_group_members',
  values: {
    address: 'group/finance',
    group: 'finance',
    members: entities.map((entity) => ({ entity_type: 'subject', entity, starts_at: null, expires_at: null })),
  },
});
const module = (resources: Instance[], children: object[] = []) => ({
  root_module: { resources: resources.map((one) => ({ mode: 'managed', ...one })), child_modules: children },
});
const planOf = (before: Instance[], after: Instance[], more: object = {}) =>
  JSON.stringify({
    format_version: '1.2',
    prior_state: { format_version: '1.0', values: module(before) },
    planned_values: module(after),
    resource_changes: [],
    ...more,
  });
const read = (text: string) => readShown(text, 'plan.json');
const addresses = ({ records }: { records: { address: string }[] }) => records.map(({ address }) => address);

describe('readShown', () => {
  it('reads what was found and what is planned, and which resource declares it', () => {
    const { before, after, gaps } = read(planOf([role('clerk')], [role('clerk'), role('chief')]));
    expect(addresses(before)).toEqual(['role/billing/clerk']);
    expect(addresses(after)).toEqual(['role/billing/clerk', 'role/billing/chief']);
    expect(after.resourceOf.get('role/billing/chief')).toBe('service_role.chief');
    expect([...after.stacks]).toEqual(['acme']);
    expect(after.records[1]?.fields).toEqual({ application: 'billing', name: 'chief' });
    expect(gaps).toEqual([]);
  });

  it('reads modules in modules, and neither data sources nor resources of other providers', () => {
    const inner = { address: 'module.a', resources: [{ mode: 'managed', ...role('inner') }] };
    const outer = { address: 'module.b', resources: [], child_modules: [inner] };
    const others = [
      { ...role('data'), mode: 'data' },
      { address: 'terraform_data.x', type: 'terraform_data', values: {} },
    ];
    const text = planOf([], [], { planned_values: module(others, [outer]) });
    expect(addresses(read(text).after)).toEqual(['role/billing/inner']);
  });

  it('reads all links of a set', () => {
    expect(addresses(read(planOf([], [members('user/a', 'user/b')])).after)).toEqual([
      'group_membership/finance//subject/user/a',
      'group_membership/finance//subject/user/b',
    ]);
  });

  it('reads a state alone, and an empty one', () => {
    const state = JSON.stringify({ format_version: '1.0', values: module([role('clerk')]) });
    const { before, after } = read(state);
    expect(before).toBe(after);
    expect(addresses(after)).toEqual(['role/billing/clerk']);
    expect(addresses(read('{"format_version":"1.0"}').after)).toEqual([]);
  });

  it('leaves out what is known only after the apply, and says so', () => {
    const open = (address: string, after_unknown: object) => ({
      resource_changes: [{ address, change: { after_unknown } }],
    });
    const computed = read(planOf([], [role('a')], open('service_role.a', { id: true, path: true })));
    expect([addresses(computed.after), computed.gaps]).toEqual([['role/billing/a'], []]);
    const named = read(planOf([], [role('a')], open('service_role.a', { name: true, id: true })));
    expect(addresses(named.after)).toEqual([]);
    expect(named.gaps).toEqual([
      'service_role.a has values that are known only after the apply (name): it is left out.',
    ]);
    const within = open('service_group_members.finance', { members: [{ entity: true }] });
    expect(read(planOf([], [members('user/a')], within)).gaps).toEqual([expect.stringContaining('(members)')]);
  });

  it('reads nothing of credentials', () => {
    const key = { address: 'service_api_key.k', type: 'service_api_key', values: { name: 'k', secret: 'hunter2' } };
    expect(JSON.stringify(read(planOf([], [key])))).not.toContain('hunter2');
    expect(addresses(read(planOf([], [key])).after)).toEqual([]);
  });

  it('says that a partial plan is one', () => {
    expect(read(planOf([], [], { complete: false })).gaps).toEqual([expect.stringContaining('partial plan')]);
  });

  it('takes a link of a set and its own resource together where they agree', () => {
    const single = {
      address: 'service_group_membership.a',
      type: 'service_group_membership',
      values: { group: 'finance', entity_type: 'subject', entity: 'user/a' },
    };
    expect(addresses(read(planOf([members('user/a'), single], [])).before)).toHaveLength(1);
  });

  it.each<[string, string, string]>([
    ['no JSON', 'Plan: 1 to add', 'plan.json is not valid JSON'],
    [
      'another document',
      '{"format_version": "2.0"}',
      'is not what "terraform show -json FILE" prints: /format_version',
    ],
    ['a failed plan', planOf([], [], { errored: true }), 'is of a plan that failed'],
    [
      'a record that two resources declare otherwise',
      planOf([], [role('a'), { ...role('a', { description: 'Another.' }), address: 'service_role.b' }]),
      '"role/billing/a" is declared by service_role.a and by service_role.b',
    ],
    ['a record that the service refuses', planOf([], [role('a', { name: '' })]), 'plan.json: service_role.a: /name'],
  ])('refuses %s', (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
