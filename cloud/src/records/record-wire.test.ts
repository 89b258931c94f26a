import type { JsonObject } from '@authz-service/core/json/json';
import { KINDS, type Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { describe, expect, it } from 'vitest';
import { fromWire, toWire } from './record-wire.js';

const state = new TenantState();
let counted = 0;
const make = (kind: Kind, fields: Record<string, unknown>) => {
  const options = { now: new Date(0), revision: 1, newId: () => `id-${++counted}` };
  state.commit(state.stage([{ op: 'create', kind, fields }], options));
};
make('application', { name: 'billing' });
make('resource_type', { application: 'billing', name: 'invoice', actions: ['read'] });
make('resource', { type: 'billing/invoice', name: 'INV-1', properties: { amount: 12 } });
make('subject_type', { name: 'user', properties: { level: 'number' } });
make('context_attribute', { name: 'amount', type: 'number' });
make('directory', { name: 'okta' });
make('subject', { type: 'user', id: 'alice', name: 'Alice' });
make('role', { application: 'billing', name: 'clerk' });
make('role', { name: 'auditor' });
make('group', { name: 'finance' });
make('policy', {
  name: 'single',
  effect: 'ALLOW',
  resources: [{ resource: 'billing/invoice/INV-1', actions: ['read'] }],
});
make('policy_assignment', { policy: 'single', entity_type: 'role', entity: 'billing/clerk' });
make('role_assignment', { role: 'auditor', entity_type: 'subject', entity: 'user/alice' });
make('group_membership', { group: 'finance', entity_type: 'subject', entity: 'user/alice' });
make('access_rule', { name: 'rule', never: { actions: ['*'], resources: { types: ['*'] } } });
make('api_key', { name: 'key', scopes: ['bundle'] });
make('oauth_client', { name: 'client', scopes: ['bundle'] });

const at = (address: string): StoredRecord => {
  const record = state.get(address);
  if (!record) throw new Error(`no ${address}`);
  return record;
};
const idOf = (address: string) => at(address).id;
const [application, type, resource, clerk, policy] = [
  idOf('application/billing'),
  idOf('resource_type/billing/invoice'),
  idOf('resource/billing/invoice/INV-1'),
  idOf('role/billing/clerk'),
  idOf('policy/single'),
];

describe('a record over HTTP', () => {
  const rows: [behaviour: string, address: string, members: JsonObject][] = [
    ['of an application names it', 'role/billing/clerk', { application: 'billing', application_id: application }],
    [
      'shows the type of a resource by path and id',
      'resource/billing/invoice/INV-1',
      { type: 'billing/invoice', type_id: type },
    ],
    [
      'shows the application in which a resource lies',
      'resource/billing/invoice/INV-1',
      { application: 'billing', application_id: application },
    ],
    [
      'shows ids within lists',
      'policy/single',
      { resources: [{ resource: 'billing/invoice/INV-1', resource_id: resource, actions: ['read'] }] },
    ],
    [
      'shows whom a policy is assigned to',
      'policy_assignment/single//role/billing/clerk',
      { policy: 'single', policy_id: policy, entity_type: 'role', entity: 'billing/clerk', entity_id: clerk },
    ],
    [
      'shows a subject by type and id',
      'role_assignment/auditor//subject/user/alice',
      { entity: 'user/alice', entity_id: 'user/alice' },
    ],
    ["shows a subject's id as its caller gave it", 'subject/user/alice', { id: 'alice', type: 'user' }],
    [
      'shows what the service gave it',
      'role/auditor',
      { kind: 'role', address: 'role/auditor', managed_by: 'api', revision: 1 },
    ],
  ];

  it.each(rows)('%s', (_, address, members) => {
    expect(toWire(at(address), state)).toMatchObject(members);
  });

  it('of the tenant names no application', () => {
    expect(Object.keys(toWire(at('role/auditor'), state))).not.toContain('application_id');
  });

  it.each(KINDS)('comes back to the same fields: %s', (kind) => {
    const [record] = state.records(kind);
    if (!record) throw new Error(`no ${kind}`);
    const wire = toWire(record, state);
    expect(fromWire(kind, wire, state, wire)).toEqual({ fields: record.fields, faults: [] });
  });
});

describe('a body', () => {
  const accepted: [behaviour: string, kind: Kind, body: JsonObject, fields: JsonObject][] = [
    [
      'takes an id in place of a path',
      'role',
      { application_id: application, name: 'x' },
      { application: 'billing', name: 'x' },
    ],
    ['takes an id in the field of the path', 'resource', { type, name: 'x' }, { type: 'billing/invoice', name: 'x' }],
    [
      'takes a bare type beside its application',
      'resource',
      { application: 'billing', type: 'invoice', name: 'x' },
      { type: 'billing/invoice', name: 'x' },
    ],
    [
      'takes a bare type beside the id of its application',
      'resource',
      { application_id: application, type: 'invoice', name: 'x' },
      { type: 'billing/invoice', name: 'x' },
    ],
    [
      'takes the bare type of a policy of an application',
      'policy',
      { application: 'billing', name: 'x', resource_type: 'invoice' },
      { application: 'billing', name: 'x', resource_type: 'billing/invoice' },
    ],
    [
      'takes ids within lists',
      'policy',
      { name: 'x', resources: [{ resource_id: resource, actions: ['read'] }] },
      { name: 'x', resources: [{ resource: 'billing/invoice/INV-1', actions: ['read'] }] },
    ],
    [
      'takes the id of an entity',
      'policy_assignment',
      { policy_id: policy, entity_type: 'role', entity_id: clerk },
      { policy: 'single', entity_type: 'role', entity: 'billing/clerk' },
    ],
    [
      'takes type and id of a subject',
      'role_assignment',
      { role: 'auditor', entity_type: 'subject', entity_id: 'user/alice' },
      { role: 'auditor', entity_type: 'subject', entity: 'user/alice' },
    ],
    [
      'takes path and id that agree',
      'role',
      { application: 'billing', application_id: application, name: 'x' },
      { application: 'billing', name: 'x' },
    ],
    ['leaves unknown members to the schema', 'role', { nmae: 'x' }, { nmae: 'x' }],
    [
      'leaves dangling paths to validation',
      'role',
      { application: 'nope', name: 'x' },
      { application: 'nope', name: 'x' },
    ],
    [
      'encodes a bare type that holds white space',
      'resource',
      { application: 'billing', type: 'a b', name: 'x' },
      { type: 'billing/a%20b', name: 'x' },
    ],
  ];

  it.each(accepted)('%s', (_, kind, body, fields) => {
    expect(fromWire(kind, body, state)).toEqual({ fields, faults: [] });
  });

  const refused: [behaviour: string, kind: Kind, body: JsonObject, pointer: string][] = [
    ['with an unknown id', 'role', { application_id: 'nope', name: 'x' }, '/application_id'],
    ['with an id of another kind', 'role', { application_id: clerk, name: 'x' }, '/application_id'],
    ['with an id that is no string', 'role', { application_id: 7, name: 'x' }, '/application_id'],
    [
      'with a path and an id that differ',
      'policy_assignment',
      { policy: 'other', policy_id: policy, entity_type: 'group', entity: 'finance' },
      '/policy_id',
    ],
    [
      'with an unknown id within a list',
      'policy',
      { resources: [{ resource_id: 'nope', actions: ['read'] }] },
      '/resources/0/resource_id',
    ],
    ['with an id of its own', 'role', { id: 'mine', name: 'x' }, '/id'],
    ['with an owner', 'role', { managed_by: 'me', name: 'x' }, '/managed_by'],
    ['with another kind', 'role', { kind: 'group', name: 'x' }, '/kind'],
    [
      'with an application that is not the type’s',
      'resource',
      { application: 'other', type: 'billing/invoice', name: 'x' },
      '/application',
    ],
    ['with an application that is no path', 'resource', { application: 7, type: 'invoice', name: 'x' }, '/application'],
  ];

  it.each(refused)('%s is refused', (_, kind, body, pointer) => {
    const { faults } = fromWire(kind, body, state);
    expect(faults.map((fault) => fault.pointer)).toEqual([pointer]);
  });
});

describe('a patch of what a GET showed', () => {
  const assignment = at('policy_assignment/single//role/billing/clerk');
  const wire = toWire(assignment, state);
  const rows: [behaviour: string, patch: JsonObject, fields: JsonObject][] = [
    ['follows the path when the id is repeated', { ...wire, entity: 'auditor' }, { entity: 'auditor' }],
    ['follows the id when the path is repeated', { ...wire, entity_id: idOf('role/auditor') }, { entity: 'auditor' }],
    ['follows the id alone', { entity_id: idOf('role/auditor') }, { entity: 'auditor' }],
    ['keeps null for the merge', { expires_at: null }, { expires_at: null }],
  ];

  it.each(rows)('%s', (_, patch, fields) => {
    const read = fromWire('policy_assignment', patch, state, wire);
    expect(read.faults).toEqual([]);
    expect(read.fields).toMatchObject(fields);
    expect(Object.keys(read.fields)).not.toContain('entity_id');
  });

  it('is refused where it changes what the service gives', () => {
    const { faults } = fromWire('policy_assignment', { ...wire, revision: 7 }, state, wire);
    expect(faults).toEqual([{ pointer: '/revision', detail: 'is set by the service: leave it out' }]);
  });

  it('is refused where path and id change to different records', () => {
    const patch = { entity: 'auditor', entity_id: clerk };
    const other = toWire(at('role_assignment/auditor//subject/user/alice'), state);
    expect(fromWire('policy_assignment', patch, state, { ...other, ...wire, entity: 'nobody' }).faults).toHaveLength(1);
  });

  it('takes a role out of its application by null', () => {
    const role = toWire(at('role/billing/clerk'), state);
    expect(fromWire('role', { application_id: null }, state, role)).toEqual({
      fields: { application: null },
      faults: [],
    });
  });
});
