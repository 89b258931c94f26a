import type { Knex } from 'knex';
import type { Dialect, JsonDialect } from './dialect.js';
import { sendInTurn } from './statement.js';

/** The application id in the header of the file, from when values are taken until no copy of them is left in it. */
const UNFINISHED = 1;

export const SQLITE_JSON: JsonDialect = {
  quoted: (column) => `json_quote(${column})`,
  joined: (text) => `group_concat(${text}, ',')`,
};

/**
 * SQLite, whose folder this process has locked: it has the only connection, so that transactions run one after the other
 * and nobody else has to be kept away.
 */
export function sqliteDialect(knex: Knex): Dialect {
  return {
    shared: false,
    reading: (work) => work(knex),
    snapshot: (work) => knex.transaction(work),
    writing: (work) => knex.transaction(work),
    lock: async () => {},
    lockTenant: async () => {},
    json: SQLITE_JSON,
    newPks: async (trx, count) => {
      const row = await trx('records').max<{ last: number | null }>('pk as last').first();
      return Array.from({ length: count }, (_, index) => (row?.last ?? 0) + 1 + index);
    },
    // The driver would not keep the order of statements that it has at the same time.
    sendAll: sendInTurn,
    notify: () => {},
    noteErasure: async (trx) => await trx.raw(`pragma application_id = ${UNFINISHED}`),
    rewrite: () => writeAnew(knex),
  };
}

/** Finishes an erasure that a killed process left when the values were taken and the file was not yet written anew. */
export async function finishErasure(knex: Knex): Promise<void> {
  const [{ application_id }] = (await knex.raw('pragma application_id')) as [{ application_id: number }];
  if (application_id === UNFINISHED) await writeAnew(knex);
}

async function writeAnew(knex: Knex): Promise<void> {
  await knex.raw('vacuum');
  const [{ busy }] = (await knex.raw('pragma wal_checkpoint(truncate)')) as [{ busy: number }];
  if (busy !== 0) throw Object.assign(new Error('somebody reads the old pages'), { code: 'SQLITE_BUSY' });
  await knex.raw('pragma application_id = 0');
}
