import { type Document, visit, type YAMLError } from 'yaml';
import { append } from '../collections/append.js';
import { oddFirstLine } from './odd-line.js';

/** A syntax error in a document, with its offset in the text. */
interface YamlFault {
  offset: number;
  text: string;
}

/** Remedies for errors of the YAML parser, if its own words name none. */
const HINTS: Partial<Record<YAMLError['code'], string>> = {
  BAD_INDENT: 'Indent it like its neighbours.',
  BAD_ALIAS: 'A value that begins with "*" is an alias in YAML: put it in quotes if the text is meant.',
  BAD_DQ_ESCAPE: 'Write \\\\ for a backslash, or put the text in single quotes.',
  BAD_SCALAR_START: 'Put the value in quotes.',
  BLOCK_IN_FLOW: 'Is a comma missing, or a closing bracket?',
  BLOCK_AS_IMPLICIT_KEY: 'Put a text that holds ": " in quotes.',
  MULTILINE_IMPLICIT_KEY: 'Is a colon missing behind a key?',
  TAB_AS_INDENT: 'Indent with spaces.',
  TAG_RESOLVE_FAILED: 'A value that begins with "!" is a tag in YAML: put it in quotes if the text is meant.',
};

/** The remedy for text behind a value that has ended: the parser gives other errors the same code. */
const AFTER_VALUE = 'Put the whole value in quotes, not a part of it; between values, is a comma missing?';

/** The parser's error codes for a line with wrong indentation. */
const ABOUT_LINES: readonly YAMLError['code'][] = ['UNEXPECTED_TOKEN', 'BLOCK_AS_IMPLICIT_KEY'];

/** The parser's follow-up errors after a first one. */
const LOST = / token in YAML stream/;

/** By how the parser names what is not closed: what opens and what closes it. The parser tells only where it gave up. */
const UNCLOSED: readonly { says: RegExp; opens: string; remedy: string }[] = [
  { says: /^Missing closing "quote/, opens: '"', remedy: 'add the closing "' },
  { says: /^Missing closing 'quote/, opens: "'", remedy: "add the closing '" },
  { says: /^Flow map .*end with a }/, opens: '{', remedy: indented('}') },
  { says: /^Flow sequence .*end with a ]/, opens: '[', remedy: indented(']') },
];

function indented(closing: string): string {
  return `add the closing ${closing}, and indent what stands between deeper than the line that opens it`;
}

/**
 * The errors and warnings of a parsed document, each in words that say what to do. What is not closed is placed where it
 * opens; nothing is placed after the last line.
 */
export function yamlFaults({ errors, warnings, contents }: Document.Parsed, text: string): YamlFault[] {
  const faults: YamlFault[] = [];
  let starts: Map<number, number[]> | undefined;
  let quoteOpen = false;
  const said = new Set<string>();
  /** Lines with wrong indentation, about which the parser has several errors. */
  const misfits = new Set<number>();
  const last = text.trimEnd().length;
  const runs = misindented(errors, text);
  faults.push(...runs.map(({ fault }) => fault));
  for (const { code, pos, message } of [...errors, ...warnings]) {
    if (runs.some(({ start, end }) => pos[0] >= start && pos[0] < end)) continue;
    if (isEcho(message, said)) continue;
    said.add(message);
    const unclosed = UNCLOSED.find(({ says }) => says.test(message));
    if (unclosed === undefined) {
      const hint = beginsLine(text, pos[0]) && ABOUT_LINES.includes(code) ? HINTS.BAD_INDENT : hintOn(code, message);
      const fault = {
        offset: Math.min(pos[0], last),
        text: hint === undefined ? `${message}.` : `${message}. ${hint}`,
      };
      const line = text.lastIndexOf('\n', pos[0] - 1);
      if (misfits.has(line)) continue;
      if (hint === HINTS.BAD_INDENT) misfits.add(line);
      faults.push(hint === HINTS.BAD_INDENT ? atOddLine(fault, text) : fault);
      continue;
    }
    const { opens, remedy } = unclosed;
    const quote = opens === '"' || opens === "'";
    // What an open quote has swallowed includes the brackets' ends.
    if (quoteOpen && !quote) continue;
    quoteOpen ||= quote;
    starts ??= startsByEnd(contents);
    const offset = takeOpening(starts.get(pos[0]), text, opens) ?? Math.min(pos[0], last);
    const what = quote ? 'quote' : opens;
    faults.push({ offset, text: `The ${what} that opens here is not closed: ${remedy}.` });
  }
  return faults;
}

/**
 * The parser takes a line that is indented too deep for more of the value above it, and then speaks of mappings in keys,
 * of keys over several lines and of columns: one fault where the line is, for all that it says from the value's start to
 * the first line that is indented less.
 */
function misindented(errors: readonly YAMLError[], text: string): { start: number; end: number; fault: YamlFault }[] {
  const found: { start: number; end: number; fault: YamlFault }[] = [];
  for (const { code, pos } of errors) {
    const start = pos[0];
    const lineEnd = text.indexOf('\n', start);
    if (code !== 'BLOCK_AS_IMPLICIT_KEY' || found.some((run) => start >= run.start && start < run.end)) continue;
    // On one line it is a text with a colon in it.
    if (lineEnd < 0 || beginsLine(text, start) || /:\s/.test(text.slice(start, lineEnd))) continue;
    const [before = ''] = /^(?:\s*#.*)*\s*/.exec(text.slice(lineEnd)) ?? [];
    const offset = lineEnd + before.length;
    const indent = offset - text.lastIndexOf('\n', offset) - 1;
    const run = new RegExp(`^(?:(?: {${indent}}.*| *)\\n)*.*\\n?`).exec(text.slice(lineEnd + 1))?.[0] ?? '';
    const fault = atOddLine({ offset, text: `${TOO_DEEP} ${HINTS.BAD_INDENT}` }, text);
    found.push({ start, end: lineEnd + 1 + run.length, fault });
  }
  return found;
}

/** The fault of a line that does not fit those above it, placed where the indentation is wrong. */
function atOddLine(fault: YamlFault, text: string): YamlFault {
  const offset = oddFirstLine(text, fault.offset);
  return offset === undefined ? fault : { offset, text: `${UNLIKE_NEXT} ${HINTS.BAD_INDENT}` };
}

const beginsLine = (text: string, at: number) => text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '';

const UNLIKE_NEXT = 'This line is indented otherwise than the next one of its mapping or list.';

const TOO_DEEP = 'This line is indented too deep: it reads as more of the value above.';

function hintOn(code: YAMLError['code'], message: string): string | undefined {
  if (message.endsWith(' at node end')) return AFTER_VALUE;
  return LOST.test(message) ? 'Is a colon or a bracket missing before it?' : HINTS[code];
}

/** Whether an error only follows from one before it: the parser is lost, or has met the indentation of before again. */
function isEcho(message: string, said: ReadonlySet<string>): boolean {
  return (LOST.test(message) && said.size > 0) || (message.endsWith(' at the same column') && said.has(message));
}

/** Returns where the nodes start that the parser left at an offset, by that offset; the inner ones last. */
function startsByEnd(contents: unknown): Map<number, number[]> {
  const starts = new Map<number, number[]>();
  visit(contents as Parameters<typeof visit>[0], {
    Node(_, { range }) {
      if (!range) return;
      const [start, end] = range;
      append(starts, end, start);
    },
  });
  return starts;
}

/** Takes the innermost node that begins with `opens` out of those that the parser left at one offset. */
function takeOpening(starts: number[] | undefined, text: string, opens: string): number | undefined {
  const at = starts?.findLastIndex((start) => text[start] === opens) ?? -1;
  return at < 0 ? undefined : starts?.splice(at, 1)[0];
}
