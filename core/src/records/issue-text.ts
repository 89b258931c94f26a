import type * as z from 'zod';
import type { Json } from '../json/json.js';
import { nearest } from '../text/nearest.js';
import { describe, quote, type Words } from './describe.js';

type Issue = z.core.$ZodIssue;

/**
 * Returns what a schema's issue says to somebody who wrote the value: what it is, what is wrong with it, the remedy; the
 * end of a sentence that starts with its place. A check whose `params` say `unnamed` is told without the value, which may
 * be secret. `source` is how a scalar is written, where it is written plainly.
 */
export function issueText(issue: Issue, value: Json | undefined, words: Words, source?: string): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeText(issue, value, words, source);
    case 'invalid_value':
      return choiceText(issue.values, value, words);
    case 'too_small':
    case 'too_big':
      return boundText(issue, value, words);
    case 'invalid_key': {
      const [inner] = issue.issues;
      const fault = inner === undefined ? 'is not allowed.' : issueText(inner as Issue, undefined, words);
      return `the key ${quote(String(issue.path.at(-1)))} ${fault}`;
    }
    case 'invalid_union':
      // A discriminated union says by which values it tells its forms apart.
      if ('options' in issue) return choiceText(issue.options as z.core.util.Primitive[], value, words);
      if (holdsInfinity(value)) return 'holds a number that is too large to be kept: write it in quotes.';
      return `${describe(value, words)}: ${issue.message === 'Invalid input' ? 'another type is expected' : issue.message}.`;
    case 'custom':
      return valueText(issue.message, issue.params?.unnamed ? undefined : value);
    default:
      return valueText(issue.message, value);
  }
}

/** Says whether a value holds what JSON's parser makes of a number beyond a double's range. */
function holdsInfinity(value: Json | undefined): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsInfinity);
}

/** The message for a key that is not allowed in this place. */
export function unknownKeyText(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  const choice = known.length === 0 ? 'remove it.' : `write one of ${known.join(', ')}.`;
  return `the key ${quote(key)} is not known: ${near === undefined ? choice : `did you mean ${quote(near)}?`}`;
}

/** A schema's own words, which begin with "must", or with what is wrong. */
function valueText(message: string, value: Json | undefined): string {
  const unnamed = value === undefined || (value !== null && typeof value === 'object');
  return unnamed ? `${message}.` : `${typeof value === 'string' ? quote(value) : String(value)} ${message}.`;
}

function wantedText(expected: string, words: Words): string {
  if (expected === 'string') return words.string;
  if (expected === 'array') return words.array;
  if (expected === 'object' || expected === 'record') return words.object;
  if (expected === 'boolean') return 'true or false';
  return expected === 'int' ? 'a whole number' : `a ${expected}`;
}

function typeText(
  { expected, path }: Extract<Issue, { code: 'invalid_type' }>,
  value: Json | undefined,
  words: Words,
  source: string | undefined,
): string {
  const wanted = wantedText(expected, words);
  if (value === undefined) return `is missing: write ${wanted}.`;
  const found = `${describe(value, words)}, ${wanted} is expected`;
  if (value === null) return path.length === 0 ? `${found}.` : `${found}: write one, or remove the key.`;
  if (expected === 'string' && typeof value !== 'object') {
    return `${found}: write ${JSON.stringify(source ?? String(value))} in quotes.`;
  }
  if (expected === 'array' && typeof value !== 'object') return `${found}: write [${source ?? JSON.stringify(value)}].`;
  if (
    typeof value === 'string' &&
    value.trim() !== '' &&
    Number.isFinite(Number(value)) &&
    /number|int/.test(expected)
  ) {
    return `${found}: write ${Number(value)} without quotes.`;
  }
  return `${found}.`;
}

function choiceText(values: readonly z.core.util.Primitive[], value: Json | undefined, words: Words): string {
  const choices = values.map(String);
  const list = choices.length === 1 ? choices.join() : `one of ${choices.join(', ')}`;
  if (value === undefined) return `is missing: write ${list}.`;
  if (typeof value === 'string') {
    if (values[0] === true && /^(?:true|yes|on|y)$/i.test(value)) {
      return `${describe(value, words)}: write true, without quotes.`;
    }
    const near = nearest(value, choices);
    if (near !== undefined) return `${quote(value)} is not known here: did you mean ${quote(near)}? Write ${list}.`;
  }
  return `${describe(value, words)}: write ${list}.`;
}

function boundText(
  issue: Extract<Issue, { code: 'too_small' | 'too_big' }>,
  value: Json | undefined,
  words: Words,
): string {
  if (!/^Too (?:small|big)/.test(issue.message)) return valueText(issue.message, value);
  const least = issue.code === 'too_small';
  const bound = String(least ? issue.minimum : issue.maximum);
  if (issue.origin === 'array') {
    const empty = words.array.replace(/^an? /, 'an empty ');
    return least ? `is ${empty}: name at least one.` : `has more than ${bound} items.`;
  }
  if (issue.origin === 'string') {
    const empty = words.string.replace(/^an? /, 'an empty ');
    return least ? `is ${empty}: write one, or remove the key.` : `has more than ${bound} characters: shorten it.`;
  }
  return `${describe(value, words)}: write one that is ${least ? 'at least' : 'at most'} ${bound}.`;
}
