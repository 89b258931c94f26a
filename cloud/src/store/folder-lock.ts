import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import { Connection } from './connection.js';

/**
 * Creates the folder for its owner only if it is missing, and locks it for this process by an exclusive transaction on
 * a separate file. The operating system releases the lock with the process, however it ends, and the database itself
 * can still be backed up.
 */
export async function lockFolder(dataDir: string): Promise<() => Promise<void>> {
  await makeFolder(resolve(dataDir));
  const release = await lockFile(join(dataDir, 'cloud.lock'));
  if (release !== undefined) return release;
  throw new ProblemError(
    'invalid_config',
    `Another process has the data directory "${dataDir}" open: stop it, or give this one its own directory.`,
  );
}

/** Locks a file, which is created if it is missing, until what this returns is called; undefined if another process has it. */
export async function lockFile(filename: string): Promise<(() => Promise<void>) | undefined> {
  // The file is created only if it is missing: closing a file releases the locks that this process holds on it
  // elsewhere.
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
    return undefined;
  }
}

/**
 * Creates a folder and missing folders above it, without Node's recursive `mkdir`, which never ends if a file system
 * answers ENOENT to every new folder, as /proc does.
 */
async function makeFolder(path: string): Promise<void> {
  const made = await attempt(path);
  if (made !== 'ENOENT' || dirname(path) === path) return;
  await makeFolder(dirname(path));
  if ((await attempt(path)) === 'ENOENT') throw Object.assign(new Error('no folder can be made'), { code: 'ENOENT' });
}

/** Undefined if the folder exists now; ENOENT if one above it is missing, or none can be created. */
async function attempt(path: string): Promise<'ENOENT' | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return code;
    // For a file, or a folder that may not be read, opening what is in it reports the fault.
    if (code !== 'EEXIST' && !(await isFolder(path))) throw error;
  }
  return undefined;
}

export async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
