import { randomInt } from 'node:crypto';
import { ProblemError } from '@authz-service/core/problem';
import type { Knex } from 'knex';
import pg from 'pg';
import { clientConfig, giveUpAfter } from './connect.js';
import { addressText, type PostgresAddress } from './postgres-address.js';
import { WRITING } from './postgres-dialect.js';

const SILENCE_MS = 5000;
/** Arbitrary, but nobody else's. */
const LOCK_CLASS = 713_000;

/**
 * Throws `invalid_config` if the address past a pooler leads to another database, where nobody tells of commits. Whether it does
 * is seen by a lock, since a copy of a database has all names and numbers of the first one. Where it cannot be reached, or is
 * a standby, whoever listens there finds that out.
 */
export async function assertSameDatabase(database: Knex, address: PostgresAddress, direct: PostgresAddress) {
  const client = new pg.Client(clientConfig(direct));
  client.on('error', () => undefined);
  try {
    const reached = await reach(client).catch(() => false);
    if (!reached) return;
    const token = randomInt(2 ** 31);
    const seen = await database.transaction(async (trx) => {
      await trx.raw('select pg_advisory_xact_lock(?::int, ?::int)', [LOCK_CLASS, token]);
      return await sees(client, token).catch(() => true);
    }, WRITING);
    if (!seen)
      throw new ProblemError(
        'invalid_config',
        `DATABASE_DIRECT_URL leads to another database, ${addressText(direct)}, than DATABASE_URL, ${addressText(address)}: ` +
          'write the address there at which the same database is reached without a pooler, or leave it out.',
      );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns false for a standby. */
async function reach(client: pg.Client): Promise<boolean> {
  await client.connect();
  giveUpAfter(client, SILENCE_MS);
  const { rows } = await client.query('select pg_is_in_recovery() as standby');
  return !rows[0].standby;
}

async function sees(client: pg.Client, token: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
     where datname = current_database() and locktype = 'advisory' and classid = $1 and objid = $2`,
    [LOCK_CLASS, token],
  );
  return rowCount === 1;
}
