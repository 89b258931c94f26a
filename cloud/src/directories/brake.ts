import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@authz-service/core/json/json';
import { ProblemError } from '@authz-service/core/problem';
import { type Address, splitAddress } from '@authz-service/core/records/address';
import { addressOf } from '@authz-service/core/records/registry';
import type { Change } from '@authz-service/core/state/change';
import type { DirectoryStore, HeldDecision, Loss, Losses } from '../store/directory-store.js';
import type { DirectoryView, MembershipRecord } from './directory-view.js';

const HOUR_MS = 60 * 60 * 1000;
/** How long what an operator has decided on a held change counts: clients repeat requests for some hours. */
export const DECIDED_MS = 24 * HOUR_MS;

export type Braked = 'removals' | 'groups_emptied' | 'suspensions';

export const NO_LOSS: Loss = { people: 0, renamed: 0, memberships: 0, groups: 0, suspended: 0 };

/** A change that would take away more in an hour than the directory may. */
export class HeldError extends ProblemError {
  constructor(
    readonly braked: Braked,
    detail: string,
    readonly changes: Change[],
    retryAfterSeconds: number,
  ) {
    super('not_ready', detail, [], { retryAfterSeconds });
  }
}

/** The losses by a directory in the last hour, and what an operator has decided on changes that were held. */
export class Brake {
  constructor(private readonly known: Losses) {}

  /** Reads it as of now. */
  static async read(store: DirectoryStore, tenant: string, directory: Address, now: number): Promise<Brake> {
    const [since, decidedSince] = [now - HOUR_MS, now - DECIDED_MS].map((at) => new Date(at).toISOString());
    return new Brake(await store.directoryLosses(tenant, directory, String(since), String(decidedSince)));
  }

  /** The losses in the last hour. */
  taken(now: number): Loss {
    return this.#within(now).reduce((sum, { loss }) => plus(sum, loss), NO_LOSS);
  }

  decided(id: string): HeldDecision | undefined {
    return this.known.decided.get(id);
  }

  /** Throws `HeldError` if this loss, with those before it and those of the same commit, is more than may be. */
  admit(view: DirectoryView, pending: Loss, { loss, changes }: { loss: Loss; changes: Change[] }): void {
    if (sizeOf(loss) === 0) return;
    const { directory, now, owner } = view;
    const before = this.#within(now);
    const past = this.taken(now);
    const all = plus(plus(past, pending), loss);
    const people = view.users.count(owner) + past.people;
    const memberships = view.memberships.count(owner) + past.memberships;
    const hold = (braked: Braked, what: string, most: number, of: string) => {
      const oldest = before[0] === undefined ? now : Date.parse(before[0].at);
      throw new HeldError(
        braked,
        `The directory "${directory.name}" would ${what} in an hour, and may at most ${most} ("${braked}": ${of}): "servicectl directory status ${directory.name}" shows what is held, and lets it through or discards it.`,
        changes,
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

  #within(now: number): Losses['losses'] {
    return this.known.losses.filter(({ at }) => Date.parse(at) > now - HOUR_MS);
  }
}

/** The id of changes that are held: that of the same changes in any order. */
export function heldId(changes: readonly Change[]): string {
  const texts = changes.map((change) => canonicalJson(change as unknown as Json)).sort();
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

/** The losses by the requests of one commit, each counted beside those before it. */
export class LossesOfCommit {
  /** The sum of those that are taken. */
  taken = NO_LOSS;
  /** By how many those make each group grow or shrink. */
  readonly #members = new Map<Address, number>();

  constructor(private readonly view: DirectoryView) {}

  /** Counts what the changes of a request take away; `take` adds what counts of it to those of the commit. */
  of(changes: readonly Change[]): { loss: Loss; take(counted: Loss): void } {
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
    const take = (counted: Loss) => {
      this.taken = plus(this.taken, counted);
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

export function plus(one: Loss, other: Loss): Loss {
  return {
    people: one.people + other.people,
    renamed: one.renamed + other.renamed,
    memberships: one.memberships + other.memberships,
    groups: one.groups + other.groups,
    suspended: one.suspended + other.suspended,
  };
}

export function sizeOf(loss: Loss): number {
  return Object.values(loss).reduce((sum, each) => sum + each, 0);
}

/** A share of so many, and at least one, so that who leaves a small company can be removed. */
function shareOf(share: string, count: number): number {
  return share === '0%' ? 0 : Math.max(1, Math.floor((Number.parseInt(share, 10) / 100) * count));
}
