import type { EngineRecord } from '@authz-service/core/access/api/engine';
import type { RevisionRef } from '@authz-service/core/bundle/delta';
import type { ChangeText } from '@authz-service/core/bundle/delta-write';
import { recordText } from '@authz-service/core/bundle/record-text';
import { type Address, splitAddress } from '@authz-service/core/records/address';
import { kindRank } from '@authz-service/core/records/kinds';
import { revisionText } from '@authz-service/core/state/revision';
import type { KeptCommit } from '../store/store.js';

/** The limit for the newest commits of a tenant, all together. */
export interface JournalBounds {
  commits: number;
  changes: number;
  /** The length of the text, in UTF-16 units. */
  characters: number;
}

export const JOURNAL_BOUNDS: JournalBounds = { commits: 4096, changes: 40_000, characters: 12 * 1024 * 1024 };

/** The same for a slice, of which a tenant has many, and whose agents take no part of the way. */
export const SLICE_JOURNAL_BOUNDS: JournalBounds = { commits: 4096, changes: 10_000, characters: 4 * 1024 * 1024 };

type Changes = Map<Address, ChangeText>;

type AddressedRecord = EngineRecord & { address: Address };

/** A change of one address. */
export interface AddressedChange {
  before?: AddressedRecord | undefined;
  after?: AddressedRecord | undefined;
}

interface Entry {
  /** The tenant's revision before the commit. */
  base: RevisionRef;
  changes: Changes;
  characters: number;
}

/** Changes from one revision to a later one. */
export interface ChangesSince {
  base: RevisionRef;
  /** The later one, unless it is the newest. */
  to?: RevisionRef;
  changes: ChangeText[];
}

/** Keeps the newest commits of a tenant as texts, from which deltas are made for agents at one of these revisions. */
export class Journal {
  #entries: Entry[] = [];
  #changes = 0;
  #characters = 0;

  constructor(private readonly bounds: JournalBounds = JOURNAL_BOUNDS) {}

  /** Adds a commit on this base. A commit that exceeds the limit alone empties the journal. */
  note(base: RevisionRef, made: readonly AddressedChange[]): void {
    if (made.length > this.bounds.changes) {
      this.clear();
      return;
    }
    const changes = textsOf(made);
    const entry = { base, changes, characters: charactersOf(changes) };
    this.#entries.push(entry);
    this.#changes += changes.size;
    this.#characters += entry.characters;
    let dropped = 0;
    while (this.#entries.length - dropped > this.bounds.commits || this.#isOver()) {
      const oldest = this.#entries[dropped++];
      this.#changes -= oldest?.changes.size ?? 0;
      this.#characters -= oldest?.characters ?? 0;
    }
    if (dropped > 0) this.#entries = this.#entries.slice(dropped);
  }

  /**
   * The changes from a revision to a later one, in the order of deltas: to the newest, or else as far as they are `most` at most, but
   * past one commit at least. Undefined if they are not known. Changes that were reverted are left out.
   */
  since(revision: string, most = Number.POSITIVE_INFINITY): ChangesSince | undefined {
    // Most callers are close to the end.
    const first = this.#entries.findLastIndex(({ base }) => base.revision === revision);
    const base = this.#entries[first]?.base;
    if (base === undefined) return undefined;
    const all: Changes = new Map();
    let to: RevisionRef | undefined;
    for (const entry of this.#entries.slice(first)) {
      if (all.size > 0 && all.size + entry.changes.size > most) {
        to = entry.base;
        break;
      }
      for (const [address, { before, after }] of entry.changes) {
        const known = all.get(address);
        all.set(address, { before: known === undefined ? before : known.before, after });
      }
    }
    const changed = [...all].filter(([, { before, after }]) => before !== after);
    const changes = changed.sort(([one], [other]) => inOrder(one, other)).map(([, change]) => change);
    return { base, changes, ...(to && { to }) };
  }

  /** The number of changes since a revision, those of one address counted each time. */
  countSince(revision: string): number {
    const first = this.#entries.findLastIndex(({ base }) => base.revision === revision);
    return first < 0 ? 0 : this.#entries.slice(first).reduce((sum, { changes }) => sum + changes.size, 0);
  }

  /** Whether one of the commits was made on this revision. */
  knows(revision: string): boolean {
    return this.#entries.some(({ base }) => base.revision === revision);
  }

  /** Takes in commits that history holds, oldest first. */
  fill(commits: readonly KeptCommit[]): void {
    for (const { base, changes } of commits) {
      this.note({ revision: revisionText(base.revision, base.digest), digest: base.digest }, changes);
    }
  }

  clear(): void {
    this.#entries = [];
    this.#changes = 0;
    this.#characters = 0;
  }

  #isOver(): boolean {
    return this.#changes > this.bounds.changes || this.#characters > this.bounds.characters;
  }
}

function textsOf(made: readonly AddressedChange[]): Changes {
  const changes: Changes = new Map();
  for (const { before, after } of made) {
    const address = (before ?? after)?.address;
    if (address === undefined) continue;
    changes.set(address, { before: before && recordText(before), after: after && recordText(after) });
  }
  return changes;
}

function charactersOf(changes: Changes): number {
  let sum = 0;
  for (const { before = '', after = '' } of changes.values()) sum += before.length + after.length;
  return sum;
}

function inOrder(one: Address, other: Address): number {
  const ranks = kindRank(splitAddress(one).kind) - kindRank(splitAddress(other).kind);
  return ranks !== 0 ? ranks : one < other ? -1 : 1;
}
