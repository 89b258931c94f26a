import type { Knex } from 'knex';
import type { Dialect } from './dialect.js';
import { findRevision } from './record-versions.js';

/** Rows removed in one transaction, so that commits between them wait for no more than that. */
const PRUNED_ROWS = 5000;

/** Forgets what only the revisions before the one of this time need. The newest revision always stays. */
export async function pruneHistory(dialect: Dialect, before: string): Promise<void> {
  for (const { id, history_start } of await beginnings(dialect)) {
    const start = await dialect.reading((db) => findRevision(db, id, { at: before }));
    if (start === undefined || start.revision <= history_start) continue;
    // What cannot be rebuilt any more is refused from now on, also if the removal is cut short.
    const forgets = await dialect.writing((trx) =>
      trx('tenants')
        .where('id', id)
        .andWhere('history_start', '<', start.revision)
        .update({ history_start: start.revision }),
    );
    // Another process may keep less, or have looked later.
    if (forgets === 0) continue;
    await inRounds(dialect, (trx) => removeVersions(trx, id, start.revision));
  }
}

/** Forgets the commits from before this time, as far as no revision that can be rebuilt needs them. */
export async function pruneAudit(dialect: Dialect, before: string): Promise<void> {
  for (const { id, history_start } of await beginnings(dialect))
    await inRounds(dialect, (trx) => removeCommits(trx, id, history_start, before));
}

async function beginnings({ reading }: Dialect): Promise<{ id: string; history_start: number }[]> {
  const rows = await reading(
    async (db) => await db<{ id: string; history_start: number }>('tenants').select('id', 'history_start'),
  );
  return rows.map(({ id, history_start }) => ({ id, history_start: Number(history_start) }));
}

/** Repeats a removal until it finds less than it may remove at once. */
async function inRounds({ writing }: Dialect, remove: (trx: Knex) => Promise<number>): Promise<void> {
  while ((await writing(remove)) === PRUNED_ROWS);
}

async function removeVersions(trx: Knex, tenant: string, upTo: number): Promise<number> {
  const some: { until: number; address: string }[] = await trx('record_versions')
    .where('tenant_id', tenant)
    .andWhere('until', '<=', upTo)
    .orderBy(['until', 'address'])
    .limit(PRUNED_ROWS)
    .select('until', 'address');
  const last = some.at(-1);
  if (last !== undefined)
    await trx('record_versions')
      .where('tenant_id', tenant)
      .andWhereRaw('(until, address) <= (?, ?)', [last.until, last.address])
      .delete();
  return some.length;
}

async function removeCommits(trx: Knex, tenant: string, upTo: number, before: string): Promise<number> {
  const some: { number: number }[] = await trx('revisions')
    .where('tenant_id', tenant)
    .andWhere('number', '<', upTo)
    .andWhere('at', '<', before)
    .orderBy('number')
    .limit(PRUNED_ROWS)
    .select('number');
  const last = some.at(-1);
  if (last !== undefined)
    await trx('revisions').where('tenant_id', tenant).andWhere('number', '<=', last.number).delete();
  return some.length;
}
