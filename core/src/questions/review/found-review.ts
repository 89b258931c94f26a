import { createHash } from 'node:crypto';
import type { AccessWays } from './access-ways.js';
import type { PossibleWays } from './possible-ways.js';
import type { FoundRow } from './review-rows.js';
import type { GrantPath, ReviewedAccess, ReviewRow } from './reviewed-access.js';
import type { StatedMember } from './subject-statements.js';

/** The most ways that are shown of a row of one subject, and of one for which no tried request shows a way. */
const WAYS_SHOWN = 10;

/** Which of a review is listed. */
export interface ReviewList {
  /**
   * `rows`: what a group, a role or everyone gives its members is one row each. `subjects`: all subjects with a record by
   * themselves, with a row for each membership by which they have something.
   */
  readonly list: 'rows' | 'subjects';
  /** The id of a row: only its members, as `subjects`. */
  readonly row?: string | undefined;
  /**
   * Only those with all of these words: in what a row says, in a resource or member of it, or in a group, role, policy or
   * place that it may be due to.
   */
  readonly words?: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** A page of a review. */
export interface ReviewPage {
  readonly rows: readonly ReviewRow[];
  /** How many rows there are in the whole review. */
  readonly row_count: number;
  /** How many rows have the words, and how many they are with each subject listed by itself. */
  readonly listed: { readonly rows: number; readonly subjects: number };
  /** False if there was too much to look at. */
  readonly complete: boolean;
}

/** The part of a review that a sign-off keeps. */
export interface SignedReview {
  readonly row_count: number;
  /** SHA-256 over the ids of all rows, one a line. */
  readonly rows_digest: string;
  /** The rows and members of rows with the ids that were asked for, as far as the review has them, in their order. */
  readonly marked: readonly ReviewedAccess[];
  readonly complete: boolean;
}

/** A row, or of its members those who have all words. */
interface Listed {
  readonly row: FoundRow;
  readonly members: readonly StatedMember[];
}

/** Who has access in a scope, listed as it is asked for. */
export class FoundReview {
  readonly #ways = new Map<FoundRow, readonly GrantPath[]>();
  readonly #byId = new Map<string, FoundRow>();
  #last: { words: string; listed: readonly Listed[] };

  constructor(
    private readonly rows: readonly FoundRow[],
    private readonly complete: boolean,
    private readonly ways: AccessWays,
    private readonly possible: PossibleWays,
  ) {
    for (const row of rows) this.#byId.set(row.id, row);
    this.#last = { words: '', listed: rows.map((row) => ({ row, members: row.members })) };
  }

  /** Undefined if it has no row of the id that is asked for. */
  page({ list, row, words = '', offset, limit }: ReviewList): ReviewPage | undefined {
    if (row !== undefined && !this.#byId.has(row)) return undefined;
    const all = this.#withWords(words);
    const listed = row === undefined ? all : all.filter((one) => one.row.id === row);
    const subjects = listed.reduce((sum, one) => sum + linesOf(one), 0);
    const rows =
      list === 'rows' && row === undefined
        ? listed.slice(offset, offset + limit).map((one) => this.#shown(one.row))
        : [...this.#lines(listed, offset, limit)];
    const counts = { row_count: this.rows.length, listed: { rows: listed.length, subjects } };
    return { rows, ...counts, complete: this.complete };
  }

  /** Returns what is signed off, with the rows and members of rows that are marked. */
  signed(marked: readonly string[]): SignedReview {
    const digest = createHash('sha256').update(this.rows.map(({ id }) => id).join('\n'));
    return {
      row_count: this.rows.length,
      rows_digest: digest.digest('hex'),
      marked: marked.flatMap((id) => this.#find(id) ?? []),
      complete: this.complete,
    };
  }

  #find(id: string): ReviewedAccess | undefined {
    const row = this.#byId.get(id.split('-')[0] ?? id);
    if (row === undefined) return undefined;
    if (row.id === id) return this.#said(row);
    const member = row.members.find(({ path }) => memberId(row, path) === id);
    return member && this.#saidOf(row, member);
  }

  /** Subjects by themselves from `offset` on. */
  *#lines(listed: readonly Listed[], offset: number, limit: number): Generator<ReviewRow, void> {
    let [skip, left] = [offset, limit];
    for (const one of listed) {
      const count = linesOf(one);
      if (skip >= count) {
        skip -= count;
        continue;
      }
      if (left <= 0) return;
      if (one.row.subject.kind !== 'members') {
        yield this.#shown(one.row);
        left--;
      } else {
        const ways = this.#waysOf(one.row);
        const of = one.members.slice(skip, skip + left);
        for (const member of of)
          yield { ...this.#saidOf(one.row, member), ways: this.ways.ofMember(one.row, ways, member.path) };
        left -= of.length;
      }
      skip = 0;
    }
  }

  #shown(row: FoundRow): ReviewRow {
    return { ...this.#said(row), ways: this.#waysOf(row) };
  }

  #said({ members: _, recorded: __, ...row }: FoundRow): ReviewedAccess {
    if (row.subject.kind !== 'recorded') return row;
    return { ...row, subject: this.#recorded(row.subject.path) };
  }

  #saidOf({ members: _, recorded: __, ...row }: FoundRow, { path }: StatedMember): ReviewedAccess {
    return { ...row, id: memberId(row, path), subject: this.#recorded(path) };
  }

  #recorded(path: string) {
    const name = this.ways.nameOf(path);
    return { kind: 'recorded' as const, path, ...(name !== undefined && { name }) };
  }

  #waysOf(row: FoundRow): readonly GrantPath[] {
    let ways = this.#ways.get(row);
    if (ways === undefined) {
      const sampled = this.ways.of(row);
      ways = sampled.length > 0 ? this.#withOthers(row, sampled) : this.possible.of(row).slice(0, WAYS_SHOWN);
      this.#ways.set(row, ways);
    }
    return ways;
  }

  /** The engine names one way to each policy. Of a review of one subject, the other ways to it are shown, too. */
  #withOthers(row: FoundRow, sampled: readonly GrantPath[]): readonly GrantPath[] {
    const { subject } = row;
    if (!this.possible.together || subject.kind !== 'recorded') return sampled;
    const known = new Set(sampled.map(nameOf));
    const policies = new Set(sampled.map(({ policy }) => policy));
    const others = this.possible.of(row).filter((way) => policies.has(way.policy) && !known.has(nameOf(way)));
    return [...sampled, ...this.ways.ofMember(row, others, subject.path)].slice(0, WAYS_SHOWN);
  }

  #withWords(text: string): readonly Listed[] {
    if (text === this.#last.words) return this.#last.listed;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    // Rows share their lists of resources.
    const ofResources = new Map<readonly string[], ReadonlySet<string>>();
    const inResources = (list: readonly string[]) => {
      const known = ofResources.get(list) ?? new Set(words.filter((word) => list.some((one) => holds(one, word))));
      ofResources.set(list, known);
      return known;
    };
    const listed = this.rows.flatMap((row): Listed[] => {
      const said = this.#textOf(row);
      const missing = words.filter((word) => !said.includes(word) && !inResources(row.recorded).has(word));
      if (missing.length === 0) return [{ row, members: row.members }];
      if (row.subject.kind !== 'members') return [];
      const members = row.members.filter(({ path }) => {
        const own = `${path}\n${this.ways.nameOf(path) ?? ''}`.toLowerCase();
        return missing.every((word) => own.includes(word));
      });
      return members.length === 0 ? [] : [{ row, members }];
    });
    this.#last = { words: text, listed };
    return listed;
  }

  /** All but its members and its resources with a record. */
  #textOf(row: FoundRow): string {
    const { subject, actions, resources, condition, from, until } = row;
    const { kind: _, ...who } = subject.kind === 'recorded' ? this.#recorded(subject.path) : subject;
    const what = resources.flatMap(({ type, below = '', and_below = [] }) => [type, below, ...and_below]);
    // Those that are shown are samples: they may lack what the row is due to, too.
    const shown = this.#waysOf(row).flatMap(({ through, policy, place = '' }) => [...through, policy, place]);
    const ways = [...shown, ...this.possible.textsOf(row)];
    return [...Object.values(who), ...actions, ...what, ...ways, condition, from, until].join('\n').toLowerCase();
  }
}

function nameOf({ through, policy, place }: GrantPath): string {
  return [...through, policy, place].join(' ');
}

function holds(text: string, word: string): boolean {
  return text.toLowerCase().includes(word);
}

function linesOf({ row, members }: Listed): number {
  return row.subject.kind === 'members' ? members.length : 1;
}

/** The identity of a member of a row. */
function memberId({ id }: Pick<FoundRow, 'id'>, path: string): string {
  return `${id}-${createHash('sha256').update(path).digest('hex').slice(0, 16)}`;
}
