import { expect, it } from 'vitest';
import type { CredentialRow } from '../store/store.js';
import { CredentialIndex } from './credential-index.js';

const row = (tenant: string, id: string, kind: CredentialRow['kind'] = 'api_key', hash = id): CredentialRow => ({
  ...{ tenant, kind, id, hash, operator: false },
  fields: { name: id, scopes: ['decisions'] },
});

it('finds the credentials of a tenant without looking at those of others', () => {
  const index = new CredentialIndex([row('t1', 'a'), row('t1', 'b', 'oauth_client'), row('t2', 'c')]);
  const other = index.apiKey('c') ?? {};
  Object.defineProperty(other, 'tenant', {
    get: () => {
      throw new Error('looked at');
    },
  });
  const idsOf = (tenant: string) => [...index.ofTenant(tenant)].map(({ id }) => id).sort();
  expect(idsOf('t1')).toEqual(['a', 'b']);
  expect(index.off('t1')).toEqual([]);
  expect(index.ofPerson('t1', 'somebody')).toEqual([]);
  // Another secret of one, and none of the others.
  index.advance({ tenant: 't1', revision: 2, rows: [row('t1', 'a', 'api_key', 'second')] });
  expect([idsOf('t1'), idsOf('t2')]).toEqual([['a'], ['c']]);
  expect([index.apiKey('a'), index.client('b'), index.apiKey('second')?.id]).toEqual([undefined, undefined, 'a']);
  index.forgetTenant('t1');
  expect([idsOf('t1'), index.apiKey('second')]).toEqual([[], undefined]);
});
