import { isCredential } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';

/** The owner of what was made by single calls instead of from a tree. */
export const BY_HAND = 'api';

/** What one tree declares. */
export interface StackTree {
  owner: string;
  /** A folder's name for it, unlike the others' on any file system. */
  folder: string;
  records: StoredRecord[];
}

/**
 * The records to export, apart by owner, for a tree has one owner. What was made by hand is left out, unless it is
 * asked for or all there is; the tenant's first administrator is of that kind, and nobody means to keep it in Git.
 */
export function chooseStacks(
  records: readonly StoredRecord[],
  only: string | undefined,
): { trees: StackTree[]; leftOut: number } {
  const wanted = records.filter((record) =>
    only === undefined ? record.managed_by !== BY_HAND : record.managed_by === only,
  );
  if (only !== undefined || wanted.length > 0) {
    return { trees: apart(wanted), leftOut: only === undefined ? records.length - wanted.length : 0 };
  }
  const byHand = records.filter((record) => !isCredential(record.kind));
  return { trees: apart(byHand), leftOut: records.length - byHand.length };
}

function apart(records: readonly StoredRecord[]): StackTree[] {
  const owners = [...new Set(records.map((record) => record.managed_by))].sort();
  const taken = new Set<string>();
  return owners.map((owner) => ({
    owner,
    folder: folderFor(owner, taken),
    records: records.filter((record) => record.managed_by === owner),
  }));
}

/** An owner's name may hold anything, "../x" too. */
function folderFor(owner: string, taken: Set<string>): string {
  const readable = owner.replace(/[^\p{L}\p{N}_-]+/gu, '-').replace(/^-+|-+$/g, '') || 'unnamed';
  let folder = readable;
  for (let number = 2; taken.has(folder.toLowerCase()); number++) folder = `${readable}-${number}`;
  taken.add(folder.toLowerCase());
  return folder;
}
