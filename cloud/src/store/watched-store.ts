import { faultText, type StorageFault, storageFailed } from './storage-fault.js';
import type { Store, Writability } from './store.js';

/** The operations of a store that may wait for its database. */
type Operation = Exclude<keyof Store, 'shared' | 'writability' | 'listen'>;

/** How each operation uses the database. Those that are `always` run tell whether it answers, or do not ask it. */
const USES: Readonly<Record<Operation, 'reads' | 'writes' | 'always'>> = {
  position: 'always',
  locked: 'writes',
  alone: 'reads',
  atOnce: 'writes',
  tenants: 'reads',
  lostTenants: 'reads',
  createTenant: 'writes',
  deleteTenant: 'writes',
  tenantEvents: 'reads',
  tenantEventsAfter: 'reads',
  load: 'reads',
  origins: 'reads',
  audit: 'reads',
  historyStart: 'reads',
  findRevision: 'reads',
  readPast: 'reads',
  newestCommits: 'reads',
  eraseHistory: 'writes',
  pruneHistory: 'writes',
  pruneAudit: 'writes',
  credentials: 'reads',
  purgeIdempotent: 'writes',
  close: 'always',
  commit: 'writes',
  commitsSince: 'reads',
  credentialsSince: 'reads',
  noteOrigins: 'writes',
  findIdempotent: 'reads',
  saveIdempotent: 'writes',
  noteAgents: 'writes',
  noteUnlisted: 'writes',
  distrustAgents: 'writes',
  agents: 'reads',
  agentsBehind: 'reads',
  countAgents: 'reads',
  agentsByLag: 'reads',
  stragglers: 'reads',
  agentCredentials: 'reads',
  agentOwner: 'reads',
  noteRefusedAgent: 'writes',
  retireAgents: 'writes',
  forgetAgents: 'writes',
  disableCredentials: 'writes',
  setBackAt: 'reads',
  enableCredentials: 'writes',
  signInOffSince: 'reads',
  noteCredentialUses: 'writes',
  credentialUses: 'reads',
  epochs: 'reads',
  addEpoch: 'writes',
  signingKeys: 'reads',
  addSigningKey: 'writes',
  bundleKeys: 'reads',
  addBundleKey: 'writes',
  addSession: 'writes',
  findSession: 'reads',
  sessions: 'reads',
  touchSession: 'writes',
  endSession: 'writes',
  purgeSessions: 'writes',
  endAllSessions: 'writes',
  addLink: 'writes',
  takeLink: 'writes',
  directoryLosses: 'reads',
  noteHeld: 'writes',
  heldChanges: 'reads',
  decideHeld: 'writes',
  forgetHeld: 'writes',
  addSignOff: 'writes',
  findSignOff: 'reads',
  lastSignOffs: 'reads',
  signOffs: 'reads',
  claimLease: 'writes',
  leases: 'reads',
  removeLease: 'writes',
  tenantUse: 'reads',
  noteUse: 'writes',
};

/** The holder of the database. */
export interface DatabaseHolder {
  /** The reason why commits would be lost. */
  displaced(): Promise<StorageFault | undefined>;
  /** The reason against writing here, found without writing. */
  unwritable(): Promise<StorageFault | undefined>;
}

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
export function watchedStore<T extends Partial<Store>>(store: T, watching: Watching): T & Pick<Store, 'writability'> {
  const { fault: faultOf, place, probe } = watching;
  /** Why the last write failed; whether the next one succeeds can only be tried. */
  let failed: StorageFault | undefined;
  const run = async (operation: Operation, work: () => Promise<unknown>): Promise<unknown> => {
    const writing = USES[operation] === 'writes';
    const silence = USES[operation] === 'always' ? undefined : watching.silence?.();
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
  const watched = Object.entries<unknown>({ ...store }).map(([name, work]): [string, unknown] => [
    name,
    typeof work === 'function' ? (...args: unknown[]) => run(name as Operation, async () => work(...args)) : work,
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
