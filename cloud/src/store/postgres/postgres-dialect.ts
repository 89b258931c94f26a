import type { Knex } from 'knex';
import type { Dialect, GlobalLock, JsonDialect } from '../dialect.js';
import { type Statement, send } from '../statement.js';
import { storageFailed } from '../storage-fault.js';
import { CommitNotifier } from './commit-notifier.js';
import { BROKEN_OFF, isBroken, postgresFaultOf, withoutValues } from './postgres-faults.js';

/** The numbers are arbitrary, but nobody else's. */
export const LOCKS: Record<GlobalLock, number> = { start: 7_130_001, migrations: 7_130_002, operators: 7_130_003 };

export const POSTGRES_JSON: JsonDialect = {
  quoted: (column) => `to_json(${column})::text`,
  joined: (text) => `string_agg(${text}, ',')`,
};

const STATEMENT_MS = 60_000;
const LOCK_MS = 15_000;
/** Between two statements the cloud may judge a large change-set. */
const IDLE_MS = 80_000;

/** These hold for one transaction alone, since a pooler gives the connection to others after it. */
const LIMITS =
  `set local statement_timeout = ${STATEMENT_MS}; set local lock_timeout = ${LOCK_MS}; ` +
  `set local idle_in_transaction_session_timeout = ${IDLE_MS}`;

/**
 * Each statement sees what is committed by then, whatever the server's default is: what is judged under a lock must be what
 * stands once the lock is held.
 */
export const WRITING = { isolationLevel: 'read committed' } as const;

/** New keys are taken in advance, so that few commits have to ask for some. */
const KEYS_IN_ADVANCE = 100;

/**
 * PostgreSQL, to which several processes commit at the same time. `withoutLimits` gives a connection for what may take as long
 * as it takes; others are notified through `notifying`.
 */
export function postgresDialect(knex: Knex, withoutLimits: () => Knex, notifying = knex): Dialect {
  const keys: number[] = [];
  const notifier = new CommitNotifier(notifying);
  return {
    shared: true,
    reading: (work) => reading(knex, work),
    snapshot: (work) => reading(knex, work),
    writing: (work) => untilNoDeadlock(() => writing(knex, work)),
    lock: async (trx, name) => void (await trx.raw('select pg_advisory_xact_lock(?)', [LOCKS[name]])),
    lockTenant: async (trx, tenant) => {
      await trx.raw('select 1 from tenants where id = ? for no key update', [tenant]);
    },
    json: POSTGRES_JSON,
    newPks: async (db, count) => {
      if (keys.length < count) {
        const more = "select nextval('records_pk') as pk from generate_series(1, ?)";
        const { rows } = await db.raw(more, [count + KEYS_IN_ADVANCE]);
        for (const { pk } of rows as { pk: number }[]) keys.push(pk);
      }
      return keys.splice(0, count);
    },
    sendAll,
    notify: (notices) => notifier.notify(notices),
    noteErasure: async (trx) => await trx.raw(`comment on table record_versions is '${UNFINISHED}'`),
    rewrite: () => rewrite(withoutLimits()),
  };
}

/** The most values of statements that are sent at once: if the first one fails, all others were in vain. */
const VALUES_AT_ONCE = 5000;

/** The connections send what comes without waiting for the answers to what was before. */
async function sendAll(trx: Knex, statements: Iterable<Statement>): Promise<void> {
  let batch: Statement[] = [];
  let values = 0;
  const flush = async () => {
    await firstFailure(batch.map((statement) => send(trx, statement)));
    [batch, values] = [[], 0];
  };
  for (const statement of statements) {
    if (values + statement.values.length > VALUES_AT_ONCE) await flush();
    batch.push(statement);
    values += statement.values.length;
  }
  await flush();
}

/** Waits for all; if some fail, throws what the first of them does, in their order and not in that of time. */
async function firstFailure<T extends readonly Promise<unknown>[]>(
  all: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  // A query of Knex runs again each time somebody waits for it.
  const once = all.map((one) => Promise.resolve(one));
  await Promise.allSettled(once);
  const results: unknown[] = [];
  for (const one of once) results.push(await one);
  return results as { -readonly [K in keyof T]: Awaited<T[K]> };
}

/** All statements see one state. */
async function reading<T>(knex: Knex, work: (trx: Knex) => Promise<T>): Promise<T> {
  const run = async (trx: Knex) => {
    await trx.raw(LIMITS);
    return await work(trx);
  };
  return await knex
    .transaction(run, { isolationLevel: 'repeatable read', readOnly: true })
    .catch((error: unknown) => Promise.reject(withoutValues(error)));
}

/**
 * If the connection breaks, whether the transaction was stored is asked from PostgreSQL, which knows it by the number of the
 * transaction. The error says so only if that cannot be found out either.
 */
async function writing<T>(knex: Knex, work: (trx: Knex) => Promise<T>): Promise<T> {
  let number: string | undefined;
  let done: { result: T } | undefined;
  const run = async (trx: Knex) => {
    // Nobody waits for its answer before sending what follows: each way to the database and back makes a commit longer.
    const begun = trx.raw(`${LIMITS}; select pg_current_xact_id()::text as number`).then(([, , , { rows }]) => {
      number = rows[0].number;
    });
    const [, result] = await firstFailure([begun, work(trx)]);
    done = { result };
  };
  try {
    await knex.transaction(run, WRITING);
  } catch (error) {
    if (!isBroken(error)) throw withoutValues(error);
    // It was not asked to end the transaction yet, so that it has rolled back.
    if (number === undefined || done === undefined) throw storageFailed(BROKEN_OFF, { writing: true, cause: error });
    const outcome = await outcomeOf(knex, number).catch(() => 'unknown');
    if (outcome === 'aborted') throw storageFailed(BROKEN_OFF, { writing: true, cause: error });
    if (outcome !== 'committed') throw error;
  }
  if (done === undefined) throw new Error('a transaction has ended without a result');
  return done.result;
}

/** How often a transaction is begun in all. */
const TRIES = 3;

/**
 * Begins a transaction anew that PostgreSQL has undone in favour of another one: for a deadlock, or since it could not be put
 * in an order with others.
 */
async function untilNoDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (tries === TRIES || (code !== '40P01' && code !== '40001')) throw error;
      // Otherwise both might meet again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50 * tries));
    }
  }
}

const ASKED_MS = 5000;
const PAUSE_MS = 250;

/** Asks until the transaction has ended: the process that ran it may not have noticed yet that its client has gone. */
async function outcomeOf(knex: Knex, number: string): Promise<string | undefined> {
  const end = Date.now() + ASKED_MS;
  let failure: unknown;
  for (let left = ASKED_MS; left > 0; left = end - Date.now()) {
    if (left < ASKED_MS) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    try {
      const asked = knex.raw('select pg_xact_status(?::xid8) as status', [number]);
      const { rows } = await within(end - Date.now(), asked);
      if (rows[0].status !== 'in progress') return rows[0].status ?? undefined;
    } catch (error) {
      if (postgresFaultOf(error) === undefined) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** The tenant's other commits wait meanwhile, and a network that drops everything lets a query wait for long. */
async function within<T>(ms: number, work: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const UNFINISHED = 'values were taken out, and copies may be left';

/** Whether an erasure ended before the tables were written anew. */
export async function hasUnfinishedErasure(knex: Knex): Promise<boolean> {
  const { rows } = await knex.raw("select obj_description('record_versions'::regclass) as note");
  return rows[0].note === UNFINISHED;
}

async function rewrite(knex: Knex): Promise<void> {
  try {
    for (const table of ['record_versions', 'records']) await knex.raw(`vacuum full ${table}`);
    await knex.raw('comment on table record_versions is null');
  } finally {
    await knex.destroy();
  }
}
