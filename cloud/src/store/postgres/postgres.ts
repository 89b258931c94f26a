import { randomBytes } from 'node:crypto';
import { ProblemError } from '@authz-service/core/problem';
import type { Knex } from 'knex';
import { credentialsSince, position } from '../changes-since.js';
import type { Dialect } from '../dialect.js';
import { knexStore } from '../knex-store.js';
import { faultText, type StorageFault } from '../storage-fault.js';
import type { Store } from '../store.js';
import { type DatabaseHolder, watchedStore } from '../watched-store.js';
import { connectPostgres } from './connect.js';
import { listenForCommits } from './listen.js';
import { addressText, type PostgresAddress } from './postgres-address.js';
import { hasUnfinishedErasure, postgresDialect } from './postgres-dialect.js';
import { postgresFaultOf, READ_ONLY, withoutValues } from './postgres-faults.js';
import { migrate, refuseUnfit } from './postgres-schema.js';
import { Pulse } from './pulse.js';
import { assertSameDatabase } from './same-database.js';

export interface PostgresPlace {
  address: PostgresAddress;
  /** Leads to PostgreSQL itself, without a pooler between, so that it can tell of commits. */
  direct?: PostgresAddress;
}

const CONNECTIONS_MAX = 10;
const ACQUIRE_MS = 10_000;
/** Longer than any statement and any judging takes. */
const SILENCE_MS = 90_000;
/** For what is asked again and again, and tells whether the database answers. */
const WATCH = { connectionsMax: 1, acquireMs: 2000, silenceMs: 2000 };

/** For the credentials that others have changed: a revoked key must become known whatever keeps the other connections busy. */
const FOLLOW = { connectionsMax: 2, acquireMs: 2000, silenceMs: 10_000 };

/**
 * Opens the store in a PostgreSQL database, which it migrates as needed; other processes may have it open, too. An
 * erasure that was not ended is ended, which keeps all others waiting, unless `finishErasure` is false. Throws
 * `invalid_config` if the database cannot be used.
 */
export async function openPostgresStore(
  { address, direct }: PostgresPlace,
  { finishErasure = true } = {},
): Promise<Store> {
  const pool = { connectionsMax: CONNECTIONS_MAX, acquireMs: ACQUIRE_MS, silenceMs: SILENCE_MS };
  const pulse = new Pulse(() => performance.now());
  const database = connectPostgres(address, { ...pool, pulse });
  const watching = connectPostgres(address, WATCH);
  const following = connectPostgres(address, { ...FOLLOW, pulse });
  const withoutLimits = () => connectPostgres(address, { ...pool, connectionsMax: 1, silenceMs: 0 });
  try {
    await refuseUnfit(database);
    if (direct !== undefined) await assertSameDatabase(database, address, direct);
    const migrating = withoutLimits();
    await migrate(migrating).finally(() => migrating.destroy());
    const dialect = postgresDialect(database, withoutLimits, following);
    if (finishErasure && (await hasUnfinishedErasure(database))) await dialect.rewrite();
    const place: DatabaseHolder = { displaced: async () => undefined, unwritable: () => unwritable(watching) };
    const store = knexStore(database, dialect, async () => {
      pulse.end();
      await Promise.all([watching.destroy(), following.destroy()]);
    });
    const { snapshot } = postgresDialect(following, withoutLimits);
    const credentialsOf: Store['credentialsSince'] = (tenants) => snapshot((trx) => credentialsSince(trx, tenants));
    return {
      ...watchedStore(
        { ...store, position: () => pulse.ask(() => position(watching)), credentialsSince: credentialsOf },
        { fault: postgresFaultOf, silence: () => pulse.fault, place, probe: () => probe(dialect) },
      ),
      listen: (onCommit, onError) =>
        direct === undefined
          ? async () => {}
          : listenForCommits(direct, onCommit, (error) =>
              onError(error === undefined ? undefined : cannotUse(direct, error)),
            ),
    };
  } catch (error) {
    await Promise.all([database.destroy(), watching.destroy(), following.destroy()]);
    throw cannotUse(address, error);
  }
}

async function unwritable(knex: Knex): Promise<StorageFault | undefined> {
  try {
    const { rows } = await knex.raw(
      "select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only",
    );
    return rows[0].read_only ? READ_ONLY : undefined;
  } catch (error) {
    return postgresFaultOf(error) ?? Promise.reject(withoutValues(error));
  }
}

/** More than pages have left that are only partly used, and random, since PostgreSQL compresses: a full disk must be noticed. */
const PROBE_BYTES = 64 * 1024;

/** Finds out whether a row can be written, and takes it back. */
async function probe({ writing }: Dialect): Promise<void> {
  const undone = new Error('taken back');
  await writing(async (trx) => {
    const jwk = randomBytes(PROBE_BYTES).toString('base64');
    await trx('signing_keys').insert({ kid: 'probe', jwk, created_at: '' });
    throw undone;
  }).catch((error: unknown) => (error === undone ? undefined : Promise.reject(error)));
}

/** Why this database cannot be used. */
export function cannotUse(address: PostgresAddress, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const fault = postgresFaultOf(error);
  const { message } = withoutValues(error) as Error;
  const why = fault === undefined ? message : `${faultText(fault)} (${message})`;
  return new ProblemError('invalid_config', `The database ${addressText(address)} cannot be used: ${why}`, [], {
    cause: error,
  });
}
