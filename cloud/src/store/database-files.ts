import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DISK_FAULTS } from './disk-faults.js';
import type { StorageFault } from './storage-fault.js';
import type { DatabaseHolder } from './watched-store.js';

/** A disk with less free space is reported as full: SQLite needs some for the smallest commit. */
const FREE_BYTES_MIN = 1024 * 1024;

/** The files of an open database, by the names in the folder that they were opened in. */
export class DatabaseFiles implements DatabaseHolder {
  private constructor(
    private readonly filename: string,
    private readonly identities: ReadonlyMap<string, string>,
  ) {}

  /** The database is open in WAL mode. */
  static async of(filename: string): Promise<DatabaseFiles> {
    const identities = new Map<string, string>();
    for (const file of [filename, `${filename}-wal`]) identities.set(file, await identityOf(file));
    return new DatabaseFiles(filename, identities);
  }

  /**
   * The reason why commits would be lost: if somebody removes or replaces an open file, its process goes on writing to
   * a file that disappears with it.
   */
  async displaced(): Promise<StorageFault | undefined> {
    for (const [file, identity] of this.identities) {
      if ((await identityOf(file)) !== identity) return DISK_FAULTS.DISPLACED;
    }
    return undefined;
  }

  /** The file system's reason against writing here, found without writing. */
  async unwritable(): Promise<StorageFault | undefined> {
    try {
      await access(this.filename, constants.W_OK);
    } catch {
      return DISK_FAULTS.SQLITE_READONLY;
    }
    const disk = await statfs(dirname(this.filename)).catch(() => undefined);
    if (disk === undefined) return DISK_FAULTS.SQLITE_IOERR;
    const { bsize, blocks, bavail, bfree } = disk;
    // Root may use reserved blocks, and some file systems have no count.
    const free = process.getuid?.() === 0 ? bfree : bavail;
    return blocks > 0 && free * bsize < FREE_BYTES_MIN ? DISK_FAULTS.SQLITE_FULL : undefined;
  }
}

/** Stays the same as long as the name leads to the same file. */
async function identityOf(file: string): Promise<string> {
  return await stat(file, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    ({ code }: NodeJS.ErrnoException) => code ?? 'unknown',
  );
}
