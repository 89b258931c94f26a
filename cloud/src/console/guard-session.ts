import { PROTECTED_APPLICATION } from '@authz-service/core/limits/judge-console';
import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import { type Address, splitAddress } from '@authz-service/core/records/address';
import { isCredential, type Kind } from '@authz-service/core/records/kinds';
import { definitionOf, type StoredRecord } from '@authz-service/core/records/registry';
import { NOBODY, type Staged } from '@authz-service/core/state/change';
import { onlySuspends } from '@authz-service/core/state/only-suspends';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import type { Credential } from '../auth/credential.js';

/** Whose records a session writes, besides those that are nobody's. */
export const CONSOLE_STACK = 'console';
const TO_GIT = 'take the change to Git, where the records are declared.';

interface SessionOrder {
  kinds: readonly Kind[];
  stack?: string;
  baseRevision?: string;
  takeOwnership?: boolean;
  exclusive?: boolean;
}

/**
 * The console changes no record that another stack declares: throws `not_owner` unless a session's commit is for the
 * stack of the console at a stated revision. Credentials are made outside of stacks, too.
 */
export function demandConsoleStack(
  credential: Credential,
  { kinds, stack, baseRevision, takeOwnership = false, exclusive = false }: SessionOrder,
): void {
  if (credential.session === undefined) return;
  const forConsole = stack === CONSOLE_STACK && baseRevision !== undefined;
  if (!takeOwnership && !exclusive && (forConsole || kinds.every(isCredential))) return;
  throw new ProblemError(
    'not_owner',
    `The console commits only for the stack "${CONSOLE_STACK}", with a base revision, and takes over or removes nothing of other stacks: commit a change-set that states both, or ${TO_GIT}`,
  );
}

/**
 * Throws `not_owner` where changes made in the console touch more of other stacks' records than a suspension, or give away what their owners do not
 * share; `applications` are those of the session's limits.
 */
export function guardSession(applications: readonly string[], state: Pick<TenantState, 'get'>, staged: Staged): void {
  const put = new Map<Address, StoredRecord>(staged.put.map(({ record }) => [record.address, record]));
  const faults: ProblemItem[] = [];
  for (const record of [
    ...staged.remove,
    ...staged.put
      .filter(({ record, previous }) => previous === undefined || !onlySuspends(previous, record.fields))
      .flatMap(({ record, previous }) => [record, previous ?? []]),
  ].flat())
    if (isForeign(record))
      faults.push({ pointer: '', address: record.address, detail: `belongs to the stack "${record.managed_by}"` });
  raise(faults, `which the console does not change: ${TO_GIT}`);

  const consenting = [PROTECTED_APPLICATION, ...applications];
  for (const { record } of staged.put)
    for (const target of givenBy(record)) {
      const given = put.get(target) ?? state.get(target);
      if (given === undefined || !isForeign(given) || isSharedWith(given, consenting)) continue;
      const detail = `would give "${target}", which belongs to the stack "${given.managed_by}"`;
      faults.push({ pointer: '', address: record.address, detail });
    }
  raise(
    faults,
    `which does not share it: have its owner list "${PROTECTED_APPLICATION}" in its shared_with, or ${TO_GIT}`,
  );
}

function isForeign({ managed_by: owner }: StoredRecord): boolean {
  return owner !== CONSOLE_STACK && owner !== NOBODY;
}

/**
 * The roles, groups and policies that a record gives or includes; and all that it uses of what decides over the console. An
 * access rule gives nothing to anybody: it may speak of everybody's.
 */
function givenBy(record: StoredRecord): Address[] {
  if (record.kind === 'access_rule') return [];
  const { references } = definitionOf(record.kind);
  return (references as (fields: unknown) => ReturnType<typeof references>)(record.fields)
    .filter(({ free, target }) => {
      const { kind, path } = splitAddress(target);
      const gives = kind === 'role' || kind === 'group' || kind === 'policy';
      return free !== true && (gives || path.split('/')[0] === PROTECTED_APPLICATION);
    })
    .map(({ target }) => target);
}

function isSharedWith({ fields }: StoredRecord, applications: readonly string[]): boolean {
  const shared = 'shared_with' in fields ? fields.shared_with : undefined;
  return shared?.some((application) => applications.includes(application)) ?? false;
}

/** The first fault in words; the answer lists the first hundred. */
function raise(faults: readonly ProblemItem[], remedy: string): void {
  const [first] = faults;
  if (first === undefined) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  throw new ProblemError('not_owner', `"${first.address}" ${first.detail}${more}, ${remedy}`, faults.slice(0, 100));
}
