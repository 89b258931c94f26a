import { ProblemError } from '@authz-service/core/problem';
import { type Address, splitAddress } from '@authz-service/core/records/address';
import { addressOf } from '@authz-service/core/records/registry';
import type { Change } from '@authz-service/core/state/change';
import type { DirectoryView, MembershipRecord } from './directory-view.js';

const HOUR_MS = 60 * 60 * 1000;

/** Numbers of records that requests take away. */
export interface Loss {
  people: number;
  /** Subjects that get another id: who acts by the old one has lost all. */
  renamed: number;
  memberships: number;
  groups: number;
  suspended: number;
}

export type Braked = 'removals' | 'groups_emptied' | 'suspensions';

const NO_LOSS: Loss = { people: 0, renamed: 0, memberships: 0, groups: 0, suspended: 0 };

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
      const gone = all.people + all.renamed;
      if (loss.people + loss.renamed > 0 && gone > most.people)
        hold('removals', `remove or rename ${gone} of ${people} people`, most.people, removals);
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

/** The losses by the requests of one commit, each counted beside those before it. */
export class LossesOfCommit {
  /** The sum of those that are taken. */
  taken = NO_LOSS;
  /** By how many those make each group grow or shrink. */
  readonly #members = new Map<Address, number>();

  constructor(private readonly view: DirectoryView) {}

  /** Counts what the changes of a request take away; `take` adds it to those of the commit. */
  of(changes: readonly Change[]): { loss: Loss; take(): void } {
    const loss = { ...NO_LOSS };
    const sources = sourcesOf(this.view, changes);
    const before = (address: Address) => sources.get(address) ?? address;
    const members = new Map<Address, number>();
    const count = (path: string, by: number) => {
      const group = before(`group/${path}`);
      members.set(group, (members.get(group) ?? 0) + by);
    };
    const gone = new Set<Address>();
    for (const change of changes) {
      if (change.op === 'create' && change.kind === 'group_membership')
        count(String((change.fields as { group: string }).group), 1);
      if (change.op === 'move' && splitAddress(change.to).kind === 'subject') loss.renamed++;
      if (change.op !== 'delete' && change.op !== 'update') continue;
      const previous = this.view.state.get(before(change.address));
      const after = change.op === 'update' ? (change.fields as { entry?: object; suspended?: boolean }) : undefined;
      if (previous?.kind === 'group_membership') {
        loss.memberships++;
        count(previous.fields.group, -1);
      } else if (previous?.kind === 'subject' && after?.entry === undefined) loss.people++;
      else if (previous?.kind === 'subject' && after?.suspended && !previous.fields.suspended) loss.suspended++;
      else if (previous?.kind === 'group' && after?.entry === undefined) gone.add(previous.address);
    }
    loss.groups = gone.size;
    for (const [group, by] of members) {
      const left = by + (this.#members.get(group) ?? 0);
      if (by < 0 && left < 0 && !gone.has(group) && isEmptied(this.view.membersOf(group), -left)) loss.groups++;
    }
    const take = () => {
      this.taken = plus(this.taken, loss);
      for (const [group, by] of members) this.#members.set(group, (this.#members.get(group) ?? 0) + by);
    };
    return { loss, take };
  }
}

/** The addresses that these moves give to people, groups and memberships, and those that they had before. */
function sourcesOf(view: DirectoryView, changes: readonly Change[]): Map<Address, Address> {
  const sources = new Map<Address, Address>();
  for (const change of changes) {
    if (change.op !== 'move') continue;
    const { from, to } = change;
    sources.set(to, from);
    const { kind, path: group } = splitAddress(to);
    if (kind !== 'group') continue;
    for (const { address, fields } of view.membersOf(from))
      sources.set(addressOf('group_membership', { ...fields, group }), address);
  }
  return sources;
}

/** Whether a group has no members but these many. */
function isEmptied(members: Iterable<MembershipRecord>, gone: number): boolean {
  let left = 0;
  for (const _ of members) if (++left > gone) return false;
  return true;
}

function plus(one: Loss, other: Loss): Loss {
  return {
    people: one.people + other.people,
    renamed: one.renamed + other.renamed,
    memberships: one.memberships + other.memberships,
    groups: one.groups + other.groups,
    suspended: one.suspended + other.suspended,
  };
}

function sizeOf(loss: Loss): number {
  return Object.values(loss).reduce((sum, each) => sum + each, 0);
}

/** A share of so many, and at least one, so that who leaves a small company can be removed. */
function shareOf(share: string, count: number): number {
  return share === '0%' ? 0 : Math.max(1, Math.floor((Number.parseInt(share, 10) / 100) * count));
}
