import type { Json } from '../../json.js';
import type { FreeNames, KnownResource } from '../remainder/known.js';
import { keyOf } from '../remainder/syntax.js';
import type { SubjectClass } from '../universe/subject-classes.js';
import type { Descriptor } from './columns.js';
import { type GuardJoin, joinOf, USES } from './guard-join.js';
import type { ResourceFacts } from './resource-facts.js';
import { isRound, type Piece, type Split, ValueIndex } from './value-index.js';

/** What requests choose, so far as a guard compares the subject with it. */
interface Chosen {
  readonly key: string;
  /** All that the key is a member of. */
  readonly whole: string;
  /** The names that it may have. */
  readonly split: Split | undefined;
}

/** A candidate that reads something, with its join. */
interface Joined {
  readonly join: GuardJoin;
  readonly facts: ResourceFacts | null;
}

/** The members of classes by the value of an attribute. */
export class JoinIndex {
  readonly #byClass = new Map<SubjectClass, Map<string, ValueIndex | null>>();
  readonly #names = new Map<FreeNames, number>();

  /** `namesOf` says what names a resource may have. */
  constructor(private readonly namesOf: (facts: ResourceFacts) => KnownResource['names']) {}

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
    const [attribute, more] = new Set(all.flatMap(({ join }) => join.attribute ?? []));
    if (attribute === undefined || more !== undefined) return undefined;
    const chosen = all.flatMap((joined) => [...this.#chosen(joined)]);
    if (opaque && chosen.length > 0) return undefined;
    const index = this.#index(one, attribute);
    if (index === undefined) return undefined;
    const use = Math.max(0, ...chosen.flatMap((one) => all.map(({ join }) => useIn(join, one))));
    if (use === USES.other) return undefined;
    const values = valuesOf(all, one);
    if (
      use === USES.order &&
      !(index.dense && [...values].every((value) => typeof value === 'string' || isRound(value)))
    )
      return undefined;
    const ordered = use === USES.order || all.some(({ join }) => join.ordered);
    const splits = new Map(chosen.flatMap(({ split }) => (split === undefined ? [] : [[split.name, split]])));
    return index.pieces(values, ordered, [...splits.values()]);
  }

  *#chosen({ join, facts }: Joined): Generator<Chosen, void> {
    for (const [key, read] of join.joined) {
      if (read.kind === 'property') {
        const recorded = read.root === 'resource' ? facts?.properties : undefined;
        const known = read.name !== undefined && recorded !== undefined && Object.hasOwn(recorded, read.name);
        if (!known) yield { key, whole: keyOf({ ...read, name: undefined }), split: undefined };
      } else if (facts !== null && key === 'resource.name' && facts.name === undefined)
        yield { key, whole: key, split: this.#admitted(facts, 'admitsName') };
      else if (facts !== null && key === 'resource.id' && facts.name === undefined)
        yield { key, whole: key, split: this.#admitted(facts, 'admitsId') };
      else if (facts !== null && key === 'resource.id' && facts.recorded && facts.id === undefined)
        yield { key, whole: key, split: undefined };
    }
  }

  #admitted(facts: ResourceFacts, by: 'admitsName' | 'admitsId'): Split | undefined {
    const names = this.namesOf(facts);
    if (!('admitsName' in names)) return undefined;
    const number = this.#names.get(names) ?? this.#names.size;
    this.#names.set(names, number);
    return { name: `${by}${number}`, admits: (text) => names[by](text) };
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

/** What a guard does with what requests choose; who looks at all members of the context sees each. */
function useIn({ joined, uses }: GuardJoin, { key, whole }: Chosen): number {
  if (whole !== key && uses.has(whole)) return USES.other;
  if (joined.get(key)?.kind === 'property' && key === whole) return USES.other;
  return uses.get(key) ?? 0;
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
