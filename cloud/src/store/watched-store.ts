import type { DatabaseFiles } from './database-files.js';
import { type DiskFault, diskFaultOf, faultText, storageFailed } from './disk-faults.js';
import type { Store, Writability } from './store.js';

const WRITES: ReadonlySet<string> = new Set<keyof Store>([
  'createTenant',
  'deleteTenant',
  'commit',
  'saveIdempotent',
  'purgeIdempotent',
  'pruneHistory',
  'eraseHistory',
  'addSession',
  'touchSession',
  'endSession',
  'endAllSessions',
  'purgeSessions',
  'addLink',
  'takeLink',
  'addSigningKey',
  'addBundleKey',
]);

/**
 * The store, whose failures are `storage_failed` if the disk or the file fails, and which tells whether it can be
 * written. It writes nothing once its file is no longer in place. `probe` writes something meaningless.
 */
export function watchedStore(
  store: Omit<Store, 'writability'>,
  files: DatabaseFiles,
  probe: () => Promise<unknown>,
): Store {
  /** Why the last write failed; whether the next one succeeds can only be tried. */
  let failed: DiskFault | undefined;
  const run = async (work: () => Promise<unknown>, writing: boolean): Promise<unknown> => {
    const displaced = writing ? await files.displaced() : undefined;
    if (displaced) throw storageFailed(displaced, { writing });
    try {
      return await work();
    } catch (cause) {
      const fault = diskFaultOf(cause);
      if (fault === undefined) throw cause;
      if (writing) failed = fault;
      throw storageFailed(fault, { writing, cause });
    }
  };
  type Work = (...args: unknown[]) => Promise<unknown>;
  const watched = Object.entries<Work>(store as never).map(([name, work]): [string, Work] => [
    name,
    (...args) => run(() => work(...args), WRITES.has(name)),
  ]);

  const retry = async (): Promise<DiskFault | undefined> => {
    if (failed === undefined) return undefined;
    failed = await probe().then(
      () => undefined,
      (error: unknown) => diskFaultOf(error) ?? failed,
    );
    return failed;
  };
  const writability = async (): Promise<Writability> => {
    const fault = (await files.displaced()) ?? (await files.unwritable()) ?? (await retry());
    return fault === undefined ? { writable: true } : { writable: false, reason: faultText(fault) };
  };
  return { ...Object.fromEntries(watched), writability } as Store;
}
