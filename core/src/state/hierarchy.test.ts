import { describe, expect, it } from 'vitest';
import type { ProblemError } from '../problem.js';
import type { StoredRecord } from '../records/registry.js';
import type { Change } from './change.js';
import { TenantState } from './tenant-state.js';
import { validateRecords } from './validate.js';

let ids = 0;
const options = { now: new Date(0), newId: () => `id-${++ids}`, revision: 1 };
const create = (kind: StoredRecord['kind'], fields: Record<string, unknown>): Change => ({
  op: 'create',
  kind,
  fields,
});
const update = (address: string, fields: Record<string, unknown>): Change => ({ op: 'update', address, fields });
const folder = (name: string, ...parents: string[]) =>
  create('resource', { type: 'docs/folder', name, parents: parents.map((parent) => `docs/folder/${parent}`) });

const FOLDER = {
  application: 'docs',
  name: 'folder',
  actions: ['read'],
  parents: [{ type: 'docs/folder', property: 'folder' }],
};
const DOCUMENT = {
  application: 'docs',
  name: 'document',
  actions: ['read', 'write'],
  parents: [{ type: 'docs/folder', property: 'folder' }],
};

const TENANT: Change[] = [
  create('application', { name: 'docs' }),
  create('resource_type', FOLDER),
  create('resource_type', DOCUMENT),
  folder('top'),
  folder('hr', 'top'),
  create('resource', { type: 'docs/document', name: 'plan', parents: ['docs/folder/hr'] }),
  create('subject', { type: 'user', id: 'anne' }),
  create('role', { application: 'docs', name: 'viewer' }),
  create('role_assignment', {
    role: 'docs/viewer',
    entity_type: 'subject',
    entity: 'user/anne',
    resource: 'docs/folder/hr',
  }),
  create('policy', {
    application: 'docs',
    name: 'below',
    effect: 'ALLOW',
    resources: [{ resource: 'docs/folder/top', actions: ['write'], below: true }],
  }),
];

/** A chain of so many folders, each in the one before. */
const chain = (length: number, start?: string): Change[] =>
  Array.from({ length }, (_, at) => folder(`${start ?? 'c'}${at}`, ...(at > 0 ? [`${start ?? 'c'}${at - 1}`] : [])));

function after(...changes: Change[][]): TenantState {
  const state = new TenantState();
  for (const some of [TENANT, ...changes]) state.commit(state.stage(some, options));
  return state;
}

const refusal = (state: TenantState, ...changes: Change[]) => refusalOf(() => state.stage(changes, options));

function refusalOf(stage: () => unknown): string[] {
  try {
    stage();
    return [];
  } catch (error) {
    const { errors } = error as ProblemError;
    return errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
  }
}

describe('parents of resources', () => {
  it('are of a type that the type declares', () => {
    expect(
      refusal(after(), create('resource', { type: 'docs/folder', name: 'x', parents: ['docs/document/plan'] })),
    ).toEqual([
      '/changes/0/fields/parents/0 The type "docs/folder" declares no parents of the type "docs/document", it declares docs/folder: add it there, or take this parent out.',
    ]);
  });

  it('exist', () => {
    expect(refusal(after(), folder('x', 'hrr'))).toEqual([
      '/changes/0/fields/parents/0 Resource "docs/folder/hrr" does not exist: did you mean "docs/folder/hr"?',
    ]);
  });

  it('stay while something lies in them, a role is held on them or a policy covers what is below', () => {
    expect(refusal(after(), { op: 'delete', address: 'resource/docs/folder/hr' })).toEqual([
      '/changes/0 Resource "docs/folder/hr" is still used by 1 resource and 1 role assignment (resource/docs/document/plan, role_assignment/docs/viewer//subject/user/anne//docs/folder/hr): remove or change those first.',
    ]);
    expect(refusal(after(), { op: 'delete', address: 'resource_type/docs/folder' })[0]).toContain(
      'resource_type/docs/document',
    );
  });

  it('form no circle, which is named once', () => {
    const state = after([folder('a', 'top'), folder('b', 'a')]);
    expect(
      refusal(
        state,
        update('resource/docs/folder/top', { type: 'docs/folder', name: 'top', parents: ['docs/folder/b'] }),
        folder('self', 'self'),
      ),
    ).toEqual([
      '/changes/1/fields/parents Resources lie in each other in a circle: docs/folder/self → docs/folder/self. Take one of these parents out.',
      '/changes/0/fields/parents Resources lie in each other in a circle: docs/folder/top → docs/folder/b → docs/folder/a → docs/folder/top. Take one of these parents out.',
    ]);
  });

  it('go 32 levels up and no further', () => {
    expect(refusal(after(), ...chain(32))).toEqual([]);
    expect(refusal(after(), ...chain(33))).toEqual([
      '/changes/32/fields/parents It lies on level 33 of its hierarchy: at most 32 are allowed. Move it up.',
    ]);
  });

  it('are judged for all below what is moved', () => {
    const state = after([...chain(20), ...chain(12, 'd'), ...chain(13, 'e')]);
    const into = (name: string): Change =>
      update(`resource/docs/folder/${name}`, { type: 'docs/folder', name, parents: ['docs/folder/c19'] });
    expect(refusal(state, into('d0'))).toEqual([]);
    expect(refusal(state, into('e0'))).toEqual([
      '/changes/0 It lies on level 33 of its hierarchy: at most 32 are allowed. Move it up.',
    ]);
  });

  it('are at most 8, and 256 with theirs', () => {
    const wide = Array.from({ length: 9 }, (_, at) => chain(30, `w${at}-`)).flat();
    const ends = Array.from({ length: 9 }, (_, at) => `w${at}-29`);
    const state = after(wide, [folder('two', ...ends.slice(7))]);
    expect(refusal(state, folder('ok', ...ends.slice(0, 8)))).toEqual([]);
    expect(refusal(state, folder('nine', ...ends))[0]).toContain('must have at most 8 items');
    expect(refusal(state, folder('many', ...ends.slice(0, 7), 'two'))).toEqual([
      '/changes/0/fields/parents It has 271 ancestors: at most 256 are allowed. Take some of its parents out.',
    ]);
  });

  it('follow renames of resources and of types', () => {
    const state = after([
      { op: 'move', from: 'resource/docs/folder/hr', to: 'resource/docs/dir/people' },
      { op: 'move', from: 'resource_type/docs/folder', to: 'resource_type/docs/dir' },
    ]);
    expect(state.get('resource/docs/document/plan')?.fields).toMatchObject({ parents: ['docs/dir/people'] });
    expect(state.get('resource/docs/dir/people')?.fields).toMatchObject({ parents: ['docs/dir/top'] });
    expect(state.get('resource_type/docs/dir')?.fields).toMatchObject({
      parents: [{ type: 'docs/dir', property: 'folder' }],
    });
    expect(state.get('resource_type/docs/document')?.fields).toMatchObject({
      parents: [{ type: 'docs/dir', property: 'folder' }],
    });
    expect(state.get('role_assignment/docs/viewer//subject/user/anne//docs/dir/people')).toBeDefined();
  });

  it('follow where a child and its parent trade names', () => {
    const state = after([
      { op: 'move', from: 'resource/docs/folder/hr', to: 'resource/docs/folder/top' },
      { op: 'move', from: 'resource/docs/folder/top', to: 'resource/docs/folder/hr' },
    ]);
    expect(state.get('resource/docs/folder/top')?.fields).toMatchObject({ parents: ['docs/folder/hr'] });
    expect(state.get('resource/docs/document/plan')?.fields).toMatchObject({ parents: ['docs/folder/top'] });
  });
});

describe('a type', () => {
  it('keeps parents of a type that its resources have', () => {
    expect(refusal(after(), update('resource_type/docs/document', { ...DOCUMENT, parents: undefined }))).toEqual([
      '/changes/0 The type "docs/document" declares no parents of the type "docs/folder", it declares none: add it there, or take this parent out.',
      '/changes/0 Neither the type "docs/folder" nor any below it has an action "write": it has read.',
    ]);
  });

  it('says whose the resources are that it would leave without its parents, where another stack has them', () => {
    const state = new TenantState();
    state.commit(state.stage(TENANT, { ...options, stack: 'platform' }));
    const take = { op: 'adopt', address: 'resource/docs/document/plan' } as const;
    state.commit(state.stage([take], { ...options, stack: 'hr', takeOwnership: true }));
    const lose = update('resource_type/docs/document', { ...DOCUMENT, parents: undefined });
    const refused = refusalOf(() => state.stage([lose], { ...options, stack: 'platform' }));
    expect(refused[0]).toBe(
      '/changes/0 The type "docs/document" declares no parents of the type "docs/folder", it declares none: add it there, or take this parent out. "resource/docs/document/plan" belongs to the stack "hr".',
    );
    expect(refused[1]).not.toContain('belongs');
  });

  it('keeps actions that policies on all below another type cover', () => {
    expect(refusal(after(), update('resource_type/docs/document', { ...DOCUMENT, actions: ['read'] }))).toEqual([
      '/changes/0 Neither the type "docs/folder" nor any below it has an action "write": it has read.',
    ]);
  });

  it('names each property once', () => {
    const twice = [
      { type: 'docs/folder', property: 'in' },
      { type: 'docs/document', property: 'in' },
    ];
    expect(refusal(after(), update('resource_type/docs/document', { ...DOCUMENT, parents: twice }))[0]).toContain(
      'names a property twice',
    );
  });

  it.each(['number', 'boolean', 'list', 'map'])('names no property that is declared as %s', (type) => {
    const changed = { ...DOCUMENT, properties: { folder: type } };
    expect(refusal(after(), update('resource_type/docs/document', changed))).toEqual([
      `/changes/0/fields/parents/0/property "folder" is declared as ${type}, which cannot name a parent: declare it as string, or name another property.`,
    ]);
    for (const fit of ['string', 'any'])
      after([], [update('resource_type/docs/document', { ...DOCUMENT, properties: { folder: fit } })]);
  });
});

describe('a group or role that a condition names', () => {
  const asks = (condition: string) =>
    create('policy', { name: 'asks', effect: 'ALLOW', resource_type: 'docs/folder', actions: ['read'], condition });
  const finance = create('group', { name: 'finance' });

  it('exists', () => {
    const refused = refusal(after([finance]), asks('subject.in_group("finanse") || subject.has_role("viewer")'));
    expect(refused).toEqual([
      '/changes/0/fields/condition Group "finanse" does not exist: did you mean "finance"?',
      '/changes/0/fields/condition Role "viewer" does not exist: did you mean "docs/viewer"?',
    ]);
  });

  it('stays while it is named', () => {
    const state = after([finance], [asks('!subject.in_group("finance")')]);
    expect(refusal(state, { op: 'delete', address: 'group/finance' })).toEqual([
      '/changes/0 Group "finance" is still used by 1 policy (policy/asks): remove or change those first.',
    ]);
  });
});

describe('a type that a condition names', () => {
  const owner = create('policy', {
    application: 'docs',
    name: 'owner',
    effect: 'ALLOW',
    resource_type: 'docs/document',
    actions: ['read'],
    condition: 'resource.ancestor("docs/folder").name == "docs/folder" // .ancestor("docs/folder")',
  });

  it('exists', () => {
    const { fields } = owner as Extract<Change, { op: 'create' }>;
    const wrong = { ...fields, condition: 'resource.ancestor("docs/foldr").name == ""' };
    expect(refusal(after(), create('policy', wrong))).toEqual([
      '/changes/0/fields/condition Resource type "docs/foldr" does not exist: did you mean "docs/folder"?',
    ]);
    const bare = { ...fields, condition: 'resource.ancestor("folder").name == ""' };
    expect(refusal(after(), create('policy', bare))).toEqual([
      expect.stringContaining('takes the path of a resource type: write "APPLICATION/folder"'),
    ]);
    const computed = { ...fields, condition: 'resource.ancestor("docs" + "/folder").name == ""' };
    expect(refusal(after(), create('policy', computed)).join()).toContain(
      'takes the path of a resource type in quotes',
    );
  });

  it('stays, and follows renames', () => {
    const state = after([owner], [{ op: 'move', from: 'resource_type/docs/folder', to: 'resource_type/docs/dir' }]);
    expect(state.get('policy/docs/owner')?.fields).toMatchObject({
      condition: 'resource.ancestor("docs/dir").name == "docs/folder" // .ancestor("docs/folder")',
    });
    expect([...state.inbound('resource_type/docs/dir')]).toContain('policy/docs/owner');
  });
});

it('warns of a policy on all below a resource in which nothing can lie', () => {
  const state = after([
    create('resource', { type: 'docs/document', name: 'leaf' }),
    create('policy', {
      name: 'leaves',
      effect: 'ALLOW',
      resources: [
        { resource: 'docs/document/leaf', actions: ['read'], below: true },
        { resource: 'docs/folder/top', actions: ['read'], below: true },
      ],
    }),
  ]);
  expect(validateRecords(state, ['policy/leaves', 'policy/docs/below'])).toEqual([
    {
      severity: 'warning',
      address: 'policy/leaves',
      pointer: '/resources/0/below',
      detail:
        'Nothing can lie below "docs/document/leaf": no type declares "docs/document" among its parents. Declare it there, or take "below" out.',
    },
  ]);
});
