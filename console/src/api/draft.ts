import type { Address, Change } from '@authz-service/sdk/wire';
import { useSyncExternalStore } from 'react';

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

/** The only stack that the console commits for: those of others are changed where they are declared. */
export const CONSOLE_STACK = 'console';

const KEY = 'console-draft';
const EMPTY: Draft = { owner: '', stack: CONSOLE_STACK, base: '', changes: [], key: '' };
const listeners = new Set<() => void>();
let current = read();

/** Kept for the tab alone: another tab has a draft of its own. */
function read(): Draft {
  try {
    return { ...EMPTY, ...(JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Partial<Draft>) };
  } catch {
    return EMPTY;
  }
}

export function saveDraft(draft: Draft): void {
  const key = crypto.randomUUID();
  keep(draft.changes.length === 0 ? { ...EMPTY, owner: draft.owner, stack: draft.stack } : { ...draft, key });
}

/** Takes what has been committed out of the draft; what was added meanwhile stays, for the revision that the commit made. */
export function dropCommitted(changes: readonly Change[], revision: string): void {
  const done = new Set(changes.map((change) => JSON.stringify(change)));
  const left = current.changes.filter((change) => !done.has(JSON.stringify(change)));
  saveDraft({ ...current, base: revision, changes: left });
}

/** Drops a draft that somebody else left in this tab. */
export function keepDraftOf(owner: string): void {
  if (current.owner !== owner) keep({ ...EMPTY, owner });
}

function keep(draft: Draft): void {
  current = draft;
  sessionStorage.setItem(KEY, JSON.stringify(current));
  for (const listener of listeners) listener();
}

export function useDraft(): Draft {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

/** The draft with one more change; a later change of the same record takes the place of the one before. */
export function withChange(draft: Draft, change: Change, base: string): Draft {
  const others = draft.changes.filter((one) => addressOf(one) === undefined || addressOf(one) !== addressOf(change));
  return { ...draft, base: draft.base === '' ? base : draft.base, changes: [...others, change] };
}

/** The fields that the draft gives the record, if it changes some. */
export function draftedFields({ changes }: Draft, address: Address): Record<string, unknown> | undefined {
  const change = changes.find((one) => one.op === 'update' && one.address === address);
  return change?.op === 'update' ? change.fields : undefined;
}

/** What a change is about; what is created has no address yet. */
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
