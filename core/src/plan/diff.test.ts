import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.js';
import { isCredential, KINDS, kindRank } from '../records/kinds.js';
import { type DeclaredRecord, declare, definitions, type StoredRecord } from '../records/registry.js';
import type { Move } from '../state/renames.js';
import { planChanges } from './changes.js';
import { plan } from './diff.js';
import { differences } from './differences.js';

const record = (kind: DeclaredRecord['kind'], fields: Record<string, unknown>) =>
  declare(kind, definitions[kind].schema.parse(fields) as never) as DeclaredRecord;
const role = (name: string, more: Record<string, unknown> = {}) => record('role', { name, ...more });
const assigned = (to: string, entity: string) => record('role_assignment', { role: to, entity_type: 'group', entity });

const stored = (declared: DeclaredRecord, managed_by = 'main') =>
  ({
    ...declared,
    id: `id of ${declared.address}`,
    managed_by,
    created_at: '',
    updated_at: '',
    revision: 1,
  }) as StoredRecord;

function planned(
  records: DeclaredRecord[],
  held: StoredRecord[],
  { moves = [], takeOwnership = false, tenant }: { moves?: Move[]; takeOwnership?: boolean; tenant?: string } = {},
) {
  return plan(
    { records, moves, stack: 'main', ...(tenant !== undefined && { tenant }) },
    { tenant: 'acme', revision: '3.0123456789abcdef', records: held },
    { takeOwnership },
  );
}

/** Each change as its action and address. */
const brief = ({ changes }: ReturnType<typeof plan>) => changes.map(({ action, address }) => `${action} ${address}`);

const alice = (more: Record<string, unknown> = {}) => record('subject', { type: 'user', id: 'alice', ...more });

describe('a suspension of a declared subject', () => {
  const suspended = alice({ suspended: true, suspension_reason: 'Theft.' });
  const ended = { pointer: '/suspended', before: true };
  it('stays where the tree says nothing of it', () => {
    const result = planned([alice()], [stored(suspended)]);
    expect(result.changes).toEqual([]);
    expect(result.kept_suspensions).toEqual([
      { address: 'subject/user/alice', suspended: true, suspension_reason: 'Theft.' },
    ]);
  });

  it('stays where the tree changes something else, or takes the subject over', () => {
    expect(planned([alice({ name: 'Alice' })], [stored(suspended)]).changes).toMatchObject([
      { action: 'update', fields: { name: 'Alice', suspended: true, suspension_reason: 'Theft.' } },
    ]);
    expect(brief(planned([alice()], [stored(suspended, 'hr')], { takeOwnership: true }))).toEqual([
      'adopt subject/user/alice',
    ]);
  });

  it('ends where the tree says false, which is no change where nobody has suspended it', () => {
    const [change] = planned([alice({ suspended: false })], [stored(suspended)]).changes;
    expect(change).toMatchObject({ action: 'update', fields: { type: 'user', id: 'alice' } });
    expect(change?.differences).toContainEqual(ended);
    expect(planned([alice({ suspended: false })], [stored(alice())]).changes).toEqual([]);
  });

  it('is as the tree says where it says one', () => {
    const until = alice({ suspended_until: '2999-01-01T00:00:00.000Z' });
    const result = planned([until], [stored(suspended)]);
    expect(result.changes).toMatchObject([{ action: 'update', fields: until.fields }]);
    expect(result.kept_suspensions).toBeUndefined();
  });
});

describe('plan', () => {
  it('is empty where all is as declared, in whatever order of members', () => {
    const fields = { description: 'x', name: 'a' } as const;
    const result = planned([role('a', { description: 'x' })], [stored({ ...role('a'), fields } as DeclaredRecord)]);
    expect(result).toEqual({
      format: 1,
      tenant: 'acme',
      stack: 'main',
      base_revision: '3.0123456789abcdef',
      changes: [],
      counts: { added: 0, changed: 0, removed: 0, unchanged: 1 },
    });
  });

  it('creates, updates and removes', () => {
    const result = planned(
      [role('a'), role('b', { description: 'new' })],
      [stored(role('b')), stored(role('c', { description: 'x' }))],
    );
    expect(result.changes).toEqual([
      { action: 'create', kind: 'role', address: 'role/a', differences: [], fields: { name: 'a' } },
      {
        action: 'update',
        kind: 'role',
        address: 'role/b',
        differences: [{ pointer: '/description', after: 'new' }],
        fields: { name: 'b', description: 'new' },
      },
      {
        action: 'delete',
        kind: 'role',
        address: 'role/c',
        differences: [
          { pointer: '/description', before: 'x' },
          { pointer: '/name', before: 'c' },
        ],
      },
    ]);
    expect(result.counts).toEqual({ added: 1, changed: 1, removed: 1, unchanged: 0 });
  });

  it('walks the kinds forwards, and backwards for removals', () => {
    const all = [
      record('application', { name: 'a' }),
      record('resource_type', { application: 'a', name: 't', actions: [] }),
      record('resource', { type: 'a/t', name: 'x' }),
      record('subject_type', { name: 'user' }),
      record('subject', { type: 'user', id: 'u' }),
      record('context_attribute', { name: 'amount', type: 'number' }),
      record('directory', { name: 'okta' }),
      role('r'),
      record('group', { name: 'g' }),
      record('policy', { name: 'p', effect: 'ALLOW', resource_type: 'a/t', actions: ['*'] }),
      record('policy_assignment', { policy: 'p', entity_type: 'role', entity: 'r' }),
      assigned('r', 'g'),
      record('group_membership', { group: 'g', entity_type: 'subject', entity: 'user/u' }),
      record('access_rule', { name: 'x', never: { actions: ['*'], resources: { types: ['a/t'] } } }),
      record('api_key', { name: 'k', scopes: ['bundle'] }),
      record('oauth_client', { name: 'c', scopes: ['bundle'] }),
    ];
    expect(all.map(({ kind }) => kind)).toEqual(KINDS);
    const made = planned(all.toReversed(), []);
    expect(made.changes.map(({ kind }) => kindRank(kind))).toEqual(KINDS.map((_, index) => index));
    const removed = planned(
      [],
      all.map((item) => stored(item)),
    );
    expect(removed.changes.map(({ kind }) => kindRank(kind))).toEqual(KINDS.map((_, index) => index).toReversed());
    expect(planned([role('b'), role('a')], []).changes.map(({ address }) => address)).toEqual(['role/a', 'role/b']);
  });

  it('holds no secret: of credentials only what is declared', () => {
    const withSecret = {
      ...stored(record('api_key', { name: 'k', scopes: ['bundle'] })),
      secret: 'svc_SECRET',
      hash: 'SECRET',
    };
    const text = JSON.stringify([
      planned([], [withSecret]),
      planned([record('api_key', { name: 'k', scopes: ['decisions'] })], [withSecret]),
    ]);
    expect(text).not.toContain('SECRET');
    for (const kind of KINDS.filter(isCredential)) {
      expect(Object.keys(definitions[kind].schema.shape).filter((field) => /secret|hash|token/.test(field))).toEqual(
        [],
      );
    }
  });

  it.each<[string, Parameters<typeof planned>, string, RegExp]>([
    ['another tenant', [[], [], { tenant: 'globex' }], 'conflict', /"globex".*"acme"/],
    [
      "another stack's record",
      [[role('a')], [stored(role('a'), 'hr')]],
      'not_owner',
      /"role\/a" belongs to the stack "hr", not to "main".*--take-ownership/,
    ],
    [
      "another stack's record to be moved",
      [[role('b')], [stored(role('a'), 'hr')], { moves: [{ from: 'role/a', to: 'role/b' }] }],
      'not_owner',
      /"role\/a"/,
    ],
    [
      'a move to where a record stands',
      [[role('b')], [stored(role('a')), stored(role('b'))], { moves: [{ from: 'role/a', to: 'role/b' }] }],
      'conflict',
      /such a record already/,
    ],
    [
      'two records moved to one',
      [
        [role('c')],
        [stored(role('a')), stored(role('b'))],
        {
          moves: [
            { from: 'role/a', to: 'role/c' },
            { from: 'role/b', to: 'role/c' },
          ],
        },
      ],
      'conflict',
      /such a record already/,
    ],
    [
      'one record moved to two',
      [
        [role('b'), role('c')],
        [],
        {
          moves: [
            { from: 'role/a', to: 'role/c' },
            { from: 'role/a', to: 'role/b' },
          ],
        },
      ],
      'conflict',
      /both to "role\/c" and to "role\/b"/,
    ],
    [
      'a swap, which a second apply would undo',
      [
        [role('a'), role('b')],
        [],
        {
          moves: [
            { from: 'role/a', to: 'role/b' },
            { from: 'role/b', to: 'role/a' },
          ],
        },
      ],
      'conflict',
      /still declared/,
    ],
    [
      'moves in a circle',
      [
        [],
        [stored(role('a'))],
        {
          moves: [
            { from: 'role/a', to: 'role/b' },
            { from: 'role/b', to: 'role/a' },
          ],
        },
      ],
      'conflict',
      /circle: role\/a → role\/b → role\/a/,
    ],
    [
      'moves in a circle by way of a parent',
      [
        [],
        [stored(record('application', { name: 'b' })), stored(record('role', { application: 'a', name: 'x' }))],
        {
          moves: [
            { from: 'application/a', to: 'application/b' },
            { from: 'role/b/x', to: 'role/a/x' },
          ],
        },
      ],
      'conflict',
      /circle/,
    ],
  ])('refuses %s', (_, [records, held, options], code, detail) => {
    expect(() => planned(records, held, options)).toThrow(
      expect.objectContaining({ code, detail: expect.stringMatching(detail) }),
    );
  });

  it('names every foreign record at once', () => {
    const names = ['a', 'b', 'c'].map((name) => role(name));
    expect(() =>
      planned(
        names,
        names.map((item) => stored(item, 'hr')),
      ),
    ).toThrow(expect.objectContaining({ errors: names.map(({ address }) => expect.objectContaining({ address })) }));
  });

  it("leaves other stacks' records alone", () => {
    expect(planned([role('a')], [stored(role('b'), 'hr')]).counts).toEqual({
      added: 1,
      changed: 0,
      removed: 0,
      unchanged: 0,
    });
  });

  it('takes ownership where it is told to, by a change or by adoption, and says from whom', () => {
    const held = [stored(role('a'), 'hr'), stored(role('b'), 'api')];
    const result = planned([role('a'), role('b', { description: 'x' })], held, { takeOwnership: true });
    expect(result.changes).toMatchObject([
      { action: 'adopt', address: 'role/a', taken_from: 'hr' },
      { action: 'update', address: 'role/b', taken_from: 'api' },
    ]);
    expect(planChanges(result)).toEqual([
      { op: 'adopt', address: 'role/a' },
      { op: 'update', address: 'role/b', fields: { name: 'b', description: 'x' } },
    ]);
  });
});

describe('moves in a plan', () => {
  const from = 'role/a';
  const to = 'role/b';

  it('keep the record: no removal, no creation, and no difference beyond the name', () => {
    const result = planned([role('b')], [stored(role('a'))], { moves: [{ from, to }] });
    expect(result.changes).toEqual([
      { action: 'move', kind: 'role', address: to, from, differences: [], fields: { name: 'b' } },
    ]);
    expect(planChanges(result)).toEqual([{ op: 'move', from, to }]);
  });

  it('go together with changes', () => {
    const result = planned([role('b', { description: 'x' })], [stored(role('a'))], { moves: [{ from, to }] });
    expect(result.changes).toMatchObject([{ action: 'move', differences: [{ pointer: '/description', after: 'x' }] }]);
    expect(planChanges(result)).toEqual([
      { op: 'move', from, to },
      { op: 'update', address: to, fields: { name: 'b', description: 'x' } },
    ]);
  });

  it.each<[string, StoredRecord[], string[]]>([
    ['that were made before', [stored(role('b'))], []],
    ['of what a new tenant never had', [], ['create role/b']],
    ['whose old name another stack uses now', [stored(role('b')), stored(role('a'), 'hr')], []],
  ])('are passed over %s', (_, held, expected) => {
    expect(brief(planned([role('b')], held, { moves: [{ from, to }] }))).toEqual(expected);
  });

  it('go on over names that are no longer declared', () => {
    const moves = [
      { from: 'role/a', to: 'role/b' },
      { from: 'role/b', to: 'role/c' },
    ];
    for (const name of ['a', 'b'])
      expect(brief(planned([role('c')], [stored(role(name))], { moves }))).toEqual(['move role/c']);
    expect(brief(planned([], [stored(role('a'))], { moves }))).toEqual(['delete role/a']);
  });

  it('go on by way of a renamed application, whichever came first', () => {
    const held = [
      stored(record('application', { name: 'a' })),
      stored(record('role', { application: 'a', name: 'x' })),
    ];
    const records = [record('application', { name: 'b' }), record('role', { application: 'b', name: 'y' })];
    for (const rename of [
      { from: 'role/a/x', to: 'role/a/y' },
      { from: 'role/b/x', to: 'role/b/y' },
    ]) {
      const result = planned(records, held, { moves: [{ from: 'application/a', to: 'application/b' }, rename] });
      expect(brief(result)).toEqual(['move application/b', 'move role/b/y']);
    }
  });

  it("take this stack's followers along as changes, and name those of others", () => {
    const held = [
      stored(role('a')),
      stored(record('group', { name: 'g' })),
      stored(record('group', { name: 'h' }), 'hr'),
      stored(assigned('a', 'g')),
      stored(assigned('a', 'h'), 'hr'),
    ];
    const result = planned([role('b'), record('group', { name: 'g' }), assigned('b', 'g')], held, {
      moves: [{ from, to }],
    });
    expect(brief(result)).toEqual(['move role/b', 'move role_assignment/b//group/g']);
    expect(result.followers).toEqual([
      {
        kind: 'role_assignment',
        address: 'role_assignment/b//group/h',
        from: 'role_assignment/a//group/h',
        managed_by: 'hr',
      },
    ]);
    expect(result.counts).toEqual({ added: 0, changed: 3, removed: 0, unchanged: 1 });
  });

  it('turn back what is declared not to follow, so that it is judged as it is declared', () => {
    const type = (name: string) => record('resource_type', { application: 'a', name, actions: ['read'] });
    const application = record('application', { name: 'a' });
    const policy = record('policy', { name: 'p', effect: 'ALLOW', resource_type: 'a/t', actions: ['read'] });
    const result = planned(
      [application, type('u'), policy],
      [application, type('t'), policy].map((item) => stored(item)),
      {
        moves: [{ from: 'resource_type/a/t', to: 'resource_type/a/u' }],
      },
    );
    expect(result.changes).toMatchObject([
      { action: 'move', address: 'resource_type/a/u' },
      {
        action: 'update',
        address: 'policy/p',
        differences: [{ pointer: '/resource_type', before: 'a/u', after: 'a/t' }],
      },
    ]);
  });

  it('remove what is not declared any more under its new address', () => {
    const held = [
      stored(record('application', { name: 'a' })),
      stored(record('role', { application: 'a', name: 'x' })),
    ];
    const result = planned([record('application', { name: 'b' })], held, {
      moves: [{ from: 'application/a', to: 'application/b' }],
    });
    expect(brief(result)).toEqual(['move application/b', 'delete role/b/x']);
  });
});

describe('differences', () => {
  it.each<[string, JsonObject, JsonObject, ReturnType<typeof differences>]>([
    ['nothing', { a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, []],
    ['a value', { a: 1 }, { a: 2 }, [{ pointer: '/a', before: 1, after: 2 }]],
    [
      'a member that comes and one that goes',
      { a: 1 },
      { b: null },
      [
        { pointer: '/a', before: 1 },
        { pointer: '/b', after: null },
      ],
    ],
    [
      'members within',
      { p: { a: 1, b: { c: 1 } } },
      { p: { a: 1, b: { c: 2 } } },
      [{ pointer: '/p/b/c', before: 1, after: 2 }],
    ],
    ['a list as one value', { a: ['x'] }, { a: ['x', 'y'] }, [{ pointer: '/a', before: ['x'], after: ['x', 'y'] }]],
    ['a list in another order', { a: [1, 2] }, { a: [2, 1] }, [{ pointer: '/a', before: [1, 2], after: [2, 1] }]],
    ['another type', { a: {} }, { a: [] }, [{ pointer: '/a', before: {}, after: [] }]],
    ['names that pointers escape', { 'a/b~': 1 }, { 'a/b~': 2 }, [{ pointer: '/a~1b~0', before: 1, after: 2 }]],
    ['names that objects inherit', {}, { constructor: 1 }, [{ pointer: '/constructor', after: 1 }]],
  ])('are %s', (_, before, after, expected) => {
    expect(differences(before, after)).toEqual(expected);
  });
});
