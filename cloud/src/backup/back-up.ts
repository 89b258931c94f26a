import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import { type CopiedTenant, checkDatabase, copyDatabase } from '../store/copy-database.js';
import { DATABASE } from '../store/database-name.js';
import { isFolder } from '../store/folder-lock.js';
import { replaceFile } from './replace-file.js';

export interface Backup {
  file: string;
  bytes: number;
  tenants: CopiedTenant[];
}

/**
 * Writes a backup of the database in a data directory to a file that only its owner can read, whether or not a cloud
 * runs on it. The file gets its name once it is complete and checked. Throws `conflict` if the file exists and may not
 * be replaced, `invalid_config` if there is no database, it is damaged, or the folder of the file cannot be
 * written, and `storage_failed` if the disk fails.
 */
export async function backUp(
  file: string,
  dataDir: string,
  { replace, signal }: { replace: boolean; signal: AbortSignal },
): Promise<Backup> {
  const database = join(dataDir, DATABASE);
  if (!existsSync(database)) {
    throw new ProblemError(
      'invalid_config',
      `There is no "${DATABASE}" in "${dataDir}": name the data directory of the cloud with --data-dir.`,
    );
  }
  if (await isFolder(file)) throw new ProblemError('invalid_config', `"${file}" is a folder: name a file in it.`);
  if (!replace) refuseExisting(file);
  const unfinished = `${file}.${randomUUID()}.tmp`;
  await createFile(unfinished, dirname(file));
  try {
    await copyDatabase(database, unfinished, signal).catch((error: unknown) => {
      throw signal.aborted ? error : failed(file, dataDir, error);
    });
    const tenants = await checkDatabase(unfinished, `The database in "${dataDir}"`);
    signal.throwIfAborted();
    const { size } = await stat(unfinished);
    if (!replace) refuseExisting(file);
    await replaceFile(unfinished, file);
    return { file, bytes: size, tenants };
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** The error names the folder, because the user has never heard of the temporary file. */
async function createFile(path: string, folder: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const detail =
      code === 'ENOENT'
        ? `There is no folder "${folder}": create it, or name another file.`
        : `No backup can be written to the folder "${folder}" (${code}): make it writable, or name another file.`;
    throw new ProblemError('invalid_config', detail, [], { cause });
  }
}

function failed(file: string, dataDir: string, cause: unknown): ProblemError {
  const { code, message } = cause as { code?: string; message?: string };
  const remedy = code === 'SQLITE_FULL' ? ` Free space where "${file}" is to be.` : '';
  const detail = `The database in "${dataDir}" cannot be backed up to "${file}": ${code ?? message}.${remedy}`;
  return new ProblemError('storage_failed', detail, [], { cause });
}

function refuseExisting(file: string): void {
  if (!existsSync(file)) return;
  throw new ProblemError('conflict', `"${file}" exists already: name another file, or replace it with --replace.`);
}
