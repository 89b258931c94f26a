import { RE2JS } from 're2js';
import { CONDITION_LIMITS } from '../syntax/limits.js';
import { Failure } from './outcome.js';
import type { Work } from './work.js';

/** A regular expression in RE2 syntax, matched in time linear in the text. */
export interface Pattern {
  /** Whether it matches anywhere in the text. */
  test(text: string, work: Work): boolean;
}

const REPEAT = /\{(\d{1,9})(?:,(\d{0,9}))?\}/g;

/** Compiles a pattern; a failure says what is wrong with it. */
export function compilePattern(source: string): Pattern | Failure {
  if (source.length > CONDITION_LIMITS.patternLength)
    return new Failure(
      `the pattern of matches() has ${source.length} characters: at most ${CONDITION_LIMITS.patternLength} are allowed`,
    );
  let repeats = 0;
  for (const [, from, to] of source.matchAll(REPEAT)) repeats += Number(to || from);
  if (repeats > CONDITION_LIMITS.patternRepeats)
    return new Failure(
      `the pattern of matches() repeats ${repeats} times in all: at most ${CONDITION_LIMITS.patternRepeats} are allowed`,
    );
  try {
    const compiled = RE2JS.compile(source);
    const cost = Math.ceil(compiled.programSize() / 8);
    return {
      test(text, work) {
        work.charge(text.length * cost);
        return compiled.test(text);
      },
    };
  } catch (error) {
    return new Failure(
      `the pattern of matches() is not valid RE2: ${(error as Error).message.replace(/^error parsing regexp: /, '')}`,
    );
  }
}

/** Patterns that come with requests; the cost of compiling one is charged even when it is remembered. */
const remembered = new Map<string, Pattern | Failure>();
const REMEMBERED_MAX = 500;

export function dynamicPattern(source: string, work: Work): Pattern | Failure {
  work.charge(1000 + source.length * 16);
  let pattern = remembered.get(source);
  if (pattern === undefined) {
    pattern = withoutQuote(compilePattern(source));
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(source, pattern);
  }
  return pattern;
}

/** The failure without the part of the pattern that it quotes: it is the value of an attribute. */
function withoutQuote(pattern: Pattern | Failure): Pattern | Failure {
  return pattern instanceof Failure ? new Failure(pattern.cause.replace(/: `[\s\S]*`$/, '')) : pattern;
}
