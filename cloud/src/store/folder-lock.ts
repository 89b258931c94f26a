import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import { Connection } from './connection.js';

/**
 * Makes the folder for its owner alone where it is missing, and holds it for this process by an exclusive transaction on
 * a file of its own: the operating system drops the lock with the process, however it ends, and the database itself
 * stays open to backups.
 */
export async function lockFolder(dataDir: string): Promise<() => Promise<void>> {
  await makeFolder(resolve(dataDir));
  const filename = join(dataDir, 'cloud.lock');
  // Made only where it is missing: a file closed drops the locks that this process holds on it elsewhere.
  await open(filename, 'wx', 0o600).then(
    (made) => made.close(),
    (error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? chmod(filename, 0o600) : Promise.reject(error)),
  );
  const file = await Connection.open(filename);
  try {
    await file.run('begin exclusive');
    return () => file.close();
  } catch (error) {
    await file.close();
    if ((error as NodeJS.ErrnoException).code !== 'SQLITE_BUSY') throw error;
  }
  throw new ProblemError(
    'invalid_config',
    `Another process has the data directory "${dataDir}" open: stop it, or give this one a directory of its own.`,
  );
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
