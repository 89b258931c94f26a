import { stripVTControlCharacters } from 'node:util';
import { nearest } from '@authz-service/core/text/nearest';
import type { Caller } from './failure.js';

/** An error that oclif throws for a wrong command line; it exports no classes to tell the errors apart. */
interface ParseError extends Error {
  oclif: object;
  /** Flags that do not exist, as typed. */
  flags?: string[];
  /** Arguments that are too many (as typed) or missing (as defined). */
  args?: (string | { name: string })[];
}

export function isParseError(error: unknown): error is ParseError {
  return error instanceof Error && typeof (error as Partial<ParseError>).oclif === 'object';
}

/** The parser's error in this program's words: the value and, if one is similar, what was probably meant. */
export function parseDetail(error: ParseError, caller: Caller): string {
  if (error.flags !== undefined) return error.flags.map((flag) => unknownFlag(flag, caller)).join(' ');
  const [argument] = error.args ?? [];
  if (typeof argument === 'string') return `"${argument}" is one argument too many.`;
  if (argument !== undefined) return `${argument.name.toUpperCase()} is missing.`;
  const text = stripVTControlCharacters(error.message)
    .replace(/\s*See more help with --help\s*$/, '')
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/^Command (\S+) not found/, (_, id: string) => `There is no command "${id.replaceAll(':', ' ')}"`)
    .replace(/^Parsing (--\S+)\s+/, '$1: ')
    .replace(/Flag (\S+) expects a value/g, '$1 lacks its value')
    .replace(/Missing required flag (\S+)/g, '--$1 is missing')
    .replace(
      /Expected an integer greater than or equal to (\S+) but received: (.*)/g,
      '$2 is too small, the least is $1',
    )
    .replace(/Expected an integer less than or equal to (\S+) but received: (.*)/g, '$2 is too large, the most is $1')
    .replace(/Expected an integer but received: (.*)/g, '"$1" is not a whole number')
    .replace(
      /Expected (?:(--\S+)=)?(.*) to be one of: (.*)/g,
      (_, flag: string | undefined, word: string, choices: string) => wrongChoice(flag, word, choices.split(', ')),
    )
    .replace(/\s*\n\s*/g, '; ');
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

function wrongChoice(flag: string | undefined, word: string, choices: readonly string[]): string {
  const found = `${flag === undefined ? '' : `${flag}: `}"${word}" is not known here`;
  const meant = nearest(word, choices);
  const list = `one of ${choices.join(', ')}`;
  return meant === undefined ? `${found}: write ${list}` : `${found}: did you mean "${meant}"? Write ${list}`;
}

function unknownFlag(flag: string, { flags: known, args = [], id = '' }: Caller): string {
  const word = flag.split('=')[0] ?? flag;
  const typed = word.replace(/^-+/, '');
  if (args.includes(typed)) {
    const call = ['servicectl', id, ...args.map((name) => name.toUpperCase())].join(' ');
    return `${word} is an argument here, not a flag: write "${call}".`;
  }
  const meant = nearest(typed, known) ?? (typed.length > 1 ? known.find((name) => name.startsWith(typed)) : undefined);
  return `There is no flag ${word}${meant === undefined ? '.' : `: did you mean --${meant}?`}`;
}
