import type { Address, Change } from '@authz-service/sdk/wire';

/** Edits that are collected in this tab until they are taken to Git or committed. */
export interface Draft {
  /** Whose it is, as `TENANT/PERSON`; empty as long as nobody has signed in. */
  owner: string;
  /** The stack that the changes belong to. */
  stack: string;
  /** The revision that they were made for; empty while there are none. */
  base: string;
  changes: Change[];
  /** Another one for other changes: a commit whose answer was lost can be sent again, and is done once. */
  key: string;
}

/**
 * The draft with one more change, made from the records of the revision `base`; a later change of the same record takes
 * the place of the one before. The draft is then for the earlier of both revisions: taken to the newest one, it is merged
 * with all that others have committed since.
 */
export function withChange(draft: Draft, change: Change, base: string): Draft {
  const others = draft.changes.filter((one) => addressOf(one) === undefined || addressOf(one) !== addressOf(change));
  return { ...draft, base: earlier(draft.base, base), changes: [...others, change] };
}

/** An empty draft becomes one of the stack that the first changed record belongs to; what is nobody's, the console commits. */
export function forOwner(draft: Draft, owner: string | undefined, nobodys: string): Draft {
  if (draft.changes.length > 0 || owner === undefined) return draft;
  return { ...draft, stack: owner === 'api' ? nobodys : owner };
}

/** A draft whose last change was taken out is for `nobodys` again; one that was empty before is for the stack that was typed. */
export function ofEmptied(before: Draft, after: Draft, nobodys: string): Draft {
  return before.changes.length > 0 && after.changes.length === 0 ? { ...after, stack: nobodys } : after;
}

/** The draft with `after` in the place of `before`, or besides the others where `before` is no longer in it. */
export function withReplaced(draft: Draft, before: Change, after: Change, base: string): Draft {
  const at = draft.changes.findIndex((one) => isSameChange(one, before));
  return at < 0 ? withChange(draft, after, base) : { ...draft, changes: draft.changes.with(at, after) };
}

/** The records that the draft changes in another way than `changes` would. */
export function changedOtherwise(draft: Draft, changes: readonly Change[]): Address[] {
  return changes.flatMap((change) => {
    const address = addressOf(change);
    const drafted = draft.changes.find((one) => addressOf(one) === address);
    return address === undefined || drafted === undefined || isSameChange(drafted, change) ? [] : [address];
  });
}

function isSameChange(left: Change, right: Change): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Compares two revisions `NUMBER.DIGEST`, and returns the earlier; the draft's if both have one number. */
function earlier(drafted: string, base: string): string {
  return drafted === '' || Number.parseInt(base, 10) < Number.parseInt(drafted, 10) ? base : drafted;
}

/** The fields that the draft gives the record, if it changes some. */
export function draftedFields({ changes }: Draft, address: Address): Record<string, unknown> | undefined {
  const change = changes.find((one) => one.op === 'update' && one.address === address);
  return change?.op === 'update' ? change.fields : undefined;
}

/** Returns the address of the record that a change is about; what is created has none yet. */
export function addressOf(change: Change): Address | undefined {
  if (change.op === 'create') return undefined;
  return change.op === 'move' ? change.from : change.address;
}

/** A change in a few words: `group/finance`, or the kind and the fields of what is created. */
export function titleOfChange(change: Change): string {
  if (change.op !== 'create') return addressOf(change) ?? '';
  const { application, name, id, type, role, policy, group, entity } = change.fields;
  const parts = [application, type, role, policy, group, entity, name, id].filter((part) => part !== undefined);
  return `${change.kind}/${parts.join('/')}`;
}
