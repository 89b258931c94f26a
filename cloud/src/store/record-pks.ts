import type { Knex } from 'knex';
import { inParts } from './batch.js';

/** The keys of the records with these addresses; those that there are. */
export async function pksOf(trx: Knex, tenant: string, addresses: readonly string[]): Promise<Map<string, number>> {
  const pks = new Map<string, number>();
  await inParts(addresses, async (part) => {
    const rows: { pk: number; address: string }[] = await trx('records')
      .select('pk', 'address')
      .where('tenant_id', tenant)
      .whereIn('address', part);
    for (const row of rows) pks.set(row.address, row.pk);
  });
  return pks;
}

/** Throws if the store lacks a record that the memory holds. */
export function known(pks: ReadonlyMap<string, number>, address: string): number {
  const pk = pks.get(address);
  if (pk === undefined) throw new Error(`the store does not hold ${address}, but the memory does`);
  return pk;
}
