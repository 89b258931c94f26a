import type { Json, JsonObject } from '../../../json/json.js';
import type { TimeWindow } from '../../../records/policy.js';
import type { IpRange } from '../../../values/ip-range.js';
import { addressesFor } from './addresses.js';
import { isJson } from './is-json.js';
import { listsFor } from './lists.js';
import { FIRST_MS, LAST_MS, momentsFor, momentTexts } from './moments.js';
import { numbersFor } from './numbers.js';
import type { Question } from './question.js';
import { setMember } from './set-member.js';
import { type TextQuestion, type Texts, textsFor } from './texts.js';

/** A question about a value, or about a member of it. */
export type QuestionAt = readonly [members: readonly string[], question: Question];

/** Values that stand for all that an attribute may have; undefined stands for its absence. */
export interface Values {
  readonly values: readonly (Json | undefined)[];
  /** Whether they give all combinations of answers. */
  readonly complete: boolean;
  /** Texts that the questions do not tell apart. */
  readonly kinds: readonly (readonly string[])[];
}

const COMBINATIONS_MAX = 3000;

/** Values of an attribute of which any may be sent; of each kind that the questions tell apart, `each` if there are so many. */
export function valuesFor(questions: readonly QuestionAt[], each: number): Values {
  const here = questions.filter(([members]) => members.length === 0).map(([, question]) => question);
  const names = [...new Set(questions.flatMap(([[name]]) => (name === undefined ? [] : [name])))];
  const plain = plainValues(here, each);
  if (names.length === 0) return plain;
  const inside = names.map((name) => {
    const below = questions
      .filter(([members]) => members[0] === name)
      .map(([members, question]): QuestionAt => [members.slice(1), question]);
    return [name, valuesFor(below, each)] as const;
  });
  const maps = combined(inside);
  // Questions about the map itself are not split by its members.
  const simple = here.every(({ ask }) => ask !== 'member' && ask !== 'size' && ask !== 'value');
  return {
    values: [...plain.values, ...maps.maps],
    complete: plain.complete && maps.complete && simple,
    kinds: plain.kinds,
  };
}

function combined(members: readonly (readonly [string, Values])[]): { maps: JsonObject[]; complete: boolean } {
  let maps: JsonObject[] = [{}];
  let complete = true;
  for (const [name, { values, complete: whole }] of members) {
    complete &&= whole;
    if (maps.length * values.length > COMBINATIONS_MAX) complete = false;
    const room = Math.max(1, Math.floor(COMBINATIONS_MAX / maps.length));
    maps = maps.flatMap((map) => values.slice(0, room).map((value) => withMember(map, name, value)));
  }
  return { maps, complete };
}

function withMember(map: JsonObject, name: string, value: Json | undefined): JsonObject {
  if (value === undefined) return map;
  const made = { ...map };
  setMember(made, name, value);
  return made;
}

function plainValues(questions: readonly Question[], each: number): Values {
  const of = sorted(questions);
  const read = of.hours.length === 0 ? [] : momentsFor(of.presents, windowsOf(of)).moments;
  const seconds =
    of.moments.length + of.hours.length === 0 ? [] : [...of.moments, ...read, FIRST_MS, LAST_MS].map((ms) => ms / 1000);
  const numbers = numbersFor(
    [...of.numbers, ...seconds.flatMap((number) => [number, next(number), -next(-number)])],
    each,
  );
  const texts = textValues(of, each);
  const lists = listsFor({ members: of.members, sizes: of.sizes, values: of.values }, each);
  return {
    // Booleans last: they compare with each other as well, and hardly anybody means that by "<".
    values: [undefined, null, ...numbers, ...texts.kinds.flat(), ...lists.lists, true, false],
    complete: texts.complete && lists.complete,
    kinds: texts.kinds,
  };
}

/** Texts of one attribute. Addresses and moments have no order among texts, so that other questions about texts do not mix. */
function textValues(of: Sorted, each: number): Texts {
  const texts = textsFor(of.texts, each);
  const windows = windowsOf(of);
  const timed = of.moments.length > 0 || of.presents.length > 0 || windows.length > 0;
  if (of.ranges.length === 0 && !timed) return texts;
  const taken = new Set(of.texts.flatMap((question) => (question.ask === 'equals' ? [question.text] : [])));
  const onlyEquals = of.texts.every(({ ask }) => ask === 'equals');
  const kinds = [...texts.kinds, ...addressesFor(of.ranges, each, taken)];
  const told = timed ? momentsFor([...of.moments, ...of.presents], windows) : undefined;
  for (const ms of told?.moments ?? []) kinds.push(momentTexts(ms, each, taken));
  const lasts = of.moments.length > 0 && of.presents.length > 0 && windows.length > 0;
  const moments = told?.complete !== false && !lasts;
  const mixed = timed && of.ranges.length > 0;
  // An address or moment can be written in few ways.
  return { kinds, complete: texts.complete && moments && onlyEquals && !mixed && each <= 2 };
}

/** The next number after this one, near enough. */
function next(number: number): number {
  return number + Math.max(Math.abs(number), 1) * Number.EPSILON;
}

interface Sorted {
  readonly numbers: number[];
  readonly texts: TextQuestion[];
  readonly sizes: number[];
  readonly members: Json[];
  readonly values: Json[];
  readonly ranges: IpRange[];
  readonly moments: number[];
  readonly presents: number[];
  readonly windows: TimeWindow[];
  readonly hours: TimeWindow[];
}

function windowsOf({ windows, hours }: Sorted): readonly TimeWindow[] {
  return hours.length === 0 ? windows : [...windows, ...hours];
}

/** The questions by what they are about, each once. */
function sorted(questions: readonly Question[]): Sorted {
  const of: Sorted = {
    numbers: [],
    texts: [],
    sizes: [],
    members: [],
    values: [],
    ranges: [],
    moments: [],
    presents: [],
    windows: [],
    hours: [],
  };
  const seen = new Set<string>();
  for (const question of questions) {
    const key = JSON.stringify(question);
    if (seen.has(key)) continue;
    seen.add(key);
    switch (question.ask) {
      case 'kind':
        break;
      case 'number':
        of.numbers.push(question.number);
        break;
      case 'size':
        of.sizes.push(question.size);
        of.texts.push(question);
        break;
      case 'member':
        if (isJson(question.value)) of.members.push(question.value);
        break;
      case 'value':
        if (isJson(question.value)) of.values.push(question.value);
        break;
      case 'ip':
        of.ranges.push(question.range);
        break;
      case 'moment':
        of.moments.push(question.ms);
        break;
      case 'present':
        of.presents.push(question.ms);
        break;
      case 'window':
        of.windows.push(question.window);
        break;
      case 'hours':
        of.hours.push(question.window);
        break;
      default:
        of.texts.push(question);
    }
  }
  return of;
}
