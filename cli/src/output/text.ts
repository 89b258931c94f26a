const CONTROL = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;
const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text from records as a terminal may show it: control characters (which could move the cursor or forge lines) and
 * characters that reorder text are written as escapes.
 */
export function printable(text: string): string {
  return text.replace(
    CONTROL,
    (character) => ESCAPES[character] ?? `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

const PLAIN = /^[\u0020-\u007E]*$/;
/** Characters that take two columns: East Asian wide ones and emoji. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The number of columns that text takes in a terminal. */
export function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

/** Text cut to at most `columns` columns, the cut marked by an ellipsis. */
export function truncate(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = '';
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    taken += width(segment);
    if (taken > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The words of a text in lines of at most `columns` columns; a longer word has a line of its own. */
export function wrap(text: string, columns: number): string[] {
  if (width(text) <= columns) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && width(longer) > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)));
}

/** A moment as lists show it: without the fraction of a second, in two words that may stand in two lines. */
export function moment(timestamp: string): string {
  return timestamp.replace(/T([\d:]+)(?:\.\d+)?Z$/, ' $1Z');
}

/** "1 fault", "3 faults", "2 policies". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}
