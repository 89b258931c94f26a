import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import knex from 'knex';
import sqlite3 from 'sqlite3';
import { DatabaseFiles } from './database-files.js';
import { knexStore } from './knex-store.js';
import { migrations } from './migrations/migrations.js';
import type { Store } from './store.js';
import { watchedStore } from './watched-store.js';

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
    const files = await DatabaseFiles.of(filename);
    const probe = async () => await database.raw('pragma user_version = 0');
    return watchedStore(knexStore(database, release), files, probe);
  } catch (error) {
    await database.destroy();
    await release();
    throw cannotOpen(dataDir, error);
  }
}

function configure(connection: sqlite3.Database, done: (error: Error | null, connection: unknown) => void): void {
  const settings = 'pragma journal_mode = WAL; pragma synchronous = FULL; pragma foreign_keys = ON;';
  connection.exec(settings, (error) => done(error, connection));
}

/** Makes the folder and the file, for their owner alone, and locks them for this process. */
async function prepare(dataDir: string, filename: string): Promise<() => Promise<void>> {
  await makeFolder(resolve(dataDir));
  const release = await lock(dataDir);
  // SQLite gives the files beside it the mode that this one has.
  await (await open(filename, 'a', 0o600)).close();
  return release;
}

/**
 * Makes a folder and those above it that are missing. Not by Node's own recursion: that never ends where a file system
 * answers ENOENT to every new folder, as /proc does.
 */
async function makeFolder(path: string): Promise<void> {
  const made = await attempt(path);
  if (made !== 'ENOENT' || dirname(path) === path) return;
  await makeFolder(dirname(path));
  if ((await attempt(path)) === 'ENOENT') throw Object.assign(new Error('no folder can be made'), { code: 'ENOENT' });
}

/** Undefined where the folder is there now; ENOENT where one above it is missing, or none can be made. */
async function attempt(path: string): Promise<'ENOENT' | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return code;
    // Of a file, or of a folder that may not be read, the opening of what is in it tells.
    if (code !== 'EEXIST' && !(await isFolder(path))) throw error;
  }
  return undefined;
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * Holds the folder for this process by an exclusive transaction on a file of its own: the operating system drops the
 * lock with the process, however it ends, and the database itself stays open to backups.
 */
async function lock(dataDir: string): Promise<() => Promise<void>> {
  const filename = join(dataDir, 'cloud.lock');
  // Made only where it is missing: a file closed drops the locks that this process holds on it elsewhere.
  await open(filename, 'wx', 0o600).then(
    (made) => made.close(),
    (error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? chmod(filename, 0o600) : Promise.reject(error)),
  );
  const file = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opened = new sqlite3.Database(filename, (error) => (error ? reject(error) : resolve(opened)));
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
  const remedy = code === 'SQLITE_FULL' || code === 'ENOSPC' ? ' Free space there.' : '';
  return new ProblemError('invalid_config', `The data directory "${dataDir}" cannot be used: ${cause}.${remedy}`, [], {
    cause: error,
  });
}
