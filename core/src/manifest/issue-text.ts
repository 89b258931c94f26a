import type { z } from 'zod';
import type { Json } from '../json.js';
import { nearest } from '../nearest.js';
import { describe, quote } from './describe.js';

const EXPECTED: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

type Issue = z.core.$ZodIssue;

/**
 * What a schema's issue says to somebody who wrote YAML: the value, what is wrong with it, the remedy. `source` is how
 * a scalar is written, where it is written plainly.
 */
export function issueText(issue: Issue, value: Json | undefined, source: string | undefined): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeText(issue.expected, value, source);
    case 'invalid_value':
      return choiceText(issue.values, value);
    case 'too_small':
    case 'too_big':
      return boundText(issue, value);
    case 'invalid_key':
      return `the key ${quote(String(issue.path.at(-1)))} ${lowerFirst(issue.issues[0]?.message ?? 'is not allowed')}.`;
    case 'invalid_union':
      return `${describe(value)}: ${issue.message === 'Invalid input' ? 'another type is expected' : issue.message}.`;
    default:
      return valueText(issue.message, value);
  }
}

/** A schema's own words, which begin with "must", or with what is wrong. */
function valueText(message: string, value: Json | undefined): string {
  const scalar = value === undefined || (value !== null && typeof value === 'object');
  return scalar ? `${message}.` : `${typeof value === 'string' ? quote(value) : String(value)} ${message}.`;
}

function typeText(expected: string, value: Json | undefined, source: string | undefined): string {
  const wanted = EXPECTED[expected] ?? expected;
  if (value === undefined) return `is missing: write ${wanted}.`;
  const found = `${describe(value)}, ${wanted} is expected`;
  if (value === null) return `${found}: write one, or remove the key.`;
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

function choiceText(values: readonly z.core.util.Primitive[], value: Json | undefined): string {
  const choices = values.map(String);
  const list = choices.length === 1 ? choices.join() : `one of ${choices.join(', ')}`;
  if (value === undefined) return `is missing: write ${list}.`;
  if (typeof value === 'string') {
    if (values[0] === true && /^(?:true|yes|on|y)$/i.test(value)) {
      return `${describe(value)}: write true, without quotes.`;
    }
    const near = nearest(value, choices);
    if (near !== undefined) return `${quote(value)} is not known here: did you mean ${quote(near)}? Write ${list}.`;
  }
  return `${describe(value)}: write ${list}.`;
}

function boundText(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>, value: Json | undefined): string {
  if (!/^Too (?:small|big)/.test(issue.message)) return valueText(issue.message, value);
  const least = issue.code === 'too_small';
  const bound = String(least ? issue.minimum : issue.maximum);
  if (issue.origin === 'array') return least ? 'is an empty list: name at least one.' : `has more than ${bound} items.`;
  if (issue.origin === 'string') {
    return least ? 'is an empty text: write one, or remove the key.' : `has more than ${bound} characters: shorten it.`;
  }
  return `${describe(value)}: write one that is ${least ? 'at least' : 'at most'} ${bound}.`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
