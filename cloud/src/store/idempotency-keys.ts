import type { Knex } from 'knex';
import { type IdempotencyKey, type IdempotencyRow, TakenKeyError } from './store.js';

type FoundRow = Omit<IdempotencyRow, 'free_before'>;
type Row = Omit<FoundRow, keyof IdempotencyKey>;

/** The keys of requests that must not be applied twice, with what they were answered. */
export const idempotencyKeys = {
  async find(knex: Knex, { tenant, credential, key }: IdempotencyKey): Promise<FoundRow | undefined> {
    const row = await knex('idempotency_keys')
      .where({ tenant_id: tenant, credential_id: credential, key })
      .first<Row | undefined>('request_hash', 'response', 'created_at');
    return row && { tenant, credential, key, ...row };
  },

  /** Throws `TakenKeyError` unless the key is new, or was first used so long ago that it has become free. */
  async save(trx: Knex, row: IdempotencyRow): Promise<void> {
    const { tenant, credential, free_before, ...rest } = row;
    const own = { tenant_id: tenant, credential_id: credential, key: row.key };
    await trx('idempotency_keys').where(own).andWhere('created_at', '<', free_before).delete();
    const columns = ['tenant_id', 'credential_id', 'key'];
    const made = await trx('idempotency_keys')
      .insert({ ...own, ...rest })
      .onConflict(columns)
      .ignore()
      .returning('key');
    if (made.length === 0) throw new TakenKeyError(`the idempotency key "${row.key}" is in use`);
  },

  async purge(knex: Knex, before: string): Promise<void> {
    await knex('idempotency_keys').where('created_at', '<', before).delete();
  },
};
