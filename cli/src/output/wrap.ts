import { width } from './text.js';

/** The spaces that a line begins with, and after them a label that stands in a column of its own. */
const INDENT = /^ *(?:\S+ {2,})?/;
/** Paint, which takes no columns. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what the escape character begins.
const PAINT = /\u001b\[[\d;]*m/g;

/**
 * Lines for a terminal of so many columns: what is longer goes on below its own beginning. Words are never broken, so that
 * they can be copied.
 */
export function wrapped(text: string, columns: number): string {
  if (!Number.isFinite(columns)) return text;
  return text
    .split('\n')
    .map((line) => (width(line) > columns ? wrappedLine(line, columns) : line))
    .join('\n');
}

function wrappedLine(line: string, columns: number): string {
  const indent = Math.min(INDENT.exec(line.replace(PAINT, ''))?.[0].length ?? 0, Math.floor(columns / 2));
  const start = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = start;
  for (const word of line.slice(start.length).split(/(?<=\S) (?=\S)/)) {
    const isFirst = current.trim() === '';
    if (!isFirst && width(current) + 1 + width(word) > columns) {
      lines.push(current);
      current = `${' '.repeat(indent)}${word}`;
    } else current += isFirst ? word : ` ${word}`;
  }
  return [...lines, current].join('\n');
}
