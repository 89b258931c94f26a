import type { CredentialIndex } from '../auth/credential-index.js';
import type { Store, StorePosition } from '../store/store.js';

/** Commits that a process has seen and the database lacks. */
export interface DatabaseLoss {
  /** The ids of the tenants that are at an earlier revision. */
  tenants: string[];
  /** Describes one of them: `it is at revision 735 of the tenant …, and this replica has seen 738`. */
  text: string;
}

/** Undefined where the database has all that is known here. */
export async function findLoss(
  { store, credentials }: { store: Pick<Store, 'position'>; credentials: CredentialIndex },
  { revisions }: StorePosition,
): Promise<DatabaseLoss | undefined> {
  const isAhead = (id: string, at: StorePosition['revisions']) => {
    const known = credentials.revisionOf(id);
    return known > (at.get(id) ?? known);
  };
  const ahead = [...revisions.keys()].filter((id) => isAhead(id, revisions));
  if (ahead.length === 0) return undefined;
  // A commit may have been made here since that look.
  const again = (await store.position()).revisions;
  const tenants = ahead.filter((id) => isAhead(id, again));
  const [first] = tenants;
  if (first === undefined) return undefined;
  const seen = credentials.revisionOf(first);
  return {
    tenants,
    text: `it is at revision ${again.get(first)} of the tenant ${first}, and this replica has seen ${seen}`,
  };
}

/** The loss and its remedy in words. */
export function lossText({ text }: DatabaseLoss): string {
  return `The database lacks commits: ${text}. A standby took over without them, or a backup was put in place. If this database shall count, run "servicectl cloud declare-epoch", or "servicectl cloud disable-credentials" with --epoch-key: all replicas follow without a restart`;
}
