import type { Json, JsonObject } from '../json/json.js';

/** Lines up to this many columns hold a whole list or mapping. */
export const WIDTH = 120;

/** Keys may have 1024 characters before their colon; longer ones take a line of their own. */
export const KEY_LENGTH = 1000;

/** Words that some YAML reads as another thing than text. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;

/** Text that needs no quotes anywhere: words of letters, digits and a few signs that mean nothing in YAML. */
const BARE_ANYWHERE = /^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_./@%+-]|:(?=\p{L}))*(?: [\p{L}\p{M}\p{N}_./@%+()-]+)*$/u;

/** Text that needs no quotes as the value of a key on a line of its own. */
const BARE_IN_BLOCK = /^[\p{L}_(](?:[\p{L}\p{M}\p{N}\p{P}\p{S} ]*[\p{L}\p{M}\p{N}\p{P}\p{S}])?$/u;

/** Text that single quotes can hold as it is. */
const SINGLE_QUOTED = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

const BLOCK_LINE = /^(?:[\p{L}\p{M}\p{N}\p{P}\p{S} ]*[\p{L}\p{M}\p{N}\p{P}\p{S}])?$/u;

/** Begins like a number, a date or a time, and holds nothing that they could not. */
const NUMERIC = /^[-+.]?[0-9](?:[0-9._:TtZz+-]*|[0-9._]*e[-+]?[0-9]+|[xXoObB][0-9a-fA-F_]*)$/i;

/** Characters that the reader refuses, or an editor hides: they are written as an escape. */
const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffd\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g;

function quoted(text: string): string {
  if (/["\\]/.test(text) && !text.includes("'") && SINGLE_QUOTED.test(text) && !text.includes('\ufffd'))
    return `'${text}'`;
  return JSON.stringify(text).replace(
    ESCAPED,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

/** Whether a text is a word that some YAML reads as another thing than text. */
export function isReserved(text: string): boolean {
  return RESERVED.test(text);
}

function isAmbiguous(text: string): boolean {
  return isReserved(text) || NUMERIC.test(text) || text.includes('\ufffd');
}

/** A value among others on a line. */
export function scalarText(value: null | boolean | number | string): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return BARE_ANYWHERE.test(value) && !isAmbiguous(value) ? value : quoted(value);
}

/** A value on one line. */
export function flowText(value: Json): string {
  if (value === null || typeof value !== 'object') return scalarText(value);
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  const members = Object.entries(value).map(([key, inner]) => {
    const name = scalarText(key);
    return `${name.length > KEY_LENGTH ? `? ${name} ` : name}: ${flowText(inner)}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Whether a value goes into the line after its key, where there is room; `never` keeps the outermost one open. */
export type Inline = 'fitting' | 'never';

/** The lines of `key: value` at this indentation. */
export function memberLines(key: string, value: Json, indent: string, inline: Inline = 'fitting'): string[] {
  const name = scalarText(key);
  const long = name.length > KEY_LENGTH;
  const start = long ? `${indent}? ${name}\n${indent}:` : `${indent}${name}:`;
  if (value === null || typeof value !== 'object') return textLines(start, value, indent);
  const items = Array.isArray(value) ? value.length : Object.keys(value).length;
  const flow = items === 0 || inline === 'fitting' ? `${start} ${flowText(value)}` : undefined;
  if (flow !== undefined && (items === 0 || flow.length <= WIDTH)) return [flow];
  return [start, ...blockLines(value, `${indent}  `)];
}

function blockLines(value: Json[] | JsonObject, indent: string): string[] {
  if (!Array.isArray(value)) return Object.entries(value).flatMap(([key, inner]) => memberLines(key, inner, indent));
  return value.flatMap((item) => itemLines(item, indent));
}

/** The lines of an item of a list at this indentation. */
export function itemLines(item: Json, indent: string): string[] {
  const line = `${indent}- ${flowText(item)}`;
  if (line.length <= WIDTH || item === null || typeof item !== 'object') return [line];
  const [first = '', ...rest] = blockLines(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function textLines(start: string, value: null | boolean | number | string, indent: string): string[] {
  const literal = typeof value === 'string' ? literalLines(value) : undefined;
  if (literal === undefined) return [`${start} ${typeof value === 'string' ? bareText(value) : scalarText(value)}`];
  const [header, ...lines] = literal;
  return [`${start} ${header}`, ...lines.map((line) => (line === '' ? '' : `${indent}  ${line}`))];
}

/** A text of one line behind its key. */
export function bareText(text: string): string {
  return BARE_IN_BLOCK.test(text) && !/: | #|:$/.test(text) && !isAmbiguous(text) ? text : scalarText(text);
}

/** Whether a text has several lines that a literal block can hold. */
export function isLiteral(text: string): boolean {
  return literalLines(text) !== undefined;
}

/** A text of several lines as a literal block, where that keeps every sign. */
function literalLines(text: string): [header: string, ...lines: string[]] | undefined {
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const lines = body.split('\n');
  const sound = lines.every((line) => BLOCK_LINE.test(line) && !line.includes('\ufffd'));
  const framed = /^[^\s]/u.test(lines[0] ?? '') && lines.at(-1) !== '';
  if (lines.length < 2 || !sound || !framed) return undefined;
  return [body === text ? '|-' : '|', ...lines];
}
