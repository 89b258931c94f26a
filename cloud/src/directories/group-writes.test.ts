import { addressOf, definitionOf, type Fields, type StoredRecord } from '@authz-service/core/records/registry';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { expect, it } from 'vitest';
import { EntryIndex, type EntryKind } from '../tenants/entry-index.js';
import { DirectoryView, type MembershipRecord } from './directory-view.js';
import { patchGroup } from './group-writes.js';

const OWNER = 'directory/okta';

/** Counts the members that are read. */
class CountingView extends DirectoryView {
  read = 0;

  override *membersOf(group: string): Generator<MembershipRecord, void> {
    for (const member of super.membersOf(group)) {
      this.read++;
      yield member;
    }
  }
}

function viewOf(size: number): CountingView {
  const people = Array.from({ length: size + 1 }, (_, at) => {
    return stored('subject', { type: 'user', id: `u${at}`, entry: { id: `e${at}` } });
  });
  const group = stored('group', { name: 'g', entry: { id: 'g' } });
  const links = people.slice(1).map(({ fields }) => {
    return stored('group_membership', {
      group: 'g',
      entity_type: 'subject',
      entity: `user/${Reflect.get(fields, 'id')}`,
    });
  });
  const state = new TenantState([...people, group, ...links]);
  const index = (kind: EntryKind) => {
    const entries = new EntryIndex();
    for (const record of state.records(kind)) entries.change({ record, there: true });
    return entries;
  };
  const directory = definitionOf('directory').schema.parse({ name: 'okta' }) as unknown as Fields<'directory'>;
  return new CountingView(OWNER, directory, state, index('subject'), index('group'), index('group_membership'), 0);
}

function stored(kind: 'subject' | 'group' | 'group_membership', fields: object): StoredRecord {
  const address = addressOf(kind, fields as never);
  const at = '2027-01-01T00:00:00.000Z';
  const times = { created_at: at, updated_at: at, revision: 1 };
  return { kind, address, id: address, fields, managed_by: OWNER, ...times } as StoredRecord;
}

it.each([
  ['adds one', { op: 'add', path: 'members', value: [{ value: 'e0' }] }, 'create'],
  ['adds one that is there', { op: 'add', path: 'members', value: [{ value: 'e1' }] }, undefined],
  ['removes one', { op: 'remove', path: 'members[value eq "e1"]' }, 'delete'],
  ['removes one that is not there', { op: 'remove', path: 'members', value: [{ value: 'e0' }] }, undefined],
] as const)('reads none of the members of a group of which it %s', (_, operation, made) => {
  const view = viewOf(50);
  const { changes } = patchGroup(view, 'g', [operation as never]);
  const ops = changes.map(({ op }) => op);
  expect(ops).toEqual(['update', ...(made === undefined ? [] : [made])]);
  expect(view.read).toBe(0);
});

it('reads the members of a group that get others in their place', () => {
  const view = viewOf(3);
  const { changes } = patchGroup(view, 'g', [{ op: 'replace', path: 'members', value: [{ value: 'e0' }] }]);
  expect(changes.map(({ op }) => op)).toEqual(['update', 'delete', 'delete', 'delete', 'create']);
});
