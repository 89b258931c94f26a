import { type DeclaredRecord, declare, type Fields } from '@authz-service/core/records/registry';
import { describe, expect, it } from 'vitest';
import { compared } from './compared.js';
import type { Source } from './sources/source.js';

const application = declare('application', { name: 'billing' });
const type = declare('resource_type', { application: 'billing', name: 'invoice', actions: ['read'], properties: {} });
const role = (name: string) => declare('role', { application: 'billing', name });
const policy = declare('policy', {
  application: 'billing',
  name: 'read',
  effect: 'ALLOW',
  priority: 0,
  resource_type: 'billing/invoice',
  actions: ['read'],
} as Fields<'policy'>);
const finance = declare('group', { name: 'finance' });
const held = (name: string) =>
  declare('role_assignment', { role: `billing/${name}`, entity_type: 'group', entity: 'finance' });

const source = (label: string, records: DeclaredRecord[], members: Partial<Source> = {}): Source => ({
  label,
  records,
  notes: [],
  gaps: [],
  ...members,
});
const tree = (label: string, ...records: DeclaredRecord[]) => source(label, records, { stacks: new Set(['billing']) });
const cloud = (owners: Record<string, string>, ...records: DeclaredRecord[]) =>
  source('cloud', records, { ownerOf: (address) => owners[address] });
const addresses = (records: Iterable<DeclaredRecord>) => [...records].map(({ address }) => address).sort();

describe('compared', () => {
  it('leaves whole states as they are', () => {
    const { before, after, gaps } = compared(source('none', []), source('all', [application, type]), []);
    expect([addresses(before.records), addresses(after.records), gaps]).toEqual([
      [],
      ['application/billing', 'resource_type/billing/invoice'],
      [],
    ]);
  });

  it('keeps the other stacks of a tenant on both sides of a tree', () => {
    const owners = {
      [application.address]: 'billing',
      [role('old').address]: 'billing',
      [finance.address]: 'people',
      [held('old').address]: 'billing',
    };
    const live = cloud(owners, application, role('old'), finance, held('old'));
    for (const forwards of [true, false]) {
      const sides: [Source, Source] = [live, tree('tree', application, role('new'), held('new'))];
      const { before, after, gaps } = compared(...(forwards ? sides : (sides.reverse() as typeof sides)), []);
      expect(gaps).toEqual([]);
      expect(addresses((forwards ? after : before).records)).toEqual([
        'application/billing',
        'group/finance',
        'role/billing/new',
        'role_assignment/billing/new//group/finance',
      ]);
      expect(addresses((forwards ? before : after).records)).toEqual(addresses(live.records));
    }
  });

  it('takes what neither side declares from elsewhere, but nothing of their own stack', () => {
    const owners = { [finance.address]: 'people', [role('gone').address]: 'billing' };
    const { before, after, gaps } = compared(
      tree('old', application),
      tree('new', application, role('new'), held('new')),
      [cloud(owners, finance, role('gone'))],
    );
    expect(addresses(before.records)).toEqual(['application/billing', 'group/finance']);
    expect(addresses(after.records)).toContain('role_assignment/billing/new//group/finance');
    expect(addresses(after.records)).not.toContain('role/billing/gone');
    expect(gaps).toEqual([]);
  });

  it('takes a placeholder for a name of elsewhere, and says so', () => {
    const { after, gaps } = compared(tree('old', application), tree('new', application, role('new'), held('new')), []);
    expect(addresses(after.records)).toContain('group/finance');
    expect(gaps).toEqual([
      '"group/finance" is declared elsewhere, so that who holds or belongs to that is not known: name where with --with.',
    ]);
  });

  it('leaves out what asks for more than a name, and what mentions that', () => {
    const assigned = declare('policy_assignment', { policy: 'billing/read', entity_type: 'group', entity: 'finance' });
    const { after, gaps } = compared(tree('old'), tree('new', application, policy, finance, assigned), []);
    expect(addresses(after.records)).toEqual(['application/billing', 'group/finance']);
    expect(gaps).toEqual([
      '"policy/billing/read", "policy_assignment/billing/read//group/finance" mention what is declared elsewhere, and are left out: name where with --with.',
    ]);
  });

  it('takes no placeholder for what the change removes', () => {
    const { after, gaps } = compared(
      tree('old', application, finance),
      tree('new', application, role('x'), held('x')),
      [],
    );
    expect(addresses(after.records)).toEqual(['application/billing', 'role/billing/x']);
    expect(gaps).toHaveLength(1);
  });

  it('notes that two tenants are compared', () => {
    const [one, other] = ['a', 'b'].map((tenant) => source(tenant, [], { tenant })) as [Source, Source];
    expect(compared(one, other, []).notes).toEqual(['a is of the tenant "a", b of "b".']);
  });
});
