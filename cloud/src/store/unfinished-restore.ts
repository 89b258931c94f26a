import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE } from './database-name.js';

/** The names that `restore` gives: to the folder that it works in, and to the database that it replaces. */
export const RESTORE_PREFIX = '.unfinished-restore-';
export const KEPT_PREFIX = `${DATABASE}.before-restore-`;

/** Matches the files that `restore` writes there. */
const WORK_FILE = /^(?:(?:cloud|present)\.sqlite(?:-wal|-shm|-journal)?|kept\.sqlite)$/;

/**
 * Removes what a restore has left in a data directory that was killed before its end, and returns its paths: copies that it
 * worked on, and a second name of the database, which was not replaced. The caller holds the lock of the directory.
 */
export async function removeUnfinishedRestores(dataDir: string): Promise<string[]> {
  const removed: string[] = [];
  const names = await readdir(dataDir);
  const present = await identityOf(join(dataDir, DATABASE));
  for (const name of names) {
    const path = join(dataDir, name);
    const isWork =
      name.startsWith(RESTORE_PREFIX) && (await readdir(path).catch(() => [''])).every((file) => WORK_FILE.test(file));
    const isSecondName = name.startsWith(KEPT_PREFIX) && present !== undefined && (await identityOf(path)) === present;
    if (!isWork && !isSecondName) continue;
    await rm(path, { recursive: true, force: true });
    removed.push(path);
  }
  return removed.sort();
}

async function identityOf(file: string): Promise<string | undefined> {
  return await stat(file, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => undefined,
  );
}
