import { type Automaton, before, codePointsOf, endsWith, longerThan, oneOf, startsWith } from './automaton.js';
import { matches } from './pattern-automaton.js';

/** A question about a text. */
export type TextQuestion =
  | { readonly ask: 'equals' | 'before' | 'starts' | 'ends' | 'contains' | 'matches'; readonly text: string }
  | { readonly ask: 'size'; readonly size: number };

/** Texts that stand for all. */
export interface Texts {
  /** Texts that the questions do not tell apart, `each` of a kind, or all if there are fewer. */
  readonly kinds: readonly (readonly string[])[];
  /** Whether these are all kinds. */
  readonly complete: boolean;
}

/** The transitions that may be taken to find them. */
const TRANSITIONS_MAX = 60_000;
const SIZE_MAX = 128;
/** More ranges of characters than these come from classes like `\pL`. */
const CHARACTERS_MAX = 160;

const remembered = new Map<string, Texts>();
const REMEMBERED_MAX = 2000;

/** Texts that give all combinations of answers to the questions that any text gives. */
export function textsFor(questions: readonly TextQuestion[], each: number): Texts {
  const key = `${each} ${JSON.stringify(questions)}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const found = questions.every(({ ask }) => ask === 'equals') ? literals(questions, each) : searched(questions, each);
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  remembered.set(key, found);
  return found;
}

type Equals = Extract<TextQuestion, { readonly text: string }>;

/** Only the texts themselves matter, and that others exist. */
function literals(questions: readonly TextQuestion[], each: number): Texts {
  const texts = new Set((questions as readonly Equals[]).map(({ text }) => text));
  const others: string[] = [];
  for (let at = 0; others.length < each; at++) {
    const other = at === 0 ? 'other' : `other-${at}`;
    if (!texts.has(other)) others.push(other);
  }
  return { kinds: [...[...texts].map((text) => [text]), others], complete: true };
}

interface Reached {
  readonly text: string;
  readonly states: readonly unknown[];
}

/** Reads texts in the order of their length, with all questions in step, until every state has been met often enough. */
function searched(questions: readonly TextQuestion[], each: number): Texts {
  const automata = automataOf(questions);
  const literal = questions.filter((question): question is Equals => question.ask !== 'size').map(({ text }) => text);
  const tried = () => [...new Set([...literal, ...tries(questions)])].map((text) => [text]);
  if (automata === undefined) return { kinds: tried(), complete: false };
  const { characters, whole } = charactersOf(automata);
  const visits = new Map<string, number>();
  const kinds = new Map<string, string[]>();
  const queue: Reached[] = [];
  const reach = (reached: Reached) => {
    const state = reached.states.map((one, at) => (automata[at] as Automaton).keyOf(one)).join('\n');
    const times = visits.get(state) ?? 0;
    if (times >= each) return;
    visits.set(state, times + 1);
    queue.push(reached);
    const kind = reached.states.map((one, at) => ((automata[at] as Automaton).accepts(one) ? '1' : '0')).join('');
    const equal =
      kind.startsWith('1') && questions.some(({ ask }) => ask === 'equals') ? `${kind} ${reached.text}` : kind;
    const texts = kinds.get(equal) ?? [];
    if (texts.length < each) kinds.set(equal, [...texts, reached.text]);
  };
  reach({ text: '', states: automata.map(({ start }) => start) });
  let transitions = 0;
  let complete = whole;
  for (let at = 0; at < queue.length; at++) {
    const { text, states } = queue[at] as Reached;
    transitions += characters.length;
    if (transitions * automata.length > TRANSITIONS_MAX) {
      complete = false;
      break;
    }
    for (const character of characters) {
      const next = states.map((state, index) => (automata[index] as Automaton).next(state, character));
      reach({ text: text + String.fromCodePoint(character), states: next });
    }
  }
  return { kinds: complete ? [...kinds.values()] : [...kinds.values(), ...tried()], complete };
}

/** The equalities come first, in one automaton; undefined if a question is none that can be looked into. */
function automataOf(questions: readonly TextQuestion[]): Automaton[] | undefined {
  const equal: number[][] = [];
  const automata: (Automaton | undefined)[] = [];
  for (const question of questions) {
    if (question.ask === 'size') {
      const size = Math.ceil(question.size);
      if (size > SIZE_MAX) return undefined;
      for (const more of [size, size + 1]) if (more > 0) automata.push(longerThan(more) as Automaton);
      continue;
    }
    if (question.ask === 'matches') {
      automata.push(matches(question.text) as Automaton | undefined);
      continue;
    }
    const points = codePointsOf(question.text);
    if (points === undefined) return undefined;
    if (question.ask === 'equals') equal.push(points);
    else if (question.ask === 'starts') automata.push(startsWith(points) as Automaton);
    else if (question.ask === 'before') automata.push(before(points) as Automaton, oneOf([points]) as Automaton);
    else automata.push(endsWith(points, question.ask === 'contains') as Automaton);
  }
  if (automata.includes(undefined)) return undefined;
  const others = automata as Automaton[];
  return equal.length === 0 ? others : [oneOf(equal) as Automaton, ...others];
}

/** Characters that are easy to read, most of all. */
const READABLE = [...'xyzabcdefghijklmnopqrstuvw0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. /@'].map((one) =>
  one.charCodeAt(0),
);

/** One character of each range within which the automata tell no two apart. */
function charactersOf(automata: readonly Automaton[]): { characters: readonly number[]; whole: boolean } {
  const starts = [...new Set([0, ...automata.flatMap(({ boundaries }) => boundaries)])]
    .filter((point) => point <= 0x10ffff)
    .sort((left, right) => left - right);
  const characters: number[] = [];
  for (const [at, start] of starts.entries()) {
    const end = starts[at + 1] ?? 0x110000;
    const readable = READABLE.find((point) => point >= start && point < end);
    const chosen = readable ?? (start >= 0xd800 && start < 0xe000 ? 0xe000 : start);
    if (readable !== undefined || chosen < end) characters.push(chosen);
  }
  if (characters.length <= CHARACTERS_MAX) return { characters, whole: true };
  return { characters: characters.slice(0, CHARACTERS_MAX), whole: false };
}

/** Texts that are worth a try where the search cannot tell. */
function tries(questions: readonly TextQuestion[]): string[] {
  const found = ['', 'other'];
  const parts = { starts: '', ends: '', contains: '' };
  for (const question of questions) {
    if (question.ask === 'size')
      for (const more of [0, 1]) found.push('x'.repeat(Math.min(Math.ceil(question.size) + more, 2000)));
    else {
      found.push(`${question.text}x`, `x${question.text}`, `x${question.text}x`, question.text.slice(0, -1));
      if (question.ask === 'starts' || question.ask === 'ends' || question.ask === 'contains')
        parts[question.ask] = question.text;
    }
  }
  return [...found, parts.starts + parts.contains + parts.ends];
}
