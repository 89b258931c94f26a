import { describe, expect, it, vi } from 'vitest';
import type { Kind } from '../records/kinds.js';
import { parseFields } from './parse-fields.js';

const policy = (more: Record<string, unknown>) => ({
  name: 'p',
  effect: 'ALLOW',
  resource_type: 'a/t',
  actions: ['read'],
  ...more,
});

describe('parseFields', () => {
  it('normalizes: defaults, sets, times', () => {
    expect(parseFields('policy', policy({ actions: ['write', 'read', 'write'] }))).toEqual({
      fields: policy({ actions: ['read', 'write'], priority: 0 }),
    });
    expect(
      parseFields('role_assignment', {
        role: 'r',
        entity_type: 'group',
        entity: 'g',
        expires_at: '2027-01-01T01:00:00+01:00',
      }).fields,
    ).toMatchObject({ expires_at: '2027-01-01T00:00:00.000Z' });
  });

  it('refuses an offset for a zone whatever the machine takes', () => {
    vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(() => ({}) as Intl.DateTimeFormat);
    const windows = { time_windows: [{ start: '08:00', end: '18:00', zone: '+02:00' }] };
    const { faults } = parseFields('policy', policy({ modifiers: windows }));
    vi.restoreAllMocks();
    expect(faults?.map(({ pointer }) => pointer)).toEqual(['/modifiers/time_windows/0/zone']);
  });

  it.each<[string, Kind, unknown, { pointer: string; detail: string }[]]>([
    ['what is missing', 'subject', { type: 'user' }, [{ pointer: '/id', detail: 'is missing: write a string.' }]],
    [
      'a missing choice',
      'policy',
      policy({ effect: undefined }),
      [{ pointer: '/effect', detail: 'is missing: write one of ALLOW, DENY.' }],
    ],
    [
      'another type',
      'role',
      { name: 1 },
      [{ pointer: '/name', detail: 'is the number 1, a string is expected: write "1" in quotes.' }],
    ],
    [
      'a fraction',
      'policy',
      policy({ priority: 1.5 }),
      [{ pointer: '/priority', detail: 'is the number 1.5, a whole number is expected.' }],
    ],
    ['no object at all', 'role', null, [{ pointer: '', detail: 'is null, an object is expected.' }]],
    [
      'a slip in a choice',
      'policy',
      policy({ effect: 'ALOW' }),
      [{ pointer: '/effect', detail: '"ALOW" is not known here: did you mean "ALLOW"? Write one of ALLOW, DENY.' }],
    ],
    [
      'no choice',
      'policy',
      policy({ effect: 7 }),
      [{ pointer: '/effect', detail: 'is the number 7: write one of ALLOW, DENY.' }],
    ],
    [
      'the only choice',
      'policy',
      policy({ modifiers: { mfa_required: false } }),
      [{ pointer: '/modifiers/mfa_required', detail: 'is the boolean false: write true.' }],
    ],
    [
      'a text against its rule',
      'policy',
      policy({ actions: ['a b'] }),
      [{ pointer: '/actions/0', detail: '"a b" must not hold white space.' }],
    ],
    [
      'an empty text, once',
      'policy',
      policy({ actions: [''] }),
      [{ pointer: '/actions/0', detail: '"" must not be empty.' }],
    ],
    [
      'what is no moment, once',
      'api_key',
      { name: 'k', scopes: ['bundle'], expires_at: 'tomorrow' },
      [
        {
          pointer: '/expires_at',
          detail: '"tomorrow" must be an RFC 3339 date and time with a zone, like "2027-01-31T18:00:00Z".',
        },
      ],
    ],
    [
      'a number beyond what JSON holds, however deep',
      'resource',
      { type: 'a/t', name: 'r', properties: { a: { b: [1, JSON.parse('1e400')] } } },
      [{ pointer: '/properties/a', detail: 'holds a number that is too large to be kept: write it in quotes.' }],
    ],
    ...['everyone', 'Everyone', 'a/b'].map((entity): [string, Kind, unknown, { pointer: string; detail: string }[]] => [
      `everyone of the type "${entity}"`,
      'policy_assignment',
      { policy: 'a/p', entity_type: 'everyone', entity },
      [
        {
          pointer: '/entity',
          detail: `"${entity}" is no type of subjects: write one like "user" for everyone of that type, or "*" for everyone.`,
        },
      ],
    ]),
    ...[
      ['us%65r', 'user'],
      ['night shift', 'night%20shift'],
      ['100%', '100%25'],
    ].map(([entity, written]): [string, Kind, unknown, { pointer: string; detail: string }[]] => [
      `everyone of a type that is not written as in a path, "${entity}"`,
      'policy_assignment',
      { policy: 'a/p', entity_type: 'everyone', entity },
      [{ pointer: '/entity', detail: `"${entity}" would mean nobody: write the type as "${written}", as in a path.` }],
    ]),
    [
      'all subjects of a type as one subject',
      'role_assignment',
      { role: 'a/r', entity_type: 'subject', entity: 'user/*' },
      [
        {
          pointer: '/entity',
          detail: '"user/*" names no subject: for everyone of the type, write "user" with the entity_type "everyone".',
        },
      ],
    ],
    [
      'a type of subjects that stands for all',
      'subject',
      { type: 'everyone', id: 'x' },
      [{ pointer: '/type', detail: '"everyone" is no type of subjects, since it stands for all: choose another.' }],
    ],
    [
      'a name that stands for all',
      'group',
      { name: '*' },
      [{ pointer: '/name', detail: '"*" is no name, since it stands for all: choose another.' }],
    ],
    [
      'whole numbers that would lose their last digits, each in its place',
      'subject',
      {
        type: 'user',
        id: 'x',
        properties: JSON.parse('{"a": [1, -12345678901234567890], "b": {"c": 1e16, "d": 1.5e3}}'),
      },
      [
        {
          pointer: '/properties/a/1',
          detail: '-12345678901234567000 is too large to be kept exactly: write it in quotes.',
        },
        {
          pointer: '/properties/b/c',
          detail: '10000000000000000 is too large to be kept exactly: write it in quotes.',
        },
      ],
    ],
    [
      'an empty list',
      'policy',
      policy({ actions: [] }),
      [{ pointer: '/actions', detail: 'must name at least one action, or "*".' }],
    ],
    [
      'more modifiers than a decision can look through',
      'policy',
      policy({
        modifiers: {
          ip_ranges: Array.from({ length: 1001 }, (_, at) => `10.0.${at >> 8}.${at & 255}`),
          time_windows: Array.from({ length: 101 }, () => ({ start: '08:00', end: '09:00' })),
        },
      }),
      [
        { pointer: '/modifiers/ip_ranges', detail: 'has more than 1000 items.' },
        { pointer: '/modifiers/time_windows', detail: 'has more than 100 items.' },
      ],
    ],
    [
      'an unknown field, naming the nearest',
      'group',
      { name: 'g', descripton: 'x' },
      [{ pointer: '/descripton', detail: 'the key "descripton" is not known: did you mean "description"?' }],
    ],
    [
      'an unknown field with none near',
      'group',
      { name: 'g', 'a/b': 'x' },
      [{ pointer: '/a~1b', detail: 'the key "a/b" is not known: write one of name, shared_with, entry, description.' }],
    ],
    [
      'everything at once',
      'subject',
      {},
      [
        { pointer: '/type', detail: 'is missing: write a string.' },
        { pointer: '/id', detail: 'is missing: write a string.' },
      ],
    ],
    [
      'a rule over several fields',
      'policy',
      { name: 'p', effect: 'ALLOW' },
      [
        {
          pointer: '',
          detail: 'covers nothing: give `resource_type` or `resource_types` with `actions`, or `resources`.',
        },
      ],
    ],
  ])('names %s', (_, kind, fields, faults) => {
    expect(parseFields(kind, fields)).toEqual({ faults });
  });

  it('cuts long values', () => {
    const [fault] = parseFields('role', { name: 'x'.repeat(10_000) }).faults ?? [];
    expect(fault?.detail.length).toBeLessThan(200);
  });
});
