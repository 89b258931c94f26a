import { describe, expect, it } from 'vitest';
import type { ProblemError } from '../problem.js';
import type { Change } from './change.js';
import { TenantState } from './tenant-state.js';

let ids = 0;
const options = () => ({ now: new Date(0), newId: () => `id-${++ids}`, revision: 1 });
const role = (name: string, ...includes: string[]): Change => ({
  op: 'create',
  kind: 'role',
  fields: { name, ...(includes.length > 0 && { includes }) },
});
const update = (name: string, ...includes: string[]): Change => ({
  op: 'update',
  address: `role/${name}`,
  fields: { name, ...(includes.length > 0 && { includes }) },
});

function tenant(): TenantState {
  const state = new TenantState();
  state.commit(
    state.stage(
      [role('owner', 'editor'), role('editor', 'viewer', 'writer'), role('viewer'), role('writer')],
      options(),
    ),
  );
  return state;
}

function refusal(...changes: Change[]): string[] {
  try {
    tenant().stage(changes, options());
  } catch (error) {
    return (error as ProblemError).errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
  }
  return [];
}

function after(...changes: Change[]): Record<string, unknown> {
  const state = tenant();
  state.commit(state.stage(changes, options()));
  return Object.fromEntries(
    [...state.records('role')].map(({ address, fields }) => [
      address,
      'includes' in fields ? fields.includes : undefined,
    ]),
  );
}

describe('roles that include others', () => {
  it.each<[string, Change[], unknown[]]>([
    [
      'a circle, at the inclusion that closes it',
      [update('viewer', 'owner')],
      [expect.stringMatching(/Roles include each other in a circle: viewer → owner → editor → viewer\. Take one/)],
    ],
    [
      'a role that includes itself',
      [update('writer', 'writer')],
      [
        '/changes/0/fields/includes/0 Roles include each other in a circle: writer → writer. Take one of these inclusions out.',
      ],
    ],
    [
      'an inclusion of nothing',
      [update('writer', 'viewr')],
      ['/changes/0/fields/includes/0 Role "viewr" does not exist: did you mean "viewer"?'],
    ],
    [
      'the removal of a role that another one includes',
      [{ op: 'delete', address: 'role/viewer' }],
      ['/changes/0 Role "viewer" is still used by 1 role (role/editor): remove or change those first.'],
    ],
  ])('refuse %s', (_, changes, faults) => {
    expect(refusal(...changes)).toEqual(faults);
  });

  it('follow what is renamed, alone, in chains and in swaps', () => {
    expect(after({ op: 'move', from: 'role/viewer', to: 'role/reader' })).toMatchObject({
      'role/editor': ['reader', 'writer'],
      'role/owner': ['editor'],
    });
    expect(
      after(
        { op: 'move', from: 'role/editor', to: 'role/viewer' },
        { op: 'move', from: 'role/viewer', to: 'role/editor' },
      ),
    ).toMatchObject({ 'role/owner': ['viewer'], 'role/viewer': ['editor', 'writer'] });
  });

  it('may be removed together, and be made in any order', () => {
    expect(after({ op: 'delete', address: 'role/viewer' }, update('editor', 'writer'))).toMatchObject({
      'role/editor': ['writer'],
    });
    expect(after(role('z', 'y'), role('y', 'x'), role('x'))).toMatchObject({ 'role/z': ['y'], 'role/y': ['x'] });
  });
});
