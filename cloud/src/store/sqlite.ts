import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import knex, { type Knex } from 'knex';
import type sqlite3 from 'sqlite3';
import { position } from './changes-since.js';
import { DatabaseFiles } from './database-files.js';
import { DATABASE } from './database-name.js';
import { diskFaultOf } from './disk-faults.js';
import { lockFolder } from './folder-lock.js';
import { knexStore } from './knex-store.js';
import { migrations } from './migrations/migrations.js';
import { finishErasure, sqliteDialect } from './sqlite-dialect.js';
import type { Store } from './store.js';
import { removeUnfinishedRestores } from './unfinished-restore.js';
import { watchedStore } from './watched-store.js';

/**
 * Opens the store in a folder, creating and migrating it as needed. Throws `invalid_config` while another process has
 * it open. `onRemoved` is told of what a restore has left that was killed. WAL with `synchronous=FULL` means that committed data survives a crash of the process and a loss of power.
 */
export async function openSqliteStore(dataDir: string, onRemoved: (path: string) => void = () => {}): Promise<Store> {
  let release = async () => {};
  try {
    release = await lockFolder(dataDir);
    for (const path of await removeUnfinishedRestores(dataDir)) onRemoved(path);
    const filename = join(dataDir, DATABASE);
    // For its owner only; SQLite gives the files beside it the same mode.
    await (await open(filename, 'a', 0o600)).close();
    return await openSqliteFile(filename, release);
  } catch (error) {
    await release();
    throw cannotOpen(`The data directory "${dataDir}"`, error);
  }
}

/** Opens the store in a file that no other process has open. `release` is called when it is closed. */
export async function openSqliteFile(filename: string, release = async () => {}): Promise<Store> {
  const database = connectSqlite(filename);
  try {
    // Only the lock of the folder counts; knex's own stays behind if a process is killed during a migration.
    await database.migrate.forceFreeMigrationsLock({ migrationSource: migrations });
    await database.migrate.latest({ migrationSource: migrations });
    // Where the disk is too full for that, the next start or the next erasure does it; nobody was told that it is done.
    await finishErasure(database).catch(() => undefined);
    const files = await DatabaseFiles.of(filename);
    const probe = async () => await database.raw('pragma user_version = 0');
    const store = knexStore(database, sqliteDialect(database), release);
    return {
      ...watchedStore(store, { fault: diskFaultOf, place: files, probe }),
      shared: false,
      position: () => position(database),
      listen: () => async () => {},
    };
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/** The only connection to a file. */
export function connectSqlite(filename: string): Knex {
  return knex.default({
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    // Error texts must not contain bound values, because some of them are keys.
    compileSqlOnError: false,
    // Errors are thrown as well; knex must not write to standard output.
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
    pool: { min: 1, max: 1, idleTimeoutMillis: 2 ** 31 - 1, afterCreate: configure },
  });
}

/** The memory in which pages are kept, in KiB: an index of a million records in which a commit writes all over. */
const CACHE_KIB = 64 * 1024;
/**
 * The pages in the log from which on it is written into the database: a page that many commits change is then written once for
 * all of them. The log takes some 64 MiB.
 */
const CHECKPOINT_PAGES = 16 * 1024;

function configure(connection: sqlite3.Database, done: (error: Error | null, connection: unknown) => void): void {
  const settings = [
    ...['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'],
    ...[`cache_size = -${CACHE_KIB}`, `wal_autocheckpoint = ${CHECKPOINT_PAGES}`],
  ].map((setting) => `pragma ${setting};`);
  connection.exec(settings.join(' '), (error) => done(error, connection));
}

const FULL = ['there is no space left', 'Free space there.'] as const;
const DAMAGED = ['it is damaged, or no database', 'Restore a backup, or name another.'] as const;
const FORBIDDEN = ['the user of this process may not write there', 'Give it to that user, or name another.'] as const;
const READ_ONLY = ['it can only be read', 'Mount its file system so that it can be written, or name another.'] as const;

/** Reasons that keep a database from being opened, and their remedies, by the code of SQLite or the system. */
const REASONS: { readonly [code: string]: readonly [reason: string, remedy: string] } = {
  ...{ SQLITE_FULL: FULL, ENOSPC: FULL, SQLITE_CORRUPT: DAMAGED, SQLITE_NOTADB: DAMAGED },
  ...{ EACCES: FORBIDDEN, EPERM: FORBIDDEN, EROFS: READ_ONLY, SQLITE_READONLY: READ_ONLY },
};

/** Why `what` cannot be used as a database or as its folder. */
export function cannotOpen(what: string, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const { code, message = '' } = error as { code?: string; message?: string };
  const newer = message.includes('migration directory is corrupt');
  const [reason, remedy] = REASONS[code ?? ''] ?? [];
  const text = newer
    ? 'a newer version of this program wrote it. Start that version, or a later one.'
    : reason === undefined
      ? `${code ?? message}.`
      : `${reason} (${code}). ${remedy}`;
  return new ProblemError('invalid_config', `${what} cannot be used: ${text}`, [], { cause: error });
}
