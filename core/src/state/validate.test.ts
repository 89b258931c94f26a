import { describe, expect, it } from 'vitest';
import type { Address } from '../records/address.js';
import { InboundIndex } from '../records/inbound-index.js';
import { type DeclaredRecord, declare, definitions } from '../records/registry.js';
import type { RecordFinding, RecordView } from './change.js';
import { type ValidateOptions, validateRecords } from './validate.js';

const record = (kind: DeclaredRecord['kind'], fields: Record<string, unknown>) =>
  declare(kind, definitions[kind].schema.parse(fields));

const application = record('application', { name: 'billing' });
const invoice = record('resource_type', {
  application: 'billing',
  name: 'invoice',
  actions: ['read', 'approve'],
  properties: { amount: 'number', tags: 'list', owner: 'string', extra: 'any', open: 'boolean', place: 'map' },
});
const note = record('resource_type', { application: 'billing', name: 'note', actions: ['read', 'pin'] });
const first = record('resource', { type: 'billing/invoice', name: 'INV-1' });
const memo = record('resource', { type: 'billing/note', name: 'memo' });
const BASE = [application, invoice, note, first, memo];

const policy = (fields: Record<string, unknown>) =>
  record('policy', {
    name: 'p',
    effect: 'ALLOW',
    ...(fields.resources ? {} : { resource_type: 'billing/invoice', actions: ['read'] }),
    ...fields,
  });
const held = (properties: Record<string, unknown>) =>
  record('resource', { type: 'billing/invoice', name: 'x', properties });
const member = (group: string, entity: string) => record('group_membership', { group, entity_type: 'group', entity });

function viewOf(records: DeclaredRecord[]): RecordView {
  const byAddress = new Map(records.map((item) => [item.address, item]));
  const inbound = new InboundIndex();
  for (const item of records) inbound.add(item);
  return {
    get: (address) => byAddress.get(address),
    inbound: (address) => inbound.of(address),
    addresses: (kind) => records.filter((item) => item.kind === kind).map(({ address }) => address),
  };
}

function findings(records: DeclaredRecord[], options?: ValidateOptions): RecordFinding[] {
  return validateRecords(
    viewOf([...BASE, ...records]),
    [...BASE, ...records].map(({ address }) => address),
    options,
  );
}

describe('validateRecords', () => {
  it.each<[string, DeclaredRecord[]]>([
    ['nothing beyond the base', []],
    ['a policy on a type', [policy({ actions: ['read', 'approve'], condition: 'resource.properties.amount > 10' })]],
    ['a policy on all actions', [policy({ actions: ['*'] })]],
    [
      'a policy on several types with an action that one of them has',
      [
        policy({
          resource_type: undefined,
          resource_types: ['billing/invoice', 'billing/note'],
          actions: ['read', 'approve'],
        }),
      ],
    ],
    [
      'a policy on all types of an application',
      [policy({ application: 'billing', resource_type: undefined, resource_types: ['*'], actions: ['approve', '*'] })],
    ],
    [
      'a policy on resources of several types',
      [
        policy({
          resources: [
            { resource: 'billing/invoice/INV-1', actions: ['approve'] },
            { resource: 'billing/note/memo', actions: ['pin'] },
          ],
        }),
      ],
    ],
    [
      'properties of the declared types',
      [held({ amount: 1, tags: [], owner: 'x', extra: null, open: false, place: {} })],
    ],
    [
      'any property of a type that declares none',
      [record('resource', { type: 'billing/note', name: 'n', properties: { x: 1 } })],
    ],
    [
      'groups within groups',
      [
        ...['a', 'b', 'c'].map((name) => record('group', { name })),
        member('a', 'b'),
        member('a', 'c'),
        member('b', 'c'),
      ],
    ],
    ['a DENY that asks first', [policy({ effect: 'DENY', condition: 'has(context.mfa) && context.mfa == false' })]],
    ['an ALLOW that does not ask first', [policy({ condition: 'context.mfa == true' })]],
  ])('finds nothing in %s', (_, records) => {
    expect(findings(records)).toEqual([]);
  });

  it.each<[string, DeclaredRecord[], Partial<RecordFinding>]>([
    [
      'a dangling reference, naming the nearest',
      [policy({ resource_type: 'billing/invioce' })],
      {
        pointer: '/resource_type',
        detail: 'Resource type "billing/invioce" does not exist: did you mean "billing/invoice"?',
      },
    ],
    [
      'a dangling reference with nothing near',
      [record('role', { application: 'warehouse', name: 'x' })],
      { address: 'role/warehouse/x', pointer: '/application', detail: expect.stringContaining('declare it') },
    ],
    [
      'a role where a subject is said to be',
      [
        record('role_assignment', { role: 'billing/clerk', entity_type: 'subject', entity: 'billing/clerk' }),
        record('role', { application: 'billing', name: 'clerk' }),
      ],
      {
        pointer: '/entity',
        detail:
          'Subject "billing/clerk" does not exist, but there is a role of that path: if it is meant, the entity_type is "role".',
      },
    ],
    [
      'an address where a path is meant',
      [policy({ resource_type: 'resource_type/billing/invoice' })],
      { pointer: '/resource_type', detail: expect.stringContaining('write the path alone, "billing/invoice".') },
    ],
    [
      'a dangling reference that is no path of its kind',
      [policy({ resource_type: 'bill' })],
      { pointer: '/resource_type', detail: 'Resource type "bill" does not exist: write APPLICATION/TYPE.' },
    ],
    [
      'a dangling resource in a policy',
      [policy({ resources: [{ resource: 'billing/invoice/INV-7', actions: ['read'] }] })],
      { pointer: '/resources/0/resource', detail: expect.stringContaining('"billing/invoice/INV-1"') },
    ],
    [
      'an action that the type does not know, naming the nearest',
      [policy({ actions: ['raed', 'approve'] })],
      { pointer: '/actions/1', detail: 'The type "billing/invoice" has no action "raed": did you mean "read"?' },
    ],
    [
      'an action that no action is near to, naming those there are',
      [policy({ actions: ['delete'] })],
      { detail: 'The type "billing/invoice" has no action "delete": it has approve, read.' },
    ],
    [
      'an action that the type of a resource does not know',
      [policy({ resources: [{ resource: 'billing/note/memo', actions: ['read', 'approve'] }] })],
      { pointer: '/resources/0/actions/0', detail: expect.stringContaining('"billing/note" has no action "approve"') },
    ],
    [
      'a property of another type',
      [held({ amount: '120' })],
      {
        pointer: '/properties/amount',
        detail: 'The property "amount" is a string, but the type "billing/invoice" declares it as number.',
      },
    ],
    ['a null where a number is declared', [held({ amount: null })], { detail: expect.stringContaining('is a null') }],
    ['a map where a list is declared', [held({ tags: {} })], { detail: expect.stringContaining('is a map') }],
    [
      'a condition that does not parse, naming the place',
      [policy({ condition: 'resource.properties.amount <' })],
      { pointer: '/condition', detail: expect.stringContaining('The condition is not valid') },
    ],
    [
      'a condition against the declared types',
      [policy({ condition: 'resource.properties.amount < "10"' })],
      { pointer: '/condition' },
    ],
    [
      'a condition that fits one type of its resources only',
      [
        policy({
          condition: 'resource.properties.amount < "10"',
          resources: [
            { resource: 'billing/invoice/INV-1', actions: ['read'] },
            { resource: 'billing/note/memo', actions: ['read'] },
          ],
        }),
      ],
      { pointer: '/condition' },
    ],
    [
      'an action that none of several types has',
      [
        policy({
          resource_type: undefined,
          resource_types: ['billing/invoice', 'billing/note'],
          actions: ['read', 'print'],
        }),
      ],
      {
        pointer: '/actions/0',
        detail: expect.stringMatching(
          /^None of the types billing\/invoice, billing\/note has an action "print": they have /,
        ),
      },
    ],
    [
      'a type that does not exist among several',
      [policy({ resource_type: undefined, resource_types: ['billing/invoice', 'billing/notes'] })],
      { pointer: '/resource_types/1', detail: expect.stringContaining('did you mean "billing/note"?') },
    ],
    [
      'a condition that does not fit one of several types',
      [
        policy({
          resource_type: undefined,
          resource_types: ['billing/invoice', 'billing/note'],
          condition: 'resource.properties.amount < "10"',
        }),
      ],
      { pointer: '/condition' },
    ],
    [
      'a circle of groups, once and whole',
      [
        ...['a', 'b', 'c'].map((name) => record('group', { name })),
        member('a', 'b'),
        member('b', 'c'),
        member('c', 'a'),
      ],
      {
        pointer: '/entity',
        detail: 'Groups contain each other in a circle: a → b → c → a. Remove one of these memberships.',
      },
    ],
    [
      'the circle alone, not the way to it',
      [
        ...['a', 'b', 'c'].map((name) => record('group', { name })),
        member('a', 'b'),
        member('b', 'c'),
        member('c', 'b'),
      ],
      { detail: expect.stringContaining(': b → c → b.') },
    ],
  ])('finds %s', (_, records, expected) => {
    expect(findings(records)).toEqual([expect.objectContaining({ severity: 'error', ...expected })]);
  });

  it('warns of a property that the type does not declare', () => {
    const detail = 'The type "billing/invoice" declares no property "amuont": did you mean "amount"?';
    expect(findings([held({ amuont: 1 })])).toEqual([
      expect.objectContaining({ severity: 'warning', pointer: '/properties/amuont', detail }),
    ]);
  });

  it('warns of no DENY that fails closed', () => {
    expect(findings([policy({ effect: 'DENY', condition: 'context.mfa == false' })])).toEqual([]);
  });

  it('warns of a stored property that would be the parent of a resource without a record', () => {
    const folder = record('resource_type', { application: 'billing', name: 'folder', actions: ['list'] });
    const page = record('resource_type', {
      application: 'billing',
      name: 'page',
      actions: ['read'],
      parents: [{ type: 'billing/folder', property: 'folder' }],
    });
    const top = record('resource', { type: 'billing/folder', name: 'top' });
    const stored = (fields: Record<string, unknown>) =>
      record('resource', { type: 'billing/page', name: 'x', properties: { folder: 'top' }, ...fields });
    const types = [application, folder, page, top];
    expect(findings([...types, stored({ parents: ['billing/folder/top'] })])).toEqual([]);
    expect(findings([...types, stored({})])).toEqual([
      expect.objectContaining({
        severity: 'warning',
        pointer: '/properties/folder',
        detail:
          'The property "folder" does not say where it lies: of a resource with a record only "parents" does. Name its billing/folder there, or give the property another name.',
      }),
    ]);
  });

  it('takes the word of others for external records', () => {
    const external = (address: Address) => address === 'role/central/reader';
    const assigned = (role: string) => record('role_assignment', { role, entity_type: 'group', entity: 'g' });
    const group = record('group', { name: 'g' });
    expect(findings([group, assigned('central/reader')], { external })).toEqual([]);
    expect(findings([group, assigned('central/writer')], { external })).toHaveLength(1);
  });

  it('looks for what was meant in the first faults only, however many there are', () => {
    const actions = [...'abcdefghijklmnopqrst'].map((letter) => `read${letter}`);
    const details = findings([policy({ actions })]).map(({ detail }) => detail);
    expect(details).toHaveLength(20);
    expect(details.filter((detail) => detail.includes('did you mean "read"?'))).toHaveLength(10);
    expect(details.at(-1)).toContain('it has approve, read.');
  });

  it('finds more in one record than a call takes arguments', () => {
    const actions = Array.from({ length: 200_000 }, (_, index) => `x${index}`);
    expect(findings([policy({ actions })])).toHaveLength(actions.length);
  });

  it('judges only the records that it is asked about', () => {
    const bad = policy({ actions: ['nothing'] });
    expect(validateRecords(viewOf([...BASE, bad]), [invoice.address])).toEqual([]);
    expect(validateRecords(viewOf([...BASE, bad]), [bad.address, 'role/gone'])).toHaveLength(1);
  });

  it('walks a long chain of groups without a deep stack', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `g${index}`);
    const groups = names.map((name) => record('group', { name }));
    const chain = names.slice(1).map((name, index) => member(`g${index}`, name));
    expect(findings([...groups, ...chain])).toEqual([]);
    const closed = findings([...groups, ...chain, member('g19999', 'g0')]);
    expect(closed).toHaveLength(1);
    expect(closed[0]?.detail).toMatch(/^.{100,2000}$/);
    expect(closed[0]?.detail).toMatch(/: g0 → g1 → .* → g49 → … \(19901 more\) … → g19951 → .* → g19999 → g0\. Remove/);
  });
});
