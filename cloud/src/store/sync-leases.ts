import type { Knex } from 'knex';
import type { Dialect } from './dialect.js';
import type { LeaseClaim, SyncLease, SyncLeaseStore } from './sync-lease-store.js';

type Stored = Omit<SyncLease, 'status'> & { tenant_id: string; status: string };

export function syncLeases({ reading, writing }: Pick<Dialect, 'reading' | 'writing'>): SyncLeaseStore {
  return {
    claimLease: (tenant, claim) => writing((trx) => claimed(trx, tenant, claim)),

    leases: (tenant) =>
      reading(async (db) => {
        const rows: Stored[] = await db('sync_leases').where({ tenant_id: tenant }).orderBy('stack');
        return rows.map(read);
      }),

    removeLease: (tenant, stack) =>
      writing(async (trx) => (await trx('sync_leases').where({ tenant_id: tenant, stack }).delete()) > 0),
  };
}

async function claimed(trx: Knex, tenant: string, claim: LeaseClaim): Promise<SyncLease> {
  const { stack, holder, term, now, expires_at, status } = claim;
  const own = { tenant_id: tenant, stack };
  const made = { holder, expires_at, updated_at: now, ...(status && { status: JSON.stringify(status) }) };
  if (term === undefined)
    await trx('sync_leases')
      .insert({ status: '{}', ...own, ...made, term: 0, expires_at: '' })
      .onConflict(['tenant_id', 'stack'])
      .ignore();
  // One statement decides, so that of two who ask at once only one gets it.
  const wanted = trx('sync_leases').where(own);
  if (term === undefined) await wanted.where('expires_at', '<=', now).update({ ...made, term: trx.raw('term + 1') });
  else await wanted.where({ holder, term }).update(made);
  const row: Stored | undefined = await trx('sync_leases').where(own).first();
  // The lease was removed: its term is over.
  return row === undefined ? { ...claim, holder: '', term: 0, updated_at: now, status: {} } : read(row);
}

function read({ tenant_id: _, status, ...rest }: Stored): SyncLease {
  return { ...rest, status: JSON.parse(status) };
}
