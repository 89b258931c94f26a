import type { Json } from '../json/json.js';

/** The name of a type in a notation, with its article. */
export interface Words {
  string: string;
  array: string;
  object: string;
  null: string;
}

export const YAML_WORDS: Words = { string: 'a text', array: 'a list', object: 'a mapping', null: 'empty' };
export const JSON_WORDS: Words = { string: 'a string', array: 'an array', object: 'an object', null: 'null' };
export const HCL_WORDS: Words = { string: 'a string', array: 'a list', object: 'an object', null: 'null' };

const SHOWN = 60;

/** A text in double quotes, cut where it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/** Describes a value, as the end of a sentence: `is the text "x"`, `is a list`. */
export function describe(value: Json | undefined, words: Words): string {
  if (value === undefined) return 'is missing';
  if (value === null) return `is ${words.null}`;
  if (typeof value === 'string') return `is ${words.string.replace(/^an? /, 'the ')} ${quote(value)}`;
  if (typeof value === 'number') return `is the number ${value}`;
  if (typeof value === 'boolean') return `is the boolean ${value}`;
  return `is ${Array.isArray(value) ? words.array : words.object}`;
}
