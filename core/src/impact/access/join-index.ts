import type { Ast } from '../../conditions/parse.js';
import type { Json } from '../../json.js';
import { parsedCondition } from '../remainder/specialise.js';
import { attributePath, keyOf, partsOf } from '../remainder/syntax.js';
import type { Member, SubjectClass } from '../universe/subject-classes.js';
import type { Descriptor, KnownGuard } from './columns.js';

/** The one attribute by which a guard tells subjects apart: it is only compared for equality, or looked for in lists. */
interface Join {
  /** `id`, or the name of a property in quotes. */
  readonly attribute: string;
  /** The texts that are written out in the condition. */
  readonly literals: readonly string[];
}

const joins = new WeakMap<KnownGuard, Join | null>();

/** The join of a guard; null where it does anything else with what it reads of the subject. */
function joinOf(known: KnownGuard): Join | null {
  let join = joins.get(known);
  if (join === undefined) {
    join = analysed(known);
    joins.set(known, join);
  }
  return join;
}

function analysed({ guard, reads }: KnownGuard): Join | null {
  const ast = guard.condition === undefined ? undefined : parsedCondition(guard.condition);
  if (ast === undefined || reads.ancestors.length > 0) return null;
  const attributes = new Set<string>();
  const literals: string[] = [];
  let other = false;
  const visit = (part: Ast, compared: boolean) => {
    const path = attributePath(part);
    if (path !== undefined) {
      const key = keyOf(path.read);
      if (!key.startsWith('subject.')) return;
      attributes.add(key.slice('subject.'.length));
      if (!compared || path.members.length > 0) other = true;
      return;
    }
    if (part.op === 'value' && typeof part.args === 'string') literals.push(part.args);
    const equates = part.op === '==' || part.op === '!=';
    for (const [at, inner] of partsOf(part).entries()) visit(inner, equates || (part.op === 'in' && at === 0));
  };
  visit(ast, false);
  const [attribute] = attributes;
  return other || attributes.size !== 1 || attribute === undefined || attribute === 'type'
    ? null
    : { attribute, literals };
}

/** Some of the subjects of a class, who are named when they are needed. */
export interface Piece {
  readonly key: string;
  readonly first: Member;
  members(): readonly Member[];
}

/** The members of classes by the value of an attribute. */
export class JoinIndex {
  readonly #byClass = new Map<SubjectClass, Map<string, Map<string, Member[]>>>();

  /**
   * The subjects of a class, in as few pieces as candidates with joins tell apart: those with a value that a condition or
   * the resource has, and all others. Undefined if these candidates tell them apart by more.
   */
  pieces(one: SubjectClass, candidates: readonly Descriptor[]): readonly Piece[] | undefined {
    let attribute: string | undefined;
    const values = new Set<string>();
    for (const { guard, facts } of candidates) {
      if (guard === null || (!guard.reads.subjectId && guard.reads.subjectProperties?.length === 0)) continue;
      const join = joinOf(guard);
      if (join === null || (attribute !== undefined && attribute !== join.attribute)) return undefined;
      attribute = join.attribute;
      for (const text of join.literals) values.add(text);
      if (facts === null) continue;
      for (const text of [facts.id, facts.name, facts.action]) if (text !== undefined) values.add(text);
      addTexts(values, facts.properties);
    }
    const index = attribute === undefined ? undefined : this.#index(one, attribute);
    return index && piecesOf(index, values);
  }

  /** Subjects by value; undefined where a subject says something else in each state. */
  #index(one: SubjectClass, attribute: string): ReadonlyMap<string, readonly Member[]> | undefined {
    if (one.members.some(({ before, after }) => before !== after)) return undefined;
    const known = this.#byClass.get(one) ?? new Map<string, Map<string, Member[]>>();
    this.#byClass.set(one, known);
    let index = known.get(attribute);
    if (index === undefined) {
      index = new Map();
      const name = attribute === 'id' ? undefined : (JSON.parse(attribute) as string);
      for (const member of one.members) {
        const value = name === undefined ? member.id : own(member.before ?? {}, name);
        const key = typeof value === 'string' ? `=${value}` : (JSON.stringify(value) ?? '');
        const members = index.get(key);
        if (members === undefined) index.set(key, [member]);
        else members.push(member);
      }
      known.set(attribute, index);
    }
    return index;
  }
}

function piecesOf(index: ReadonlyMap<string, readonly Member[]>, values: ReadonlySet<string>): readonly Piece[] {
  const found: Piece[] = [];
  const apart = new Set<string>();
  const add = (key: string) => {
    const members = index.get(key);
    if (members === undefined) return;
    apart.add(key);
    found.push({ key, first: members[0] as Member, members: () => members });
  };
  for (const value of values) add(`=${value}`);
  // What is not text is compared as it is; most subjects have text.
  if (index.size <= apart.size) return found;
  for (const key of index.keys()) if (!key.startsWith('=')) add(key);
  for (const [key, [first]] of index) {
    if (apart.has(key) || first === undefined) continue;
    const others = () => [...index].flatMap(([value, members]) => (apart.has(value) ? [] : members));
    found.push({ key: `but ${[...apart].sort().join(' ')}`, first, members: others });
    break;
  }
  return found;
}

function addTexts(values: Set<string>, value: Json): void {
  if (typeof value === 'string') values.add(value);
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) addTexts(values, inner);
}

function own(properties: { readonly [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
