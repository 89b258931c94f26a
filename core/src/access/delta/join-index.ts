import { append } from '../../collections/append.js';
import type { FreeNames, FreeText } from '../../conditions/residual/partial-request.js';
import { keyOf, type Read } from '../../conditions/residual/syntax.js';
import type { Json } from '../../json/json.js';
import type { Member, SubjectClass } from '../universe/subject-classes.js';
import type { Descriptor } from './columns.js';
import type { FreeTexts } from './free-texts.js';
import { type GuardJoin, type JoinedAttribute, joinOf, USES } from './guard-join.js';
import type { GuardedFacts } from './resource-facts.js';
import { isRound, type Piece, type Split, ValueIndex } from './value-index.js';

/** A value that requests choose, so far as a guard compares the subject with it. */
interface Chosen {
  readonly key: string;
  readonly read: Read;
  /** All that the key is a member of. */
  readonly whole: string;
  /** The names that it may have. */
  readonly split: Split | undefined;
}

/** A candidate that reads something, with its join. */
interface Joined {
  readonly join: GuardJoin;
  readonly facts: GuardedFacts | null;
}

/** The most subjects that are looked at to tell them apart by several attributes. */
const COMBINED_MAX = 20_000_000;

/** The members of classes by the values of attributes. */
export class JoinIndex {
  readonly #byClass = new Map<SubjectClass, Map<string, ValueIndex | null>>();
  readonly #names = new Map<FreeNames | FreeText, number>();
  #combined = 0;

  constructor(private readonly free: FreeTexts) {}

  /**
   * The subjects of a class, in as few pieces as candidates with joins tell apart: by the values that a condition or the
   * resource has, all others that are alike, and, where they are compared by order, those between. Undefined if these
   * candidates tell them apart by more.
   *
   * What requests choose tells none of these apart as long as it is compared with nothing but the subject and such values:
   * whatever they send for one, they could send the like for another.
   */
  pieces(one: SubjectClass, candidates: readonly Descriptor[]): readonly Piece[] | undefined {
    const all: Joined[] = [];
    let opaque = false;
    for (const { guard, facts } of candidates) {
      if (guard === null) continue;
      const join = joinOf(guard);
      if (join !== null) all.push({ join, facts });
      else if (guard.reads.subjectId || guard.reads.subjectProperties?.length !== 0) return undefined;
      else opaque = true;
    }
    const attributes = [...new Set(all.flatMap(({ join }) => [...join.attributes.keys()]))].sort();
    if (attributes.length === 0 || (attributes.length > 1 && !this.#mayCombine(one))) return undefined;
    const values = valuesOf(all, one);
    const chosenBy = new Map<string, string>();
    let pieces: readonly Piece[] | undefined;
    for (const attribute of attributes) {
      const own = all.flatMap(({ join, facts }) => {
        const compared = join.attributes.get(attribute);
        return compared === undefined ? [] : [{ compared, facts }];
      });
      const chosen = own.flatMap(({ compared, facts }) => [...this.#chosen(compared, facts)]);
      // What is compared with two attributes tells subjects apart by whether theirs are the same.
      for (const { key } of chosen) if ((chosenBy.get(key) ?? attribute) !== attribute) return undefined;
      for (const { key } of chosen) chosenBy.set(key, attribute);
      const index = opaque && chosen.length > 0 ? undefined : this.#index(one, attribute);
      const use = Math.max(0, ...chosen.flatMap((one) => all.map(({ join }) => useIn(join, one))));
      if (index === undefined || use === USES.other || (use === USES.order && !isDense(index, values)))
        return undefined;
      const ordered = use === USES.order || own.some(({ compared }) => compared.ordered);
      const splits = new Map(chosen.flatMap(({ split }) => (split === undefined ? [] : [[split.name, split]])));
      const found = index.pieces(values, ordered, [...splits.values()]);
      pieces = pieces === undefined ? found : combined(pieces, found);
    }
    return pieces;
  }

  /** Each combination looks at all members, so there is an end to it. */
  #mayCombine({ members }: SubjectClass): boolean {
    this.#combined += members.length;
    return this.#combined <= COMBINED_MAX;
  }

  *#chosen({ joined }: JoinedAttribute, facts: GuardedFacts | null): Generator<Chosen, void> {
    for (const [key, read] of joined) {
      if (read.kind === 'property') {
        const recorded = read.root === 'resource' ? facts?.properties : undefined;
        const known = read.name !== undefined && recorded !== undefined && Object.hasOwn(recorded, read.name);
        if (!known) yield { key, read, whole: keyOf({ ...read, name: undefined }), split: undefined };
      } else if (facts !== null && key === 'resource.name' && facts.name === undefined)
        yield { key, read, whole: key, split: this.#admitted(facts, 'admitsName') };
      else if (facts !== null && key === 'resource.id' && facts.name === undefined)
        yield { key, read, whole: key, split: this.#admitted(facts, 'admitsId') };
      else if (facts !== null && key === 'resource.id' && facts.recorded && facts.id === undefined)
        yield { key, read, whole: key, split: undefined };
      else if (facts !== null && key === 'action.name') {
        const name = this.free.action(facts);
        if (typeof name !== 'string')
          yield { key, read, whole: key, split: { name: this.#numbered(name), admits: (text) => name.admits(text) } };
      }
    }
  }

  #admitted(facts: GuardedFacts, by: 'admitsName' | 'admitsId'): Split | undefined {
    const names = this.free.names(facts);
    if (!('admitsName' in names)) return undefined;
    return { name: `${by}${this.#numbered(names)}`, admits: (text) => names[by](text) };
  }

  #numbered(free: FreeNames | FreeText): string {
    const number = this.#names.get(free) ?? this.#names.size;
    this.#names.set(free, number);
    return `${number}`;
  }

  /** Undefined where a subject says something else in each state. */
  #index(one: SubjectClass, attribute: string): ValueIndex | undefined {
    const known = this.#byClass.get(one) ?? new Map<string, ValueIndex | null>();
    this.#byClass.set(one, known);
    let index = known.get(attribute);
    if (index === undefined) {
      const differs = one.members.some(({ before, after }) => before !== after);
      index = differs ? null : new ValueIndex(attribute, one.members);
      known.set(attribute, index);
    }
    return index ?? undefined;
  }
}

/** Returns how a guard uses what requests choose; who looks at all members of the context sees each. */
function useIn({ uses }: GuardJoin, { key, whole, read }: Chosen): number {
  if (whole !== key && uses.has(whole)) return USES.other;
  if (whole === key && read.kind === 'property') return USES.other;
  return uses.get(key) ?? 0;
}

/** Whether requests can send something between any two of the values. */
function isDense(index: ValueIndex, values: ReadonlySet<string | number>): boolean {
  return index.dense && [...values].every((value) => typeof value === 'string' || isRound(value));
}

/** Returns the pieces that two divisions of a class tell apart together. */
function combined(first: readonly Piece[], second: readonly Piece[]): Piece[] {
  const inSecond = new Map(second.flatMap((piece) => piece.members().map((member) => [member, piece] as const)));
  return first.flatMap((piece) => {
    const parts = new Map<Piece | undefined, Member[]>();
    for (const member of piece.members()) {
      const other = inSecond.get(member);
      append(parts, other, member);
    }
    return [...parts].map(
      ([other, members]): Piece => ({
        key: `${piece.key} and ${other?.key}`,
        first: members[0] as Member,
        members: () => members,
      }),
    );
  });
}

/** All texts and numbers that candidates may compare an attribute of a class with. */
function valuesOf(all: readonly Joined[], { type }: SubjectClass): ReadonlySet<string | number> {
  const values = new Set<string | number>([type]);
  for (const { join, facts } of all) {
    for (const value of join.literals) values.add(value);
    if (facts === null) continue;
    const { id, name, action, application } = facts;
    for (const text of [id, name, action, facts.type, application]) if (text !== undefined) values.add(text);
    addValues(values, facts.properties);
  }
  return values;
}

function addValues(values: Set<string | number>, value: Json): void {
  if (typeof value === 'string' || typeof value === 'number') values.add(value);
  else if (Array.isArray(value)) for (const item of value) addValues(values, item);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      values.add(key);
      addValues(values, inner);
    }
}
