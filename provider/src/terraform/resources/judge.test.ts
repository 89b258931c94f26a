import { KINDS, type Kind } from '@authz-service/core/records/kinds';
import { type DeclaredRecord, declare } from '@authz-service/core/records/registry';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isList, isObject, UNKNOWN, type Value, type Values } from '../framework/value.js';
import { judgeConfig, judgeRecord, pathOf, recordFrom, recordPlanned } from './judge.js';
import { identityOf, recordForm } from './record-form.js';

const forms = new Map(KINDS.map((kind) => [kind, recordForm(kind)]));
const form = (kind: Kind) => forms.get(kind) ?? expect.fail();
const policy = (more: { [name: string]: Value }): Values => ({
  name: 'p',
  effect: 'ALLOW',
  resource_type: 'billing/invoice',
  actions: ['read'],
  priority: 0,
  ...more,
});

describe('a configuration by itself', () => {
  it.each<[string, Kind, Values, { severity: string; path: (string | number)[]; detail: string }[]]>([
    ['is fine', 'policy', policy({}), []],
    [
      'has a value that is wrong',
      'policy',
      policy({ priority: 1.5 }),
      [{ severity: 'error', path: ['priority'], detail: 'priority: is the number 1.5, a whole number is expected.' }],
    ],
    [
      'has several',
      'policy',
      policy({ name: '', effect: 'MAYBE' }),
      [
        { severity: 'error', path: ['name'], detail: 'name: "" must not be empty.' },
        { severity: 'error', path: ['effect'], detail: 'effect: is the string "MAYBE": write one of ALLOW, DENY.' },
      ],
    ],
    [
      'is wrong as a whole',
      'policy',
      policy({ actions: null }),
      [{ severity: 'error', path: [], detail: 'covers nothing' }],
    ],
    [
      'is wrong inside a list',
      'policy',
      policy({ modifiers: { time_windows: [{ start: '9', end: '17:00', zone: 'UTC' }] } }),
      [
        {
          severity: 'error',
          path: ['modifiers', 'time_windows', 0, 'start'],
          detail: 'modifiers.time_windows[0].start: "9" must be a time of day like "09:30".',
        },
      ],
    ],
    [
      'has a condition that does not parse',
      'policy',
      policy({ condition: 'a ==' }),
      [{ severity: 'error', path: ['condition'], detail: 'The condition is not valid' }],
    ],
    [
      'has one, though the type is unknown',
      'policy',
      policy({ condition: 'a ==', resource_type: UNKNOWN, actions: UNKNOWN }),
      [{ severity: 'error', path: ['condition'], detail: 'The condition is not valid' }],
    ],
    [
      'is unknown where it would matter',
      'policy',
      policy({ resource_type: UNKNOWN, actions: null, resources: UNKNOWN }),
      [],
    ],
    [
      'is unknown inside',
      'policy',
      policy({ resource_type: null, actions: null, resources: [{ resource: UNKNOWN, actions: ['x'] }] }),
      [],
    ],
    ['has a condition that is unknown', 'policy', policy({ condition: UNKNOWN }), []],
    [
      'is of two ends that are unknown',
      'group_membership',
      { group: UNKNOWN, entity_type: 'group', entity: UNKNOWN },
      [],
    ],
    [
      'is wrong beside what is unknown',
      'policy',
      policy({
        modifiers: {
          ip_ranges: [UNKNOWN, '10.0.0.0/99'],
          time_windows: [UNKNOWN, { start: UNKNOWN, end: '25:00', zone: UNKNOWN }],
          mfa_required: UNKNOWN,
        },
      }),
      [
        { severity: 'error', path: ['modifiers', 'ip_ranges', 1], detail: '"10.0.0.0/99": must be an IP address' },
        { severity: 'error', path: ['modifiers', 'time_windows', 1, 'end'], detail: '"25:00" must be a time of day' },
      ],
    ],
    [
      'may be right once the rest of it is known',
      'policy',
      policy({ resource_type: null, actions: null, resources: [UNKNOWN, { resource: UNKNOWN, actions: UNKNOWN }] }),
      [],
    ],
    ['maps names to what is unknown', 'resource_type', { application: 'a', name: 't', properties: { b: UNKNOWN } }, []],
    [
      'refers by an address where a path is expected',
      'role_assignment',
      { role: 'role/lab/chemist', entity_type: 'group', entity: UNKNOWN },
      [
        {
          severity: 'error',
          path: ['role'],
          detail: 'Role "role/lab/chemist" does not exist: that is an address, write the path alone, "lab/chemist".',
        },
      ],
    ],
    [
      'refers by a path with too few names',
      'group_membership',
      { group: 'g', entity_type: 'subject', entity: 'kim' },
      [{ severity: 'error', path: ['entity'], detail: 'Subject "kim" does not exist: write TYPE/ID.' }],
    ],
    [
      'covers a resource by its name alone',
      'policy',
      policy({
        resource_type: null,
        actions: null,
        resources: [{ resource: 'S-1', actions: ['x'] }],
      }),
      [{ severity: 'error', path: ['resources', 0, 'resource'], detail: 'write APPLICATION/TYPE/NAME.' }],
    ],
    ['has unknown properties', 'subject', { type: 'user', id: 'a', properties: UNKNOWN }, []],
    [
      'has an unknown moment',
      'role_assignment',
      { role: 'r', entity_type: 'group', entity: UNKNOWN, expires_at: UNKNOWN },
      [],
    ],
    [
      'begins when it has ended',
      'role_assignment',
      {
        role: 'r',
        entity_type: 'group',
        entity: 'g',
        starts_at: '2099-01-01T00:00:00Z',
        expires_at: '2099-01-01T00:00:00Z',
      },
      [{ severity: 'error', path: ['starts_at'], detail: 'is not before expires_at, "2099-01-01T00:00:00.000Z"' }],
    ],
    [
      'has expired',
      'group_membership',
      { group: 'h', entity_type: 'group', entity: 'g', expires_at: '2001-01-01T00:00:00Z' },
      [{ severity: 'warning', path: ['expires_at'], detail: 'expired at 2001-01-01T00:00:00.000Z' }],
    ],
    [
      'has properties that are no object',
      'subject',
      { type: 'user', id: 'a', properties: '[1]' },
      [{ severity: 'error', path: ['properties'], detail: 'properties: is a list, an object is expected.' }],
    ],
    [
      'has properties that are no JSON',
      'subject',
      { type: 'user', id: 'a', properties: 'a: 1' },
      [{ severity: 'error', path: ['properties'], detail: 'jsonencode' }],
    ],
  ])('%s', (_name, kind, config, expected) => {
    expect(judgeConfig(form(kind), config)).toMatchObject(
      expected.map(({ detail, ...rest }) => ({ ...rest, detail: expect.stringContaining(detail) })),
    );
  });
});

describe('what is right', () => {
  const link = {
    entity_type: 'group',
    entity: 'g',
    starts_at: '2027-01-01T00:00:00Z',
    expires_at: '2099-01-01T00:00:00Z',
  };
  const window = { days: ['mon', 'sun'], start: '09:00', end: '17:00', zone: 'UTC' };
  const credential = { name: 'k', scopes: ['decisions', 'bundle'], expires_at: '2099-01-01T00:00:00Z' };
  const RIGHT: { readonly [K in Kind]: Values } = {
    application: { name: 'billing', description: 'd' },
    resource_type: { application: 'billing', name: 't', actions: ['a', 'b'], properties: { n: 'number', s: 'any' } },
    resource: { type: 'billing/t', name: 'r', properties: '{"n":1}' },
    subject_type: { name: 'user', properties: { n: 'number', s: 'any' } },
    subject: { type: 'user', id: 'a', name: 'A', properties: '{"n":1}' },
    context_attribute: { name: 'level', type: 'number' },
    directory: { name: 'okta' },
    role: { application: 'billing', name: 'r' },
    group: { name: 'g', description: 'd' },
    role_assignment: { role: 'billing/r', ...link },
    policy_assignment: { policy: 'billing/p', ...link },
    group_membership: { group: 'h', ...link },
    policy: policy({
      application: 'billing',
      condition: 'context.level > 1',
      modifiers: { ip_ranges: ['10.0.0.0/8', '::1'], time_windows: [window, window], mfa_required: true },
    }),
    access_rule: {
      name: 'r',
      never: { subjects: { type: 'user' }, actions: ['read'], resources: { types: ['billing/invoice'] } },
      mode: 'warn',
    },
    api_key: credential,
    oauth_client: { name: 'c', scopes: ['records:write'] },
  };
  const single = policy({
    resource_type: null,
    actions: null,
    effect: 'DENY',
    condition: 'has(subject.properties.a) && subject.properties.a == 1',
    resources: [
      { resource: 'billing/t/a', actions: ['x'] },
      { resource: 'billing/t/b', actions: ['x', 'y'] },
    ],
  });

  /** The values with some replaced by unknown ones, at random. */
  function partly(value: Value, isUnknown: () => boolean): Value {
    if (value === null) return null;
    if (isUnknown()) return UNKNOWN;
    if (isList(value)) return value.map((item) => partly(item, isUnknown));
    return isObject(value) ? partlyObject(value, isUnknown) : value;
  }
  const partlyObject = (values: Values, isUnknown: () => boolean): Values =>
    Object.fromEntries(Object.entries(values).map(([name, item]) => [name, partly(item, isUnknown)]));

  it.each([...KINDS.map((kind) => [kind, RIGHT[kind]] as const), ['policy', single] as const])(
    'of a %s is not refused, whatever of it is unknown',
    (kind, values) => {
      expect(judgeConfig(form(kind), values)).toEqual([]);
      fc.assert(
        fc.property(fc.infiniteStream(fc.boolean()), (chance) => {
          const some = partlyObject(values, () => chance.next().value);
          expect(judgeConfig(form(kind), some)).toEqual([]);
        }),
      );
    },
  );
});

describe('a record among others', () => {
  const type = declare('resource_type', {
    application: 'billing',
    name: 'invoice',
    actions: ['read'],
    properties: { amount: 'number' },
  });
  const judged = (more: { [name: string]: Value }) => {
    const record = recordFrom(form('policy'), policy(more)) ?? expect.fail();
    const known = new Map<string, DeclaredRecord>([type, record].map((item) => [item.address, item]));
    return judgeRecord(record, { get: (address) => known.get(address), inbound: () => [] });
  };

  it.each<[string, { [name: string]: Value }, string[]]>([
    ['what others make of it', { actions: ['reed'] }, ['did you mean "read"?']],
    [
      'what the types make of its condition',
      { condition: 'resource.properties.amount == "x"' },
      ['The condition is not valid'],
    ],
    ['nothing of what it mentions and nobody has', { resource_type: 'billing/other' }, []],
    [
      'nothing that its configuration has been told already',
      { effect: 'DENY', condition: 'subject.properties.a == 1' },
      [],
    ],
  ])('is told %s', (_name, more, details) => {
    expect(judged(more).map(({ detail }) => detail)).toEqual(details.map((detail) => expect.stringContaining(detail)));
  });
});

describe('a record from values', () => {
  it('has normalized fields and its address', () => {
    const record = recordFrom(form('policy'), policy({ actions: ['b', 'a'], application: 'billing' }));
    expect(record).toMatchObject({ address: 'policy/billing/p', fields: { actions: ['a', 'b'], priority: 0 } });
  });

  it.each<[string, Values]>([
    ['is unknown in part', policy({ condition: UNKNOWN })],
    ['is wrong', policy({ effect: 'MAYBE' })],
  ])('is none while it %s', (_name, values) => {
    expect(recordFrom(form('policy'), values)).toBeUndefined();
  });

  it.each<[Kind, Values, Value]>([
    ['role', { name: 'r' }, 'r'],
    ['role', { application: 'billing', name: 'a/b' }, 'billing/a%2Fb'],
    ['role', { application: UNKNOWN, name: 'r' }, UNKNOWN],
    ['subject', { type: 'user', id: 'alice', name: UNKNOWN }, 'user/alice'],
    ['role_assignment', { role: 'billing/r', entity_type: 'group', entity: 'g' }, 'billing/r//group/g'],
  ])('of the kind %s has the path that its key makes', (kind, values, path) => {
    expect(identityOf(form(kind), values).path).toBe(path);
  });
});

it.each([
  ['/condition', ['condition']],
  ['/resources/0/actions/2', ['resources', 0, 'actions', 2]],
  ['/properties/a~1b', ['properties', 'a/b']],
  ['', []],
])('the pointer "%s" is a path into the attributes', (pointer, path) => {
  expect(pathOf(pointer)).toEqual(path);
});

describe('the record that is planned', () => {
  const config = policy({ priority: null, description: 'x' });
  const absent = {
    condition: null,
    application: null,
    resources: null,
    resource_types: null,
    modifiers: null,
    unless: null,
    shared_with: null,
  };
  const planned = { ...config, ...absent, priority: 0 };
  const fieldsOf = (values: Values) => recordPlanned(form('policy'), values, config)?.fields;

  it('is the one that was judged where the plan says what the configuration does', () => {
    judgeConfig(form('policy'), config);
    expect(recordPlanned(form('policy'), planned, config)).toBe(recordPlanned(form('policy'), planned, config));
    expect(fieldsOf(planned)).toMatchObject({ name: 'p', priority: 0, description: 'x' });
  });

  it.each<[string, Values]>([
    ['has been taken from the state', { description: 'X' }],
    ['is not the default', { priority: 7 }],
    ['is nothing', { description: null }],
  ])('is another where a value %s', (_name, other) => {
    judgeConfig(form('policy'), config);
    const fields = fieldsOf({ ...planned, ...other });
    expect(fields).toEqual(recordFrom(form('policy'), { ...planned, ...other })?.fields);
    expect(fields).not.toEqual(fieldsOf(planned));
  });

  it('is none while something is unknown', () => {
    judgeConfig(form('policy'), config);
    expect(fieldsOf({ ...planned, description: UNKNOWN })).toBeUndefined();
  });
});
