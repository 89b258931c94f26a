/** A question about a text that is answered by reading it once, character by character (code points). */
export interface Automaton<State = unknown> {
  readonly start: State;
  next(state: State, character: number): State;
  accepts(state: State): boolean;
  /** Equal texts stand for equal states. */
  keyOf(state: State): string;
  /** The first characters of the ranges within which all characters are alike to it. */
  readonly boundaries: readonly number[];
}

/** The code points of a text; undefined if half a character stands alone in it, which this does not look into. */
export function codePointsOf(text: string): number[] | undefined {
  const points = [...text].map((character) => character.codePointAt(0) as number);
  return points.some((point) => point >= 0xd800 && point < 0xe000) ? undefined : points;
}

const around = (points: readonly number[]) => points.flatMap((point) => [point, point + 1]);

/** Which of several texts it is: one automaton for all, accepting each. State: the text read so far, or null beyond all. */
export function oneOf(texts: readonly (readonly number[])[]): Automaton<string | null> {
  const prefixes = new Set<string>(['']);
  const whole = new Set<string>();
  for (const text of texts) {
    let prefix = '';
    for (const point of text) {
      prefix += String.fromCodePoint(point);
      prefixes.add(prefix);
    }
    whole.add(prefix);
  }
  return {
    start: '',
    next: (state, character) => {
      if (state === null) return null;
      const longer = state + String.fromCodePoint(character);
      return prefixes.has(longer) ? longer : null;
    },
    accepts: (state) => state !== null && whole.has(state),
    keyOf: (state) => (state === null ? '' : `=${state}`),
    boundaries: around(texts.flat()),
  };
}

/** State: how many characters of the text have matched; -1 once it cannot start with it any more. */
export function startsWith(text: readonly number[]): Automaton<number> {
  return {
    start: 0,
    next: (state, character) =>
      state < 0 || state === text.length ? state : text[state] === character ? state + 1 : -1,
    accepts: (state) => state === text.length,
    keyOf: String,
    boundaries: around(text),
  };
}

/** State: how many characters of the text the text read so far ends with; `sticky` if that counts once it is all. */
export function endsWith(text: readonly number[], sticky: boolean): Automaton<number> {
  const fallbacks = fallbacksOf(text);
  return {
    start: 0,
    next: (state, character) => {
      if (sticky && state === text.length) return state;
      let matched = state;
      while (matched > 0 && text[matched] !== character) matched = fallbacks[matched - 1] as number;
      return text[matched] === character ? matched + 1 : 0;
    },
    accepts: (state) => state === text.length,
    keyOf: String,
    boundaries: around(text),
  };
}

/** For each prefix, the length of the longest shorter one that it ends with (Knuth, Morris and Pratt). */
function fallbacksOf(text: readonly number[]): number[] {
  const lengths = [0];
  for (let at = 1; at < text.length; at++) {
    let length = lengths[at - 1] as number;
    while (length > 0 && text[at] !== text[length]) length = lengths[length - 1] as number;
    lengths.push(text[at] === text[length] ? length + 1 : 0);
  }
  return lengths;
}

/** Whether it stands before a text, by UTF-16 units. State: how many have been equal so far, or how it turned out. */
export function before(text: readonly number[]): Automaton<number | 'before' | 'after'> {
  return {
    start: 0,
    next: (state, character) => {
      if (typeof state === 'string') return state;
      const there = text[state];
      if (there === undefined) return 'after';
      if (there === character) return state + 1;
      return firstUnit(character) < firstUnit(there) || (firstUnit(character) === firstUnit(there) && character < there)
        ? 'before'
        : 'after';
    },
    accepts: (state) => state === 'before' || (typeof state === 'number' && state < text.length),
    keyOf: String,
    boundaries: [...around(text), 0xd800, 0xe000, 0x10000],
  };
}

function firstUnit(character: number): number {
  return String.fromCodePoint(character).charCodeAt(0);
}

/** Whether it has at least so many characters. State: how many it has, up to that. */
export function longerThan(size: number): Automaton<number> {
  return {
    start: 0,
    next: (state) => Math.min(state + 1, size),
    accepts: (state) => state >= size,
    keyOf: String,
    boundaries: [],
  };
}
