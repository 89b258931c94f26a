import { faultText, type StorageFault, storageFailed } from './storage-fault.js';
import type { Store, Writability } from './store.js';

const WRITES: ReadonlySet<string> = new Set<keyof Store>([
  'createTenant',
  'deleteTenant',
  'commit',
  'locked',
  'atOnce',
  'noteOrigins',
  'saveIdempotent',
  'purgeIdempotent',
  'pruneHistory',
  'pruneAudit',
  'eraseHistory',
  'disableCredentials',
  'enableCredentials',
  'addSession',
  'touchSession',
  'endSession',
  'endAllSessions',
  'purgeSessions',
  'addLink',
  'takeLink',
  'addSigningKey',
  'addBundleKey',
  'addEpoch',
  'noteAgents',
  'noteUnlisted',
  'distrustAgents',
  'retireAgents',
  'noteRefusedAgent',
  'forgetAgents',
  'addSignOff',
  'noteCredentialUses',
  'noteUse',
]);

/** The holder of the database. */
export interface DatabaseHolder {
  /** The reason why commits would be lost. */
  displaced(): Promise<StorageFault | undefined>;
  /** The reason against writing here, found without writing. */
  unwritable(): Promise<StorageFault | undefined>;
}

/** Methods that tell whether the database answers, and those that do not ask it. */
const ALWAYS: ReadonlySet<string> = new Set<keyof Store>(['position', 'close']);

export interface Watching {
  /** The reason why nothing should be asked of the database now; absent where that is never so. */
  silence?(): StorageFault | undefined;
  /** The fault behind an error. */
  fault(error: unknown): StorageFault | undefined;
  place: DatabaseHolder;
  /** Writes something meaningless. */
  probe(): Promise<unknown>;
}

/**
 * The operations of a store, whose failures are those of `storageFailed` if what holds the database fails, and which tell
 * whether it can be written. They write nothing once the database is no longer in its place.
 */
export function watchedStore<T extends object>(store: T, watching: Watching): T & Pick<Store, 'writability'> {
  const { fault: faultOf, place, probe } = watching;
  /** Why the last write failed; whether the next one succeeds can only be tried. */
  let failed: StorageFault | undefined;
  const run = async (name: string, work: () => Promise<unknown>): Promise<unknown> => {
    const writing = WRITES.has(name);
    const silence = ALWAYS.has(name) ? undefined : watching.silence?.();
    if (silence) throw storageFailed(silence, { writing });
    const displaced = writing ? await place.displaced() : undefined;
    if (displaced) throw storageFailed(displaced, { writing });
    try {
      return await work();
    } catch (cause) {
      const fault = faultOf(cause);
      if (fault === undefined) throw cause;
      if (writing) failed = fault;
      throw storageFailed(fault, { writing, cause });
    }
  };
  const watched = Object.entries(store).map(([name, work]): [string, unknown] => [
    name,
    typeof work === 'function' ? (...args: unknown[]) => run(name, () => work(...args)) : work,
  ]);

  const retry = async (): Promise<StorageFault | undefined> => {
    if (failed === undefined) return undefined;
    failed = await probe().then(
      () => undefined,
      (error: unknown) => faultOf(error) ?? failed,
    );
    return failed;
  };
  const writability = async (): Promise<Writability> => {
    const fault = (await place.displaced()) ?? (await place.unwritable()) ?? (await retry());
    return fault === undefined ? { writable: true } : { writable: false, reason: faultText(fault) };
  };
  return { ...Object.fromEntries(watched), writability } as T & Pick<Store, 'writability'>;
}
