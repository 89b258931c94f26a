import { isCredential } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';

/** The owner of records that were created by single API calls instead of from a tree. */
export const BY_HAND = 'api';

/** The records of one tree. */
export interface StackTree {
  owner: string;
  /** A folder name for it that is unique on any file system. */
  folder: string;
  records: StoredRecord[];
}

/**
 * The records to export, by owner, because a tree has one owner. Records created by hand are left out, unless they are
 * asked for or there are no others; the tenant's first administrator is one of them, and does not belong in Git.
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

/** An owner's name may contain anything, even "../x". */
function folderFor(owner: string, taken: Set<string>): string {
  const readable = owner.replace(/[^\p{L}\p{N}_-]+/gu, '-').replace(/^-+|-+$/g, '') || 'unnamed';
  let folder = readable;
  for (let number = 2; taken.has(folder.toLowerCase()); number++) folder = `${readable}-${number}`;
  taken.add(folder.toLowerCase());
  return folder;
}
