import { describe, expect, it } from 'vitest';
import type { ProblemError } from '../problem.js';
import type { StoredRecord } from '../records/registry.js';
import type { Change } from './change.js';
import { TenantState } from './tenant-state.js';
import { validateRecords } from './validate.js';

let ids = 0;
const options = { now: new Date(0), newId: () => `id-${++ids}`, revision: 1, stack: 'platform' };
const create = (kind: StoredRecord['kind'], fields: Record<string, unknown>): Change => ({
  op: 'create',
  kind,
  fields,
});
const update = (address: string, fields: Record<string, unknown>): Change => ({ op: 'update', address, fields });
const remove = (address: string): Change => ({ op: 'delete', address });
const policy = (name: string, condition: string) => ({
  name,
  effect: 'ALLOW',
  resource_type: 'docs/page',
  actions: ['read'],
  condition,
});
const user = (properties?: Record<string, string>) => ({ name: 'user', ...(properties && { properties }) });

const TEAM: Change[] = [
  create('application', { name: 'docs' }),
  create('resource_type', { application: 'docs', name: 'page', actions: ['read'] }),
  create('subject', { type: 'user', id: 'anne', properties: { region: 'EU' } }),
  create('policy', policy('regional', 'subject.properties.region == context.region')),
];
const PLATFORM: Change[] = [
  create('subject_type', user({ region: 'string', level: 'number' })),
  create('context_attribute', { name: 'region', type: 'string' }),
];

/** A tenant in which one stack has written what `PLATFORM` of another stack, and `more`, say schemas for. */
function tenant(...more: Change[]): TenantState {
  const state = new TenantState();
  state.commit(state.stage(TEAM, { ...options, stack: 'team' }));
  for (const changes of [PLATFORM, more]) state.commit(state.stage(changes, options));
  return state;
}

function refused(state: TenantState, ...changes: Change[]) {
  try {
    state.stage(changes, options);
  } catch (error) {
    return (error as ProblemError).errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
  }
  return [];
}

describe('a schema', () => {
  it('that everything fits is taken, and nothing refers to it', () => {
    expect(refused(tenant())).toEqual([]);
    expect(refused(tenant(), remove('subject_type/user'), remove('context_attribute/region'))).toEqual([]);
  });

  it.each<[behaviour: string, changes: Change[], faults: string[]]>([
    [
      'may not lose what conditions of other stacks read',
      [update('subject_type/user', user({ level: 'number' }))],
      [
        '/changes/0: The condition is not valid (at character 20): the subject type "user" declares no property "region": there are "level". "policy/regional" belongs to the stack "team".',
      ],
    ],
    [
      'may not become of another type than what is stored',
      [update('subject_type/user', user({ region: 'number' }))],
      [
        '/changes/0: The property "region" is a string, but the subject type "user" declares it as number. "subject/user/anne" belongs to the stack "team".',
        '/changes/0: The condition is not valid (at character 1): "==" does not take subject.properties.region (a number) and context.region (a string). "policy/regional" belongs to the stack "team".',
      ],
    ],
    [
      'may not come where a condition looks like a slip for it',
      [remove('context_attribute/region'), create('context_attribute', { name: 'regions', type: 'list' })],
      [
        '/changes/1: The condition is not valid (at character 38): nobody declares a context attribute "region": did you mean "regions"? If not, declare it, too. "policy/regional" belongs to the stack "team".',
      ],
    ],
    [
      'may not be renamed so that conditions read what no type has',
      [
        create('subject_type', { name: 'service', properties: {} }),
        { op: 'move', from: 'subject_type/user', to: 'subject_type/person' },
        update('subject_type/person', { name: 'person', properties: {} }),
      ],
      [
        '/changes/2: The condition is not valid (at character 20): no declared subject type has a property "region": there are none. "policy/regional" belongs to the stack "team".',
      ],
    ],
    [
      'may not be removed where others remain that do not say it',
      [create('subject_type', { name: 'service', properties: {} }), remove('subject_type/user')],
      [
        '/changes/0: The condition is not valid (at character 20): the subject type "service" declares no property "region": there are none. "policy/regional" belongs to the stack "team".',
      ],
    ],
  ])('%s', (_, changes, faults) => {
    expect(refused(tenant(), ...changes)).toEqual(faults);
  });

  it.each<[behaviour: string, change: Change, faults: string[]]>([
    [
      'a condition',
      create('policy', policy('p', 'context.regoin == "EU"')),
      [
        '/changes/0/fields/condition: The condition is not valid (at character 9): nobody declares a context attribute "regoin": did you mean "region"? If not, declare it, too',
      ],
    ],
    [
      'a stored property',
      create('subject', { type: 'user', id: 'bert', properties: { region: 5 } }),
      [
        '/changes/0/fields/properties/region: The property "region" is a number, but the subject type "user" declares it as string.',
      ],
    ],
    [
      'no subject of a type that nobody declares',
      create('subject', { type: 'robot', id: 'r', properties: { region: 5 } }),
      [],
    ],
  ])('is what %s is checked against', (_, change, faults) => {
    expect(refused(tenant(), change)).toEqual(faults);
  });

  it('warns of what may be a slip', () => {
    const state = tenant(
      create('subject', { type: 'user', id: 'bert', properties: { regoin: 'EU' } }),
      create('subject', { type: 'usr', id: 'carl' }),
      create('group', { name: 'g' }),
      create('role', { name: 'r' }),
      create('role_assignment', { role: 'r', entity_type: 'everyone', entity: 'users' }),
    );
    const addresses = ['subject/user/bert', 'subject/usr/carl', 'role_assignment/r//everyone/users'];
    expect(
      validateRecords(state, addresses).map(({ severity, pointer, detail }) => [severity, pointer, detail]),
    ).toEqual([
      [
        'warning',
        '/properties/regoin',
        'The subject type "user" declares no property "regoin": did you mean "region"?',
      ],
      ['warning', '/type', 'Nobody declares a subject type "usr": did you mean "user"? If not, declare it, too.'],
      ['warning', '/entity', 'Nobody declares a subject type "users": did you mean "user"? If not, declare it, too.'],
    ]);
  });

  it('comes with what it makes right in one change-set', () => {
    const state = tenant();
    const changes = [
      update('subject_type/user', user({ area: 'string' })),
      update('policy/regional', policy('regional', 'subject.properties.area == "north"')),
      update('subject/user/anne', { type: 'user', id: 'anne', properties: { area: 'north' } }),
    ];
    const all = { ...options, takeOwnership: true };
    expect(() => state.stage(changes, all)).not.toThrow();
    expect(() => state.stage(changes.slice(0, 1), all)).toThrow();
  });

  it('has a type for what modifiers read', () => {
    expect(refused(tenant(), create('context_attribute', { name: 'mfa', type: 'string' }))).toEqual([
      '/changes/0/fields/type: "string" is not what modifiers read of `context.mfa`: write boolean.',
    ]);
    expect(refused(tenant(), create('context_attribute', { name: 'mfa', type: 'boolean' }))).toEqual([]);
  });
});
