import { append } from '../../collections/append.js';
import { canonicalJson, type JsonObject } from '../../json/json.js';
import type { Closure } from '../universe/closure.js';
import type { Member, Side, SubjectClass } from '../universe/subject-classes.js';
import type { Answers, ClassAnswer, ClassQuestion, Reached, SpanAnswer, TripleAnswer } from './answers.js';
import type { ColumnGroup } from './column-groups.js';
import type { Column, ColumnTables } from './columns.js';
import { joinsRequest } from './guard-join.js';
import { JoinIndex } from './join-index.js';
import type { Memberships } from './memberships.js';

/** Subjects of a class that conditions cannot tell apart here. */
export class Block {
  #members: readonly Member[] | undefined;

  constructor(
    readonly key: string,
    readonly one: SubjectClass,
    readonly first: Member,
    private readonly list: () => readonly Member[],
  ) {}

  get members(): readonly Member[] {
    this.#members ??= this.list();
    return this.#members;
  }
}

/** Subjects and resources whose access changes alike. */
export interface ComparedCell {
  readonly block: Block;
  readonly group: ColumnGroup;
  /** The answer to requests that may send properties that are not recorded. */
  readonly answer: ClassAnswer;
  /** The answer to requests that send none, for recorded triples. */
  readonly triple: TripleAnswer | undefined;
  /** If that is asked, by which memberships the subjects come to it: addresses and `own`, with blanks between, by span. */
  readonly ways: ReadonlyMap<SpanAnswer, string>;
  /** False where subjects and resources were too many to be looked at in pairs: perhaps not all of them change. */
  readonly exact: boolean;
}

/** Subjects of whom the same is read. */
interface Facts {
  readonly key: string;
  readonly members: readonly Member[];
}

type SubjectReads = { readonly id: boolean; readonly properties: ReadonlySet<string> | undefined } | null;

const NOTHING: JsonObject = {};
const NO_WAYS: ComparedCell['ways'] = new Map();
/** The most pairs of subjects and resources that are looked at where a condition joins them by more than equality. */
const PAIRS_MAX = 1_000_000;

/** Finds the cells of column groups that differ: only subjects that a change can reach are looked at. */
export class ColumnComparison {
  readonly #byPrincipal = new Map<number, SubjectClass[]>();
  readonly #changed: readonly SubjectClass[];
  readonly #questions = new Map<string, ClassQuestion>();
  readonly #blocks = new Map<string, Block>();
  readonly #joins: JoinIndex;
  /** The members of classes by what is read of them. */
  readonly #facts = new Map<string, readonly Facts[]>();
  /** How many subjects have been told apart one by one. */
  #pairs = 0;
  /** By type, a subject without a record and without a role that requests name. */
  readonly #anybody: ReadonlyMap<string, SubjectClass>;

  constructor(
    private readonly tables: ColumnTables,
    classes: readonly SubjectClass[],
    private readonly answers: Answers,
    private readonly pairsMax = PAIRS_MAX,
    private readonly memberships?: Memberships,
  ) {
    this.#joins = new JoinIndex(answers.free);
    for (const one of classes)
      for (const id of new Set([...one.before.ids, ...one.after.ids])) {
        append(this.#byPrincipal, id, one);
      }
    this.#changed = classes.filter(({ changed }) => changed);
    this.#anybody = new Map(classes.flatMap((one) => (one.kind === 'unrecorded' ? [[one.type, one]] : [])));
  }

  classesOf(principal: number): readonly SubjectClass[] {
    return this.#byPrincipal.get(principal) ?? [];
  }

  /** Whether some subject acts as both, perhaps not at the same time. */
  share(first: number, second: number): boolean {
    const others = new Set(this.classesOf(second));
    return this.classesOf(first).some((one) => others.has(one));
  }

  cells(group: ColumnGroup): ComparedCell[] {
    const found: ComparedCell[] = [];
    for (const one of this.#touched(group)) {
      const cells = this.#cellsOf(one, group);
      if (one.kind !== 'named' || cells.length === 0) {
        found.push(...cells);
        continue;
      }
      // What subjects gain without a role that requests name is no finding about a role.
      const anybody = one.without ?? this.#anybody.get(one.type);
      const unnamed = anybody === undefined ? [] : this.#cellsOf(anybody, group);
      found.push(...cells.filter(({ answer }) => !unnamed.some((other) => alike(other.answer, answer))));
    }
    return found;
  }

  /** The classes whose candidates may differ. */
  #touched({ before, after }: ColumnGroup): ReadonlySet<SubjectClass> {
    const found = new Set<SubjectClass>();
    if (before !== after) {
      for (const principal of new Set([...before.byPrincipal.keys(), ...after.byPrincipal.keys()]))
        if (!same(before.byPrincipal.get(principal), after.byPrincipal.get(principal)))
          for (const one of this.classesOf(principal)) found.add(one);
    }
    for (const one of this.#changed) if (reaches(one.before, before) || reaches(one.after, after)) found.add(one);
    return found;
  }

  /** The subjects of a class, told apart by what these candidates read of them; undefined if that makes too many pairs. */
  #pieces(one: SubjectClass, reads: SubjectReads, candidates: readonly Reached[]): readonly Block[] | undefined {
    const [first] = one.members as [Member];
    if (reads === null || one.members.length === 1) return [this.#block(`${one.index}`, one, first, () => one.members)];
    const descriptors = candidates.map(({ descriptor }) => this.tables.descriptors.at(descriptor));
    const joined = this.#joins.pieces(one, descriptors);
    if (joined !== undefined)
      return joined.map((piece) => this.#block(`${one.index} ${piece.key}`, one, piece.first, piece.members));
    this.#pairs += one.members.length;
    if (this.#pairs > this.pairsMax) return undefined;
    return this.#factsOf(one, reads).map(({ key, members }) =>
      this.#block(`${one.index} ${key}`, one, members[0] as Member, () => members),
    );
  }

  #factsOf(one: SubjectClass, reads: NonNullable<SubjectReads>): readonly Facts[] {
    const { id, properties } = reads;
    const read = `${one.index} ${id} ${properties === undefined ? '*' : JSON.stringify([...properties].sort())}`;
    let facts = this.#facts.get(read);
    if (facts === undefined) {
      const byFacts = new Map<string, Member[]>();
      for (const member of one.members) {
        const key = factsOf(member, reads);
        append(byFacts, key, member);
      }
      facts = [...byFacts].map(([key, members]) => ({ key, members }));
      this.#facts.set(read, facts);
    }
    return facts;
  }

  #block(key: string, one: SubjectClass, first: Member, members: () => readonly Member[]): Block {
    let block = this.#blocks.get(key);
    if (block === undefined) {
      block = new Block(key, one, first, members);
      this.#blocks.set(key, block);
    }
    return block;
  }

  #cellsOf(one: SubjectClass, group: ColumnGroup): ComparedCell[] {
    const before = reached(one.before, group.before);
    const after = reached(one.after, group.after);
    if (before.length === 0 && after.length === 0) return [];
    const keys = [keyOf(before), keyOf(after)] as const;
    const { reads, guarded, asks, joined } = this.#guards([...before, ...after]);
    if (!guarded && keys[0] === keys[1]) return [];
    const blocks = this.#pieces(one, reads, [...before, ...after]);
    const exact = blocks !== undefined;
    const several = blocks !== undefined && blocks.length > 1;
    const question = this.#question(
      one,
      before,
      after,
      `${keys.join('|')}|${guarded ? `${one.type}\n${one.kind}\n${asks ? one.index : ''}` : ''}`,
    );
    const alike = new Map<ClassAnswer, Map<string, ComparedCell & { blocks: Block[] }>>();
    for (const block of blocks ?? [this.#block(`${one.index}`, one, one.members[0] as Member, () => one.members)]) {
      const told = several ? undefined : reads && factsOf(block.first, reads);
      const asking = { member: block.first, open: !exact, told };
      const answer = this.answers.of(question, { ...asking, sent: true }, joined);
      const bare = guarded && one.kind === 'recorded' ? this.answers.of(question, { ...asking, sent: false }) : answer;
      const triple = this.answers.tripleOf(bare);
      if (!answer.differs && triple === undefined) continue;
      const ways = this.#waysOf(block, group, answer, exact);
      const known = alike.get(answer) ?? new Map<string, ComparedCell & { blocks: Block[] }>();
      alike.set(answer, known);
      const key = [triple?.before, triple?.after, triple?.change, ...ways.values()].join('\n');
      const same = known.get(key);
      if (same === undefined) known.set(key, { block, group, answer, triple, ways, exact, blocks: [block] });
      else same.blocks.push(block);
    }
    return [...alike.values()].flatMap((known) =>
      [...known.values()].map(({ blocks: all, ...cell }) => ({ ...cell, block: this.#joined(all) })),
    );
  }

  #waysOf(block: Block, { after }: ColumnGroup, { spans }: ClassAnswer, exact: boolean): ComparedCell['ways'] {
    const { memberships } = this;
    if (memberships === undefined) return NO_WAYS;
    return new Map(spans.map((span) => [span, memberships.of(block, after, span, exact).join(' ')]));
  }

  #question(one: SubjectClass, before: readonly Reached[], after: readonly Reached[], key: string): ClassQuestion {
    let question = this.#questions.get(key);
    if (question === undefined) {
      question = this.answers.question(one, before, after);
      this.#questions.set(key, question);
    }
    return question;
  }

  /** Blocks of one class as one. */
  #joined(blocks: readonly Block[]): Block {
    const [first, ...more] = blocks as [Block, ...Block[]];
    if (more.length === 0) return first;
    const key = blocks.map((block) => block.key).join('\n');
    return this.#block(key, first.one, first.first, () => blocks.flatMap(({ members }) => members));
  }

  /** Returns what the guards of these candidates read of the subject. */
  #guards(candidates: readonly Reached[]): {
    reads: SubjectReads;
    guarded: boolean;
    asks: boolean;
    joined: boolean;
  } {
    let [guarded, asks, id, all, joined] = [false, false, false, false, false];
    const properties = new Set<string>();
    for (const { descriptor } of candidates) {
      const { guard, unknown } = this.tables.descriptors.at(descriptor);
      if (unknown) guarded = true;
      if (guard === null) continue;
      guarded = true;
      const { reads } = guard;
      if (reads.groups.length > 0 || reads.roles.length > 0) asks = true;
      const ofSubject = reads.subjectId || reads.subjectProperties?.length !== 0;
      const ofResource = reads.resourceNames || reads.resourceProperties?.length !== 0;
      if (ofSubject && (ofResource || joinsRequest(guard))) joined = true;
      if (reads.subjectId) id = true;
      if (reads.subjectProperties === undefined) all = true;
      else for (const name of reads.subjectProperties) properties.add(name);
    }
    const reads = id || all || properties.size > 0 ? { id, properties: all ? undefined : properties } : null;
    return { reads, guarded, asks, joined };
  }
}

function factsOf(member: Member, { id, properties }: NonNullable<SubjectReads>): string {
  const of = (side: Side) => {
    const recorded = member[side] ?? NOTHING;
    if (properties === undefined) return recorded;
    const names = [...properties].filter((name) => Object.hasOwn(recorded, name)).sort();
    return Object.fromEntries(names.map((name) => [name, recorded[name]]));
  };
  return canonicalJson([id ? member.id : '', of('before'), of('after')] as never);
}

function alike(first: ClassAnswer, second: ClassAnswer): boolean {
  return (
    first.spans.length === second.spans.length &&
    first.spans.every(({ from, before, after }, at) => {
      const other = second.spans[at];
      return other?.from === from && other.before === before && other.after === after;
    })
  );
}

function reaches({ ids }: Closure, column: Column): boolean {
  return ids.some((id) => column.byPrincipal.has(id) || column.asked.has(id));
}

export function reached({ ids, periods }: Closure, { byPrincipal }: Column): Reached[] {
  const found: Reached[] = [];
  if (byPrincipal.size === 0) return found;
  for (let at = 0; at < ids.length; at++) {
    const descriptors = byPrincipal.get(ids[at] as number);
    if (descriptors === undefined) continue;
    for (const descriptor of descriptors) {
      const known = found.findIndex((one) => one.descriptor === descriptor);
      const own = periods[at] as Reached['periods'];
      if (known < 0) found.push({ descriptor, periods: own });
      else found[known] = { descriptor, periods: [...(found[known] as Reached).periods, ...own] };
    }
  }
  return found;
}

function keyOf(candidates: readonly Reached[]): string {
  return candidates
    .map(({ descriptor, periods }) => {
      const always = periods.some(
        ({ start, end }) => start === Number.NEGATIVE_INFINITY && end === Number.POSITIVE_INFINITY,
      );
      return always
        ? `${descriptor}`
        : `${descriptor}@${periods
            .map(({ start, end }) => `${start}~${end}`)
            .sort()
            .join('+')}`;
    })
    .sort()
    .join(' ');
}

function same(first: readonly number[] | undefined, second: readonly number[] | undefined): boolean {
  if (first === undefined || second === undefined) return first === second;
  return first.length === second.length && first.every((one) => second.includes(one));
}
