import { describe, expect, it } from 'vitest';
import { FILES, file, given, holds, member, policy, record, rows, whoOf } from '../../../testing/reviewed-records.js';

describe('the filter of a review', () => {
  const onOne = (name: string, resource: string) =>
    policy(name, { resource_type: undefined, actions: undefined, resources: [{ resource, actions: ['read'] }] });
  const many = Array.from({ length: 40 }, (_, at) => `extra-${String(at).padStart(2, '0')}`);
  const records = [
    ...many.map((name) => file(name)),
    onOne('note', 'docs/file/note'),
    onOne('plan', 'docs/file/plan'),
    given('note', 'group', 'staff'),
    record('group', { name: 'board' }),
    given('plan', 'role', 'reader'),
    holds('reader', 'group', 'board'),
    record('group_membership', { group: 'board', entity_type: 'group', entity: 'staff' }),
    ...['user/anne', 'user/bert'].map((one) => member('staff', one)),
    policy('most', {
      resource_type: undefined,
      actions: undefined,
      resources: many.slice(0, -1).map((name) => ({ resource: `docs/file/${name}`, actions: ['write'] })),
    }),
    given('most', 'subject', 'user/cleo'),
    policy('shut', { effect: 'DENY' }),
    given('shut', 'subject', 'user/cleo'),
  ];
  const found = (words: string) => rows(records, FILES, { words }).map(({ subject }) => whoOf(subject));

  it.each<[string, string, string[]]>([
    ['a policy by which one of the resources comes', 'policy/plan', ['named_role reader', '2 of group/staff']],
    ['another such policy', 'policy/note', ['2 of group/staff']],
    ['a group on the way', 'group/board', ['2 of group/staff']],
    ['a resource beyond those that are named', 'docs/file/extra-38', ['user/cleo']],
    ['a resource and a member', 'docs/file/plan bert', ['2 of group/staff']],
    ['no resource of others', 'docs/file/extra-39', []],
    ['no policy that allows nothing', 'policy/shut', []],
  ])('finds rows by %s', (_, words, expected) => {
    expect(found(words)).toEqual(expected);
  });
});
