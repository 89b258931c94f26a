import { existsSync } from 'node:fs';
import { access, chmod, constants, copyFile, link, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EpochSigner } from '@authz-service/core/bundle/epoch';
import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import { goodCredentials } from '../revocations/good-credentials.js';
import { readStore } from '../start/read-store.js';
import { type CopiedTenant, checkDatabase } from '../store/copy-database.js';
import { DATABASE } from '../store/database-name.js';
import { isFolder, lockFolder } from '../store/folder-lock.js';
import { cannotOpen, openSqliteFile } from '../store/sqlite.js';
import type { CredentialRow, TenantRow } from '../store/store.js';
import { KEPT_PREFIX, RESTORE_PREFIX, removeUnfinishedRestores } from '../store/unfinished-restore.js';
import { compareCredentials, type RestoredCredential } from './compare-credentials.js';
import { type SetBackFiles, setBack } from './disable-credentials.js';
import { readEpochKeyFile } from './epoch-key-file.js';
import { replaceFile } from './replace-file.js';

export interface Restored {
  tenants: CopiedTenant[];
  /** Every credential of the backup. */
  credentials: RestoredCredential[];
  /** Whether they were compared with those of the replaced database. */
  compared: boolean;
  /** The name of the new epoch; absent if none was declared. */
  epoch?: string;
  /** How many credentials are on, since the log says that they were good, and until when it tells (RFC 3339). */
  enabled?: number;
  log_ends_at?: string;
  /** The name of an epoch in the backup, after which none was declared. */
  former_epoch?: string;
  /** The place where the replaced database is kept. */
  kept?: string;
  /** Files that killed restores had left. */
  removed: string[];
}

/**
 * Files that SQLite leaves beside a database that was not closed. They belong to that database and would be written
 * into another one.
 */
const LEFT_OVER = ['-wal', '-shm', '-journal'];

/**
 * Replaces the database in a data directory with a backup, after the checks of a start: it is complete, and every
 * tenant is as it was committed. Throws `invalid_config` while a cloud runs there, if the backup is damaged, or if
 * files of an unclosed database are left there; `conflict` if there is a database that may not be replaced.
 */
export async function restore(
  file: string,
  dataDir: string,
  { replace, now, epochKeyFile, logFiles }: { replace: boolean; now: () => number } & SetBackFiles,
): Promise<Restored> {
  await access(file, constants.R_OK);
  if (await isFolder(file))
    throw new ProblemError(
      'invalid_config',
      `"${file}" is a folder: name a file that "servicectl cloud backup" wrote. It backs up such a folder with --data-dir.`,
    );
  const signer = epochKeyFile === undefined ? undefined : await readEpochKeyFile(epochKeyFile, { dataDir });
  refuseLeftOvers(file, 'it is not a finished backup: make one with "servicectl cloud backup"');
  const release = await lockFolder(dataDir).catch((error: unknown) => {
    throw cannotOpen(`The data directory "${dataDir}"`, error);
  });
  try {
    const removed = await removeUnfinishedRestores(dataDir);
    const database = join(dataDir, DATABASE);
    const remedy =
      'it belongs to a database that was not closed: start the cloud on it and stop it, or move both files away together';
    refuseLeftOvers(database, remedy);
    const present = existsSync(database);
    if (present && !replace) {
      throw new ProblemError(
        'conflict',
        `There is already a database in "${dataDir}": name another folder, or replace it with --replace, which keeps it under another name.`,
      );
    }
    const work = await mkdtemp(join(dataDir, RESTORE_PREFIX));
    try {
      const copy = await copyTo(join(work, DATABASE), file);
      const backup = await readBackup(copy, file, { now, signer, logFiles });
      refuseLeftOvers(copy, 'the copy of the backup could not be finished: free space on that disk');
      const before = present ? await credentialsOf(await copyTo(join(work, 'present.sqlite'), database)) : undefined;
      const kept = present ? await keep(database, now(), work) : undefined;
      await replaceFile(copy, database);
      return {
        tenants: backup.copied,
        credentials: compareCredentials(backup, before),
        compared: before !== undefined,
        ...backup.told,
        ...(kept !== undefined && { kept }),
        removed,
      };
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  } finally {
    await release();
  }
}

function refuseLeftOvers(database: string, why: string): void {
  const found = LEFT_OVER.map((ending) => `${database}${ending}`).find((file) => existsSync(file));
  if (found !== undefined) throw new ProblemError('invalid_config', `"${found}" lies there, ${why}.`);
}

async function copyTo(copy: string, file: string): Promise<string> {
  await copyFile(file, copy, constants.COPYFILE_FICLONE);
  await chmod(copy, 0o600);
  return copy;
}

/** Checks a copy of the backup and migrates it to the present schema. */
async function readBackup(
  copy: string,
  file: string,
  { now, signer, logFiles }: Pick<SetBackFiles, 'logFiles'> & { now: () => number; signer: EpochSigner | undefined },
): Promise<{
  copied: CopiedTenant[];
  tenants: TenantRow[];
  credentials: CredentialRow[];
  told: Pick<Restored, 'epoch' | 'former_epoch' | 'enabled' | 'log_ends_at'>;
}> {
  const name = `The backup "${file}"`;
  const copied = await checkDatabase(copy, name);
  const store = await openSqliteFile(copy).catch((error: unknown) => {
    throw cannotOpen(name, error);
  });
  try {
    const { tenants, bundleKeys } = await readStore(store, { slicing: new TimeSlicing(() => performance.now()) }, now);
    await tenants.assertAsCommitted();
    const known = logFiles && (await goodCredentials(store, logFiles));
    const { disabled: _, ...done } = await setBack(store, now(), signer, known);
    const { epochName: former_epoch } = bundleKeys;
    const former = done.epoch === undefined && former_epoch !== undefined ? { former_epoch } : {};
    return { copied, tenants: tenants.list(), credentials: await store.credentials(), told: { ...done, ...former } };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw new ProblemError(error.code, `${name} cannot be restored. ${error.detail}`, error.errors, { cause: error });
  } finally {
    await store.close();
  }
}

/** Undefined if they cannot be read: the replaced database may be damaged, which is often why it is replaced. */
async function credentialsOf(copy: string): Promise<CredentialRow[] | undefined> {
  try {
    const store = await openSqliteFile(copy);
    return await store.credentials().finally(() => store.close());
  } catch {
    return undefined;
  }
}

/** Gives the file, or a whole copy of it, a second name, which it keeps when another file takes the first one. */
async function keep(database: string, now: number, work: string): Promise<string> {
  const kept = join(dirname(database), `${KEPT_PREFIX}${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`);
  try {
    await link(database, kept);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await rename(await copyTo(join(work, 'kept.sqlite'), database), kept);
  }
  return kept;
}
