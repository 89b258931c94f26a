import type { Change } from '@authz-service/sdk/wire';
import { describe, expect, it } from 'vitest';
import { changedOtherwise, type Draft, forOwner, ofEmptied, withChange, withReplaced } from './drafted-changes.js';

const draftOf = (base: string, ...changes: Change[]): Draft => ({
  owner: '',
  stack: 'console',
  base,
  changes,
  key: '',
});
const described = (description: string): Change => ({ op: 'update', address: 'group/a', fields: { description } });
const removed: Change = { op: 'delete', address: 'group/a' };
const created = (name: string): Change => ({ op: 'create', kind: 'group', fields: { name } });

describe('a draft', () => {
  it.each([
    ['', '41.aa', '41.aa'],
    ['41.aa', '42.bb', '41.aa'],
    ['42.bb', '41.aa', '41.aa'],
    ['9.aa', '10.bb', '9.aa'],
    ['10.bb', '9.aa', '9.aa'],
    ['41.aa', '41.cc', '41.aa'],
  ])('of revision %j with a change made from %j is for %j', (drafted, from, base) => {
    expect(withChange(draftOf(drafted), described('new'), from).base).toBe(base);
  });

  it('has one change of a record, the last', () => {
    const draft = draftOf('1.a', described('old'), created('b'));
    expect(withChange(draft, described('new'), '1.a').changes).toEqual([created('b'), described('new')]);
  });

  it('is for the console again once its last change was taken out, not while a stack is typed into an empty one', () => {
    const empty = { ...draftOf(''), stack: 'acme' };
    const filled = { ...draftOf('1.a', removed), stack: 'acme' };
    expect(ofEmptied(filled, empty, 'console').stack).toBe('console');
    expect(ofEmptied(empty, empty, 'console').stack).toBe('acme');
    expect(ofEmptied(filled, filled, 'console').stack).toBe('acme');
  });

  it('replaces a change wherever it stands by now, and adds it where it has gone', () => {
    const after = created('after');
    const moved = draftOf('1.a', removed, created('before'));
    expect(withReplaced(moved, created('before'), after, '2.b').changes).toEqual([removed, after]);
    expect(withReplaced(draftOf('1.a', removed), created('before'), after, '2.b').changes).toEqual([removed, after]);
    expect(withReplaced(draftOf(''), created('before'), after, '2.b')).toEqual(draftOf('2.b', after));
  });

  it.each([
    ['nothing of it', [created('b')], []],
    ['the same', [described('new')], []],
    ['other fields', [described('mine')], ['group/a']],
    ['its removal', [removed], ['group/a']],
  ])('that holds %s is asked whether it changes a record otherwise', (_, changes, found) => {
    expect(changedOtherwise(draftOf('1.a', ...changes), [described('new'), created('c')])).toEqual(found);
  });

  it.each([
    ['empty, becomes one of the stack of the record', [], 'acme', 'acme'],
    ['empty, is for the console where the record is nobody’s', [], 'api', 'console'],
    ['that has changes, keeps its stack', [removed], 'acme', 'console'],
    ['whose record’s owner was not asked, keeps its stack', [], undefined, 'console'],
  ])('%s', (_, changes, owner, stack) => {
    expect(forOwner(draftOf('', ...changes), owner, 'console').stack).toBe(stack);
  });
});
