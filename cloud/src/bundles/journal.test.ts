import type { EngineRecord } from '@authz-service/core/access/api/engine';
import type { RevisionRef } from '@authz-service/core/bundle/delta';
import type { Change } from '@authz-service/core/state/change';
import { recordChangesOf } from '@authz-service/core/state/record-changes';
import { revisionText } from '@authz-service/core/state/revision';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { describe, expect, it } from 'vitest';
import { JOURNAL_BOUNDS, Journal } from './journal.js';

/** A tenant whose commits are added to a journal. */
class Noted {
  readonly state = new TenantState();
  readonly journal: Journal;
  number = 0;
  #ids = 0;

  constructor(bounds = {}) {
    this.journal = new Journal({ ...JOURNAL_BOUNDS, ...bounds });
  }

  get revisionRef(): RevisionRef {
    return { revision: revisionText(this.number, this.state.digest()), digest: this.state.digest() };
  }

  /** Returns the revision before. */
  commit(...changes: Change[]): string {
    const options = { now: new Date(0), newId: () => `id${++this.#ids}`, revision: this.number + 1 };
    const { revisionRef } = this;
    const staged = this.state.stage(changes, options);
    this.journal.note(revisionRef, recordChangesOf(staged));
    this.state.commit(staged);
    this.number += 1;
    return revisionRef.revision;
  }

  since(revision: string) {
    const known = this.journal.since(revision);
    return known?.changes.map(({ before, after }) =>
      [before, after].map((text) => text && addressIn(JSON.parse(text))),
    );
  }
}

const addressIn = ({ kind, id, fields }: EngineRecord) => `${kind} ${(fields as { name?: string }).name ?? ''} ${id}`;
const role = (name: string, description?: string): Change => ({
  op: 'create',
  kind: 'role',
  fields: { name, ...(description !== undefined && { description }) },
});
const remove = (address: string): Change => ({ op: 'delete', address });

describe('Journal', () => {
  it('leads as far as so many changes go, and past one commit at least', () => {
    const tenant = new Noted();
    const first = tenant.commit(role('a'), role('b'));
    const second = tenant.commit(role('c'), role('d'));
    const third = tenant.commit(role('e'), role('f'));
    const { journal } = tenant;
    expect(journal.since(first, 4)).toMatchObject({ to: { revision: third }, changes: { length: 4 } });
    expect(journal.since(first, 5)?.to?.revision).toBe(third);
    expect(journal.since(first, 1)).toMatchObject({ to: { revision: second }, changes: { length: 2 } });
    expect(journal.since(third, 2)?.to).toBeUndefined();
    expect([first, third, 'other'].map((revision) => journal.countSince(revision))).toEqual([6, 2, 0]);
  });

  it('tells what changed since each revision, composed of all commits after it', () => {
    const tenant = new Noted();
    const first = tenant.commit(role('a'));
    const second = tenant.commit(role('c'), role('b'));
    const third = tenant.commit(remove('role/a'));
    expect(tenant.since(first)).toEqual([
      [undefined, 'role b id3'],
      [undefined, 'role c id2'],
    ]);
    expect(tenant.since(second)).toEqual([
      ['role a id1', undefined],
      [undefined, 'role b id3'],
      [undefined, 'role c id2'],
    ]);
    expect(tenant.since(third)).toEqual([['role a id1', undefined]]);
    expect(tenant.journal.since(second)?.base.revision).toBe(second);
    expect(tenant.since(tenant.revisionRef.revision)).toBeUndefined();
    expect(tenant.since('1.0000000000000000')).toBeUndefined();
  });

  it('leaves out what was changed back, and keeps what came back as another record', () => {
    const tenant = new Noted();
    tenant.commit(role('a', 'one'), role('b'));
    const before = tenant.commit({ op: 'update', address: 'role/a', fields: { name: 'a', description: 'two' } });
    tenant.commit({ op: 'update', address: 'role/a', fields: { name: 'a', description: 'one' } });
    expect(tenant.since(before)).toEqual([]);
    tenant.commit(remove('role/b'));
    tenant.commit(role('b'));
    expect(tenant.since(before)).toEqual([['role b id2', 'role b id3']]);
  });

  it('tells a move as a record gone and one come, with all that mentions it', () => {
    const tenant = new Noted();
    tenant.commit(role('a'), role('b'), { op: 'create', kind: 'group', fields: { name: 'g' } });
    const assigned = { role: 'a', entity_type: 'group', entity: 'g' };
    tenant.commit({ op: 'create', kind: 'role_assignment', fields: assigned });
    const before = tenant.commit(
      { op: 'move', from: 'role/a', to: 'role/b' },
      { op: 'move', from: 'role/b', to: 'role/a' },
    );
    expect(tenant.since(before)).toEqual([
      ['role a id1', 'role a id2'],
      ['role b id2', 'role b id1'],
      ['role_assignment  id4', undefined],
      [undefined, 'role_assignment  id4'],
    ]);
  });

  it('knows commits that touch credentials alone as no change', () => {
    const tenant = new Noted();
    const before = tenant.commit({ op: 'create', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] } });
    expect(tenant.since(before)).toEqual([]);
  });

  it.each([
    ['commits', { commits: 2 }],
    ['changes', { changes: 2 }],
    ['text', { characters: 120 }],
  ])('forgets the oldest commits over the bound of %s', (_, bounds) => {
    const tenant = new Noted(bounds);
    const [first, second, third] = ['a', 'b', 'c'].map((name) => tenant.commit(role(name)));
    expect(tenant.since(first ?? '')).toBeUndefined();
    expect(tenant.since(second ?? '')).toHaveLength(2);
    expect(tenant.since(third ?? '')).toHaveLength(1);
  });

  it('forgets everything at a commit that is larger than all that is kept', () => {
    const tenant = new Noted({ changes: 2 });
    const before = tenant.commit(role('a'));
    const large = tenant.commit(role('b'), role('c'), role('d'));
    expect([before, large].map((revision) => tenant.since(revision))).toEqual([undefined, undefined]);
    const after = tenant.commit(role('e'));
    expect(tenant.since(after)).toHaveLength(1);
  });
});
