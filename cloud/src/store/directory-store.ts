import type { Change } from '@authz-service/core/state/change';

/** Numbers of records that the requests of a directory take away. */
export interface Loss {
  people: number;
  /** Subjects that get another id: who acts by the old one has lost all. */
  renamed: number;
  memberships: number;
  groups: number;
  suspended: number;
}

/** The losses by the commits of a directory. */
export interface Losses {
  losses: { at: string; loss: Loss }[];
  /** The decisions of operators on changes that were held, by their ids. */
  decided: ReadonlyMap<string, HeldDecision>;
}

export type HeldDecision = 'released' | 'discarded';

/** A change that a directory asked for and its brake held. */
export interface HeldChange {
  /** SHA-256 over the changes. */
  id: string;
  /** The field of the directory that holds it. */
  braked: string;
  detail: string;
  changes: Change[];
  state: 'held' | HeldDecision;
  /** When the directory asked for it first, and last. */
  first_at: string;
  last_at: string;
}

/** The part of the store that holds what the brakes of directories know. A directory is named by its address. */
export interface DirectoryStore {
  /** Reads what the directory has taken away in commits later than `since`, and what was decided after `decidedSince`. */
  directoryLosses(tenant: string, directory: string, since: string, decidedSince: string): Promise<Losses>;
  /** Notes changes that were held; of those that are known, the time. Keeps a bounded number. */
  noteHeld(tenant: string, directory: string, held: readonly Omit<HeldChange, 'state' | 'first_at'>[]): Promise<void>;
  /** The held changes and those that were decided on after `since`, the oldest first. */
  heldChanges(tenant: string, directory: string, since: string): Promise<HeldChange[]>;
  /** Decides on what is held, at a time; returns how many changes these were. */
  decideHeld(tenant: string, directory: string, decision: HeldDecision, at: string): Promise<number>;
  /** Forgets changes that were let through. */
  forgetHeld(tenant: string, directory: string, ids: readonly string[]): Promise<void>;
}
