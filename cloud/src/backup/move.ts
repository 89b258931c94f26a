import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import { revisionText } from '@authz-service/core/state/revision';
import type { CopiedTenant } from '../store/copy-database.js';
import { DATABASE } from '../store/database-name.js';
import { lockFolder } from '../store/folder-lock.js';
import type { LoadedTenant } from '../store/loaded-tenant.js';
import { copyRows, type Verify } from '../store/postgres/copy-rows.js';
import type { PostgresPlace } from '../store/postgres/postgres.js';
import { cannotOpen, connectSqlite, openSqliteFile } from '../store/sqlite.js';
import { readTenant } from '../tenants/read-tenant.js';

/** The counts of what was moved. */
export interface Moved {
  tenants: CopiedTenant[];
  rows: number;
}

/**
 * Copies the SQLite database in a folder, which no cloud may have open, to an empty PostgreSQL database. Every tenant is read
 * there and has the digests that its newest commit recorded, or nothing is copied. The SQLite database stays as it is.
 */
export async function moveToPostgres(dataDir: string, { address }: PostgresPlace): Promise<Moved> {
  const filename = join(dataDir, DATABASE);
  if (!existsSync(filename))
    throw new ProblemError('invalid_config', `There is no database in "${dataDir}": name the folder of the cloud.`);
  const release = await lockFolder(dataDir);
  try {
    // It gets the same migrations first.
    const store = await openSqliteFile(filename).catch((error: unknown) => {
      throw cannotOpen(`The data directory "${dataDir}"`, error);
    });
    await store.close();
    const source = connectSqlite(filename);
    const tenants: CopiedTenant[] = [];
    const verify: Verify = async (rows, { source: before, target: after }) => {
      for (const row of rows) {
        await readTenant({ load: after }, row);
        const [from, to] = [await before(row.id), await after(row.id)];
        if (standOf(from) !== standOf(to))
          throw new Error(`the tenant "${row.name}" differs from the one in ${dataDir}`);
        tenants.push({ name: row.name, revision: revisionText(to.revision, to.committed?.digest ?? '') });
      }
    };
    try {
      const rows = await copyRows(source, address, verify);
      return { tenants, rows };
    } finally {
      await source.destroy();
    }
  } finally {
    await release();
  }
}

function standOf({ revision, rowDigest, committed }: LoadedTenant): string {
  return JSON.stringify([revision, rowDigest, committed]);
}
