import type { StorageFault } from './storage-fault.js';

/** By the error codes of SQLite, and one of the cloud's own. */
export const DISK_FAULTS = {
  SQLITE_FULL: {
    what: 'The disk of the cloud is full',
    remedy: 'free space where its data directory is',
  },
  SQLITE_BUSY: {
    what: 'Another process, such as a backup, blocks writing to the database of the cloud',
    remedy: 'wait until it ends',
    passing: true,
  },
  SQLITE_READONLY: {
    what: 'The disk of the cloud is read-only',
    remedy: 'make its data directory writable',
  },
  SQLITE_IOERR: {
    what: 'The disk of the cloud cannot be written or read',
    remedy: 'check the system log and repair the disk',
    uncertain: true,
  },
  SQLITE_CORRUPT: {
    what: 'The database file of the cloud is damaged',
    remedy: 'stop the cloud and restore a backup with "servicectl cloud restore"',
    uncertain: true,
  },
  DISPLACED: {
    what: 'The database file of the cloud has been removed or replaced',
    remedy: 'put the same file back, or stop the cloud and restore a backup',
  },
} as const satisfies Record<string, StorageFault>;

/** The fault behind an SQLite error. */
export function diskFaultOf(error: unknown): StorageFault | undefined {
  const code = String((error as { code?: unknown } | null)?.code);
  return Object.hasOwn(DISK_FAULTS, code) ? DISK_FAULTS[code as keyof typeof DISK_FAULTS] : undefined;
}
