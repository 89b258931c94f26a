import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Store } from '../src/store/store.js';

/** The records of a tenant as stored. */
export async function recordsIn(store: Pick<Store, 'load'>, tenant: string): Promise<StoredRecord[]> {
  const all: StoredRecord[] = [];
  await store.load(tenant, async (records) => {
    all.push(...records);
  });
  return all;
}
