import { describe, expect, it } from 'vitest';
import type { Store } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';
import { OlderRevisions } from './older-revisions.js';

const tenant = { id: 't' } as Tenant;
const digest = '0123456789abcdef'.repeat(4);

function revisionsOf(findRevision: (number: number) => Promise<unknown>) {
  const asked: number[] = [];
  const store = {
    findRevision: async (_tenant: string, { number }: { number: number }) => {
      asked.push(number);
      return await findRevision(number);
    },
  } as unknown as Pick<Store, 'findRevision'>;
  return { asked, older: new OlderRevisions(store) };
}

describe('older revisions', () => {
  it('are looked up once each, those that are not there too', async () => {
    const { asked, older } = revisionsOf(async (number) => (number === 2 ? undefined : { revision: number, digest }));
    for (let turn = 0; turn < 2; turn++) {
      expect(await older.find(tenant, 1)).toBe('1.0123456789abcdef');
      expect(await older.find(tenant, 2)).toBeUndefined();
    }
    expect(asked).toEqual([1, 2]);
  });

  it('are looked up again after a failure', async () => {
    let fails = true;
    const { older } = revisionsOf(async (revision) => {
      if (fails) throw new Error('the database is away');
      return { revision, digest };
    });
    await expect(older.find(tenant, 1)).rejects.toThrow('away');
    fails = false;
    expect(await older.find(tenant, 1)).toBe('1.0123456789abcdef');
  });

  it('wait for their turn beyond a few look-ups at once of one tenant, and not for those of another', async () => {
    const held: (() => void)[] = [];
    const { asked, older } = revisionsOf(async (revision) => {
      await new Promise<void>((resolve) => held.push(resolve));
      return { revision, digest };
    });
    const running = [1, 2, 3, 4].map((number) => older.find(tenant, number));
    const fifth = older.find(tenant, 5);
    const same = older.find(tenant, 1);
    const other = older.find({ id: 'u' } as Tenant, 1);
    expect(asked).toEqual([1, 2, 3, 4, 1]);
    held.shift()?.();
    await running[0];
    expect(asked).toEqual([1, 2, 3, 4, 1, 5]);
    for (const release of held) release();
    await Promise.all([...running, same, other]);
    expect(await fifth).toBe('5.0123456789abcdef');
  });

  it('are refused where too many wait', async () => {
    const { older } = revisionsOf(() => new Promise(() => {}));
    const waiting = Array.from({ length: 1_004 }, (_, number) => older.find(tenant, number));
    for (const one of waiting) one.catch(() => undefined);
    await expect(older.find(tenant, 2_000)).rejects.toMatchObject({ code: 'too_many_requests' });
  });
});
