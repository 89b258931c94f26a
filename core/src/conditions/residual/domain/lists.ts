import type { Json, JsonObject } from '../../../json/json.js';
import { setMember } from './set-member.js';

/** Questions about lists and maps. */
export interface ListQuestions {
  /** Items or keys that are looked for. */
  readonly members: readonly Json[];
  readonly sizes: readonly number[];
  /** Lists and maps that it is compared with. */
  readonly values: readonly Json[];
}

const SUBSETS_MAX = 6;
const SIZE_MAX = 64;

/** Lists and maps that stand for all: with and without each member that is looked for, and of each size. */
export function listsFor(
  { members, sizes, values }: ListQuestions,
  each: number,
): { lists: Json[]; complete: boolean } {
  const complete =
    members.length <= SUBSETS_MAX &&
    sizes.every((size) => size <= SIZE_MAX) &&
    (values.length === 0 || (members.length === 0 && sizes.length === 0));
  const lists: Json[] = [...values];
  const word = freshWord(JSON.stringify([members, values]));
  const lengths = [
    ...new Set([0, 1, ...sizes.flatMap((size) => [Math.floor(size), Math.ceil(size), Math.ceil(size) + 1])]),
  ];
  for (const subset of subsetsOf(members.slice(0, SUBSETS_MAX))) {
    const texts = subset.filter((member) => typeof member === 'string');
    for (const length of lengths.map((size) => Math.min(size, SIZE_MAX + 1))) {
      for (let at = 0; at < (length > subset.length ? each : 1); at++) {
        lists.push(padded(subset, Math.max(length, subset.length), `${word}-${at}`));
        if (texts.length === subset.length)
          lists.push(mapOf(texts as string[], Math.max(length, texts.length), `${word}-${at}`));
      }
    }
  }
  if (members.length > SUBSETS_MAX) lists.push([...members], ...members.map((member): Json => [member]));
  return { lists: distinct(lists), complete };
}

function subsetsOf(members: readonly Json[]): Json[][] {
  const subsets: Json[][] = [[]];
  for (const member of members) subsets.push(...subsets.map((subset) => [...subset, member]));
  return subsets;
}

function padded(items: readonly Json[], length: number, word: string): Json[] {
  return [...items, ...Array.from({ length: length - items.length }, (_, at) => `${word}-${at}`)];
}

function mapOf(names: readonly string[], length: number, word: string): JsonObject {
  const map: JsonObject = {};
  for (const name of names) setMember(map, name, true);
  for (let at = names.length; at < length; at++) setMember(map, `${word}-${at}`, true);
  return map;
}

/** A word that a text does not contain. */
function freshWord(text: string): string {
  let word = 'other';
  while (text.includes(word)) word += 'x';
  return word;
}

function distinct(lists: readonly Json[]): Json[] {
  return [...new Map(lists.map((list) => [JSON.stringify(list), list])).values()];
}
