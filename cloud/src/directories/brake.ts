import { ProblemError } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import type { Change } from '@authz-service/core/state/change';
import type { DirectoryView, MembershipRecord } from './directory-view.js';

const HOUR_MS = 60 * 60 * 1000;

/** Numbers of records that requests take away. */
export interface Loss {
  people: number;
  memberships: number;
  groups: number;
  suspended: number;
}

export type Braked = 'removals' | 'groups_emptied' | 'suspensions';

export const NO_LOSS: Loss = { people: 0, memberships: 0, groups: 0, suspended: 0 };

/** A change that would take away more in an hour than the directory may. */
export class HeldError extends ProblemError {
  constructor(
    readonly braked: Braked,
    detail: string,
    retryAfterSeconds: number,
  ) {
    super('not_ready', detail, [], { retryAfterSeconds });
  }
}

/** Counts what each directory has taken away in the last hour, as far as this process has committed it. */
export class Brake {
  readonly #losses = new Map<string, { at: number; loss: Loss }[]>();

  note(key: string, loss: Loss, at: number): void {
    if (sizeOf(loss) === 0) return;
    this.#losses.set(key, [...this.#within(key, at), { at, loss }]);
  }

  /** Throws `HeldError` if this loss, with those before it and those of the same commit, is more than may be. */
  admit(view: DirectoryView, key: string, pending: Loss, loss: Loss): void {
    if (sizeOf(loss) === 0) return;
    const { directory, now, owner } = view;
    const before = this.#within(key, now);
    const past = before.reduce((sum, { loss: one }) => plus(sum, one), NO_LOSS);
    const all = plus(plus(past, pending), loss);
    const people = view.users.count(owner) + past.people;
    const memberships = view.memberships.count(owner) + past.memberships;
    const hold = (braked: Braked, what: string, most: number, of: string) => {
      const oldest = before[0]?.at ?? now;
      throw new HeldError(
        braked,
        `The directory "${directory.name}" would ${what} in an hour, and may at most ${most} ("${braked}": ${of}). An operator lets it through by raising "${braked}" of ${owner}.`,
        Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1000)),
      );
    };
    const { removals, groups_emptied: emptied, suspensions } = directory;
    if (removals !== undefined) {
      const most = { people: shareOf(removals, people), memberships: shareOf(removals, memberships) };
      if (loss.people > 0 && all.people > most.people)
        hold('removals', `remove ${all.people} of ${people} people`, most.people, removals);
      // Who is removed takes along the memberships.
      if (loss.memberships > 0 && loss.people === 0 && all.memberships > most.memberships)
        hold('removals', `remove ${all.memberships} of ${memberships} memberships`, most.memberships, removals);
    }
    if (emptied !== undefined && loss.groups > 0 && all.groups > emptied)
      hold('groups_emptied', `empty or remove ${all.groups} groups`, emptied, String(emptied));
    if (suspensions !== undefined && loss.suspended > 0 && all.suspended > shareOf(suspensions, people))
      hold('suspensions', `suspend ${all.suspended} of ${people} people`, shareOf(suspensions, people), suspensions);
  }

  #within(key: string, now: number): { at: number; loss: Loss }[] {
    return (this.#losses.get(key) ?? []).filter(({ at }) => at > now - HOUR_MS);
  }
}

/** Counts what these changes take away. */
export function lossOf(view: DirectoryView, changes: readonly Change[]): Loss {
  const loss = { ...NO_LOSS };
  const members = new Map<Address, number>();
  const count = (group: string, by: number) => members.set(`group/${group}`, (members.get(`group/${group}`) ?? 0) + by);
  for (const change of changes) {
    if (change.op === 'create' && change.kind === 'group_membership')
      count(String((change.fields as { group: string }).group), 1);
    if (change.op !== 'delete' && change.op !== 'update') continue;
    const previous = view.state.get(change.address);
    const after = change.op === 'update' ? (change.fields as { entry?: object; suspended?: boolean }) : undefined;
    if (previous?.kind === 'group_membership') {
      loss.memberships++;
      count(previous.fields.group, -1);
    } else if (previous?.kind === 'subject' && after?.entry === undefined) loss.people++;
    else if (previous?.kind === 'subject' && after?.suspended && previous.fields.suspended === undefined)
      loss.suspended++;
    else if (previous?.kind === 'group' && after?.entry === undefined) loss.groups++;
  }
  for (const [group, by] of members) {
    const isGone = changes.some((change) => change.op === 'delete' && change.address === group);
    if (by < 0 && !isGone && isEmptied(view.membersOf(group), -by)) loss.groups++;
  }
  return loss;
}

/** Whether a group has no members but these many. */
function isEmptied(members: Iterable<MembershipRecord>, gone: number): boolean {
  let left = 0;
  for (const _ of members) if (++left > gone) return false;
  return true;
}

export function plus(one: Loss, other: Loss): Loss {
  return {
    people: one.people + other.people,
    memberships: one.memberships + other.memberships,
    groups: one.groups + other.groups,
    suspended: one.suspended + other.suspended,
  };
}

function sizeOf({ people, memberships, groups, suspended }: Loss): number {
  return people + memberships + groups + suspended;
}

/** A share of so many, and at least one, so that who leaves a small company can be removed. */
function shareOf(share: string, count: number): number {
  return share === '0%' ? 0 : Math.max(1, Math.floor((Number.parseInt(share, 10) / 100) * count));
}
