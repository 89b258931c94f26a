import { append } from '../../collections/append.js';
import type { Json } from '../../json/json.js';
import type { Member } from '../universe/subject-classes.js';

/** Some of the subjects of a class, who are named when they are needed. */
export interface Piece {
  /** The same only for the same subjects of a class. */
  readonly key: string;
  readonly first: Member;
  members(): readonly Member[];
}

interface Entry<V extends string | number> {
  readonly value: V;
  readonly members: Member[];
}

/** Tells texts apart that are otherwise alike, with a name for what it does. */
export interface Split {
  readonly name: string;
  admits(text: string): boolean;
}

/** Numbers between any two of which there are others that a request can send. */
const ROUND_MAX = 2 ** 40;
const ROUND_PARTS = 1024;

/** The members of a class by the value of one attribute, as both states have it. */
export class ValueIndex {
  readonly #texts: readonly Entry<string>[];
  readonly #numbers: readonly Entry<number>[];
  /** Members without the attribute, and those with a value that is neither text nor a number. */
  readonly #others: readonly (readonly [key: string, members: readonly Member[]])[];
  readonly #at = new Map<string | number, number>();
  /** Whether there are no texts, and another number between any two of them and of others that are round. */
  readonly dense: boolean;

  constructor(
    private readonly attribute: string,
    members: readonly Member[],
  ) {
    const name = attribute === 'id' ? undefined : (JSON.parse(attribute) as string);
    const byValue = new Map<string | number, Member[]>();
    const others = new Map<string, Member[]>();
    for (const member of members) {
      const value = name === undefined ? member.id : own(member.before ?? {}, name);
      const simple = typeof value === 'string' || typeof value === 'number';
      const [into, key] = simple ? [byValue, value] : [others, JSON.stringify(value) ?? ''];
      const known = (into as Map<string | number, Member[]>).get(key);
      if (known === undefined) (into as Map<string | number, Member[]>).set(key, [member]);
      else known.push(member);
    }
    this.#texts = sorted<string>(byValue, 'string');
    this.#numbers = sorted<number>(byValue, 'number');
    this.#others = [...others];
    for (const list of [this.#texts, this.#numbers])
      for (const [at, { value }] of list.entries()) this.#at.set(value, at);
    this.dense = this.#texts.length === 0 && this.#numbers.every(({ value }) => isRound(value));
  }

  /** The members in as few pieces as a comparison with these values tells them apart: by order, or only for equality. */
  pieces(values: ReadonlySet<string | number>, ordered: boolean, splits: readonly Split[]): readonly Piece[] {
    const others = this.#others.map(([key, members]) => ({
      key: `${this.attribute} ${key}`,
      first: members[0] as Member,
      members: () => members,
    }));
    const texts = ordered ? this.#ranges(this.#texts, values, splits) : this.#equal(this.#texts, values, splits);
    const numbers = ordered ? this.#ranges(this.#numbers, values, []) : this.#equal(this.#numbers, values, []);
    return [...others, ...texts, ...numbers];
  }

  /** Those with each value, and all others. */
  #equal<V extends string | number>(
    entries: readonly Entry<V>[],
    values: ReadonlySet<string | number>,
    splits: readonly Split[],
  ): Piece[] {
    const found: Piece[] = [];
    const apart: number[] = [];
    for (const value of values) {
      const at = this.#at.get(value);
      const entry = at === undefined ? undefined : entries[at];
      if (entry === undefined || entry.value !== value) continue;
      apart.push(at as number);
      found.push(this.#piece(entries, `${at}`, () => [entry], entry));
    }
    if (apart.length === entries.length) return found;
    apart.sort((left, right) => left - right);
    const gone = new Set(apart);
    const left = () => entries.filter((_, at) => !gone.has(at));
    if (splits.length > 0) return [...found, ...this.#split(left(), entries, `but ${apart.join()}`, splits)];
    const first = entries[apart.findIndex((one, at) => one !== at)] ?? entries[apart.length];
    return [...found, this.#piece(entries, `but ${apart.join()}`, left, first as Entry<V>)];
  }

  /** Those with each value, and those between. */
  #ranges<V extends string | number>(
    entries: readonly Entry<V>[],
    values: ReadonlySet<string | number>,
    splits: readonly Split[],
  ): Piece[] {
    const [one] = entries;
    if (one === undefined) return [];
    const cuts = ([...values].filter((value) => typeof value === typeof one.value) as V[]).sort(compare);
    const found: Piece[] = [];
    let from = 0;
    const add = (to: number) => {
      if (to > from) {
        const start = from;
        const key = to - from === 1 ? `${from}` : `${from}-${to}`;
        if (splits.length > 0) found.push(...this.#split(entries.slice(from, to), entries, key, splits));
        else found.push(this.#piece(entries, key, () => entries.slice(start, to), entries[start] as Entry<V>));
      }
      from = to;
    };
    for (const cut of cuts) {
      const at = firstFrom(entries, cut);
      add(at);
      if (entries[at]?.value === cut) add(at + 1);
    }
    add(entries.length);
    return found;
  }

  #split<V extends string | number>(
    some: readonly Entry<V>[],
    entries: readonly Entry<V>[],
    key: string,
    splits: readonly Split[],
  ): Piece[] {
    const parts = new Map<string, Entry<V>[]>();
    for (const entry of some) {
      const part = splits.map(({ name, admits }) => `${name}${admits(String(entry.value)) ? '+' : '-'}`).join(' ');
      append(parts, part, entry);
    }
    return [...parts].map(([part, of]) => this.#piece(entries, `${key} ${part}`, () => of, of[0] as Entry<V>));
  }

  #piece<V extends string | number>(
    entries: readonly Entry<V>[],
    key: string,
    list: () => readonly Entry<V>[],
    { members: [first] }: Entry<V>,
  ): Piece {
    const kind = (entries as unknown) === this.#texts ? 'text' : 'number';
    return {
      key: `${this.attribute} ${kind} ${key}`,
      first: first as Member,
      members: () => list().flatMap(({ members }) => members),
    };
  }
}

/** Whether other numbers lie between it and any other of which this is true. */
export function isRound(value: number): boolean {
  return Math.abs(value) <= ROUND_MAX && Number.isInteger(value * ROUND_PARTS);
}

function sorted<V extends string | number>(
  byValue: ReadonlyMap<string | number, Member[]>,
  type: 'string' | 'number',
): readonly Entry<V>[] {
  const entries: Entry<V>[] = [];
  for (const [value, members] of byValue) if (typeof value === type) entries.push({ value: value as V, members });
  return entries.sort((left, right) => compare(left.value, right.value));
}

/** As conditions compare: texts by their UTF-16 code units. */
function compare<V extends string | number>(left: V, right: V): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns the index of the first entry that is not less than a value. */
function firstFrom<V extends string | number>(entries: readonly Entry<V>[], value: V): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Entry<V>).value < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function own(properties: { readonly [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
