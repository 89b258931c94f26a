export const REPLICA_STATES = ['current', 'behind', 'cut_off'] as const;

/** Whether a process is at the newest commits that it has heard of, reads them, or does not hear of its database. */
export type ReplicaState = (typeof REPLICA_STATES)[number];
