import { expect, it } from 'vitest';
import { ChangedStoreError, type Store } from '../store/store.js';
import { readTenant } from './read-tenant.js';

it('says by which error the records of a tenant cannot be read, the first of several', async () => {
  const first = Object.defineProperty({}, 'kind', {
    get: () => {
      throw new Error('the first');
    },
  });
  const load = (async (_, take) => {
    await take?.([first as never]);
    await take?.([null as never]);
    return { revision: 3 };
  }) as Store['load'];
  const failure = await readTenant({ load }, { id: 'a', name: 'acme' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ChangedStoreError);
  expect(failure).toMatchObject({ message: expect.stringContaining('"acme"'), cause: { message: 'the first' } });
});
