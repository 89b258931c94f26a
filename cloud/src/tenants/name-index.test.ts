import type { StoredRecord } from '@authz-service/core/records/registry';
import { describe, expect, it } from 'vitest';
import { wordsOf } from './name-index.js';

describe('the index of names', () => {
  it.each([
    [
      'a subject by its id and its name',
      'subject/user/anne.b@x.org',
      { name: 'Anne Böhm' },
      ['user/anne.b@x.org', 'anne.b@x.org', 'anne', 'b', 'x', 'org', 'anne böhm', 'böhm'],
    ],
    [
      'a role by its own name, not by that of its application',
      'role/billing/main-clerk',
      { name: 'main-clerk' },
      ['billing/main-clerk', 'main-clerk', 'main', 'clerk'],
    ],
    [
      'a link by all that it joins',
      'role_assignment/billing/clerk//group/finance',
      {},
      ['billing/clerk//group/finance', 'billing', 'clerk', 'group', 'finance'],
    ],
    ['a name with a slash as it is written', 'group/a%2Fb', { name: 'a/b' }, ['a%2fb', 'a/b', 'a', 'b']],
  ])('finds %s', (_, address, fields, words) => {
    const record = { address, fields } as unknown as StoredRecord;
    expect([...wordsOf(record)].sort()).toEqual([...words].sort());
  });
});
