import type { Knex } from 'knex';
import type { Statement } from './statement.js';
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

  /** Saves a key. Throws `TakenKeyError` unless it is new, or was first used so long ago that it has become free. */
  *saving({
    tenant,
    credential,
    free_before,
    key,
    request_hash,
    response,
    created_at,
  }: IdempotencyRow): Generator<Statement> {
    const own = [tenant, credential, key];
    yield {
      sql: 'delete from idempotency_keys where tenant_id = ? and credential_id = ? and key = ? and created_at < ?',
      values: [...own, free_before],
    };
    yield {
      sql:
        'insert into idempotency_keys (tenant_id, credential_id, key, request_hash, response, created_at) ' +
        'values (?, ?, ?, ?, ?, ?) on conflict (tenant_id, credential_id, key) do nothing returning key',
      values: [...own, request_hash, response, created_at],
      otherwise: () => new TakenKeyError(`the idempotency key "${key}" is in use`),
    };
  },

  async purge(knex: Knex, before: string): Promise<void> {
    await knex('idempotency_keys').where('created_at', '<', before).delete();
  },
};
