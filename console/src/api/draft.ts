import type { Change } from '@authz-service/sdk/wire';
import { useSyncExternalStore } from 'react';
import { type Draft, ofEmptied } from './drafted-changes.js';

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
  const { owner, stack, changes } = ofEmptied(current, draft, CONSOLE_STACK);
  keep(changes.length === 0 ? { ...EMPTY, owner, stack } : { ...draft, key });
}

/** Saves what `draft` has become, unless the draft is another one by now. */
export function saveIfSame(draft: Draft, next: Draft): void {
  if (current.key === draft.key) saveDraft(next);
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
