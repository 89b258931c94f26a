import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import knex from 'knex';
import sqlite3 from 'sqlite3';
import { knexStore } from './knex-store.js';
import { migrations } from './migrations/migrations.js';
import type { Store } from './store.js';

/**
 * Opens the store in a folder, making and migrating it as needed. Refuses with `invalid_config` while another process
 * has it open. WAL with `synchronous=FULL`: what has been committed survives the process and the power.
 */
export async function openSqliteStore(dataDir: string): Promise<Store> {
  const filename = join(dataDir, 'cloud.sqlite');
  const release = await prepare(dataDir, filename).catch((error: unknown) => {
    throw cannotOpen(dataDir, error);
  });
  const database = knex.default({
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    // Errors' texts must not carry the values bound: some of them are keys.
    compileSqlOnError: false,
    // What fails is thrown as well; standard output is not knex's to write to.
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
    pool: { min: 1, max: 1, idleTimeoutMillis: 2 ** 31 - 1, afterCreate: configure },
  });
  try {
    // The lock above is the only one that counts; knex's own stays behind when a process is killed in a migration.
    await database.migrate.forceFreeMigrationsLock({ migrationSource: migrations });
    await database.migrate.latest({ migrationSource: migrations });
  } catch (error) {
    await database.destroy();
    await release();
    throw cannotOpen(dataDir, error);
  }
  return knexStore(database, release);
}

function configure(connection: sqlite3.Database, done: (error: Error | null, connection: unknown) => void): void {
  const settings = 'pragma journal_mode = WAL; pragma synchronous = FULL; pragma foreign_keys = ON;';
  connection.exec(settings, (error) => done(error, connection));
}

/** Makes the folder and the file, for their owner alone, and locks them for this process. */
async function prepare(dataDir: string, filename: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const release = await lock(dataDir);
  // SQLite gives the files beside it the mode that this one has.
  await (await open(filename, 'a', 0o600)).close();
  return release;
}

/**
 * Holds the folder for this process by an exclusive transaction on a file of its own: the operating system drops the
 * lock with the process, however it ends, and the database itself stays open to backups.
 */
async function lock(dataDir: string): Promise<() => Promise<void>> {
  const file = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opened = new sqlite3.Database(join(dataDir, 'cloud.lock'), (error) =>
      error ? reject(error) : resolve(opened),
    );
  });
  const close = () => new Promise<void>((resolve) => file.close(() => resolve()));
  const refused = await new Promise<Error | null>((resolve) => file.exec('begin exclusive', resolve));
  if (refused === null) return close;
  await close();
  if ((refused as NodeJS.ErrnoException).code !== 'SQLITE_BUSY') throw refused;
  throw new ProblemError(
    'invalid_config',
    `Another process has the data directory "${dataDir}" open: stop it, or give this one a directory of its own.`,
  );
}

function cannotOpen(dataDir: string, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const { code, message = '' } = error as { code?: string; message?: string };
  const newer = message.includes('migration directory is corrupt');
  const cause = newer ? 'a newer version of this program wrote it' : (code ?? message);
  return new ProblemError('invalid_config', `The data directory "${dataDir}" cannot be used: ${cause}.`, [], {
    cause: error,
  });
}
