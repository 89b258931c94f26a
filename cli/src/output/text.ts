import stringWidth from 'string-width';

const CONTROL = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;
const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text from records, safe for a terminal: control characters (which could move the cursor or forge lines) and
 * characters that reorder text are escaped.
 */
export function printable(text: string): string {
  return text.replace(
    CONTROL,
    (character) => ESCAPES[character] ?? `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** The number of columns that text takes in a terminal. */
export const width = (text: string): number => stringWidth(text);

export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)));
}

/** A time for lists, without the fraction of a second, as two words that can wrap. */
export function moment(timestamp: string): string {
  return timestamp.replace(/T([\d:]+)(?:\.\d+)?Z$/, ' $1Z');
}

/** "1 fault", "3 faults", "2 policies". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}
