import { RE2JS } from 're2js';
import type { Automaton } from './automaton.js';

/** The operations of a compiled pattern, which are those of RE2 and Go. */
const ALT = 1;
const ALT_MATCH = 2;
const CAPTURE = 3;
const EMPTY_WIDTH = 4;
const MATCH = 6;
const NOP = 7;
const RUNE = 8;
const RUNE_ANY_NOT_NL = 11;
const FOLD_CASE = 1;

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Int32Array;
  matchRune(rune: number): boolean;
}

const NEW_LINE = 10;
const NONE = -1;

/** The positions in the pattern, before which character, and after which; or that it has matched. */
interface PatternState {
  readonly matched: boolean;
  readonly threads: readonly number[];
  readonly last: number;
}

/**
 * Whether a pattern matches anywhere in a text: the library's own program, run in step with other questions about the
 * same text. Undefined where the pattern ignores the case of characters beyond ASCII.
 */
export function matches(source: string): Automaton<PatternState> | undefined {
  const prog = programOf(source);
  if (prog === undefined) return undefined;
  const instructions = Array.from({ length: prog.numInst() }, (_, at): Instruction => prog.getInst(at));
  if (prog.numLb > 0) return undefined;
  const boundaries = boundariesOf(instructions);
  if (boundaries === undefined) return undefined;

  /** The threads that wait for a character between these two, and whether one of them is at its end. */
  const closure = ({ threads, last }: PatternState, next: number): { waiting: number[]; matched: boolean } => {
    const context = emptyContext(last, next);
    const seen = new Set<number>([prog.start, ...threads]);
    const waiting: number[] = [];
    for (const at of seen) {
      const { op, out, arg } = instructions[at] as Instruction;
      if (op === MATCH) return { waiting: [], matched: true };
      if (op >= RUNE && op <= RUNE_ANY_NOT_NL) waiting.push(at);
      else if (op === ALT || op === ALT_MATCH) seen.add(out).add(arg);
      else if (op === CAPTURE || op === NOP || (op === EMPTY_WIDTH && (arg & ~context) === 0)) seen.add(out);
    }
    return { waiting, matched: false };
  };

  return {
    start: { matched: false, threads: [], last: NONE },
    next: (state, character) => {
      if (state.matched) return state;
      const { waiting, matched } = closure(state, character);
      if (matched) return { matched: true, threads: [], last: NONE };
      const threads = new Set<number>();
      for (const at of waiting) {
        const instruction = instructions[at] as Instruction;
        if (accepts(instruction, character)) threads.add(instruction.out);
      }
      return { matched: false, threads: [...threads].sort((left, right) => left - right), last: character };
    },
    accepts: (state) => state.matched || closure(state, NONE).matched,
    keyOf: ({ matched, threads, last }) => (matched ? 'matched' : `${threads.join(',')}/${kindOf(last)}`),
    boundaries,
  };
}

/** Undefined where the pattern is none: then every match fails, whatever the text. */
function programOf(source: string) {
  try {
    return RE2JS.compile(source).re2().prog;
  } catch {
    return undefined;
  }
}

function accepts({ op, runes, arg, matchRune }: Instruction, character: number): boolean {
  if (op === RUNE_ANY_NOT_NL) return character !== NEW_LINE;
  if (op === RUNE_ANY_NOT_NL - 1) return true;
  return matchRune.call({ runes, arg }, character);
}

/** RE2's bits: beginning and end of line, beginning and end of text, word boundary or none. */
function emptyContext(last: number, next: number): number {
  const lines = (last === NONE || last === NEW_LINE ? 1 : 0) | (next === NONE || next === NEW_LINE ? 2 : 0);
  const text = (last === NONE ? 4 : 0) | (next === NONE ? 8 : 0);
  return lines | text | (isWord(last) === isWord(next) ? 32 : 16);
}

function isWord(character: number): boolean {
  return character >= 0 && character < 128 && /\w/.test(String.fromCharCode(character));
}

function kindOf(last: number): string {
  return last === NONE ? 'start' : last === NEW_LINE ? 'line' : isWord(last) ? 'word' : 'other';
}

function boundariesOf(instructions: readonly Instruction[]): number[] | undefined {
  const found = new Set<number>([NEW_LINE, NEW_LINE + 1]);
  for (const { op, arg, runes } of instructions) {
    if (op === EMPTY_WIDTH && (arg & 48) !== 0)
      for (const first of '09AZ__az') found.add(first.charCodeAt(0)).add(first.charCodeAt(0) + 1);
    if (op < RUNE || op > RUNE_ANY_NOT_NL) continue;
    if (runes.length === 1) {
      const rune = runes[0] as number;
      for (const same of (arg & FOLD_CASE) === 0 ? [rune] : foldsOf(rune)) found.add(same).add(same + 1);
      if ((arg & FOLD_CASE) !== 0 && rune >= 128) return undefined;
    }
    for (let at = 0; at + 1 < runes.length; at += 2) found.add(runes[at] as number).add((runes[at + 1] as number) + 1);
  }
  return [...found];
}

/** The characters that equal an ASCII character without regard to case: the Kelvin sign is a k, the long s an s. */
function foldsOf(rune: number): number[] {
  const letter = String.fromCodePoint(rune);
  const special = /k/i.test(letter) ? [0x212a] : /s/i.test(letter) ? [0x017f] : [];
  return [letter.toLowerCase().codePointAt(0) as number, letter.toUpperCase().codePointAt(0) as number, ...special];
}
