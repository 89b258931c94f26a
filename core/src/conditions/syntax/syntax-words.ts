import type { ParseError } from '@marcbachmann/cel-js';

/** Syntax of other languages, recognized before or at the place where the parser gave up, and what CEL has instead. */
const SLIPS: readonly { before?: RegExp; at?: RegExp; write: string }[] = [
  { before: /<$/, at: /^>/, write: 'write != for "<>"' },
  { at: /^=</, write: 'write <= for "=<"' },
  { at: /^=>/, write: 'write >= for "=>"' },
  { at: /^=/, write: 'write == to compare' },
  { at: /^and\b/i, write: 'write && for "and"' },
  { at: /^or\b/i, write: 'write || for "or"' },
  { before: /\bnot\s*$/i, write: 'write ! for "not"' },
  { at: /^(?:contains|startsWith|endsWith|matches|like)\b/i, write: 'write TEXT.contains("…") or TEXT.matches("…")' },
  { at: /^is\b/i, write: 'write == for "is"' },
  { at: /^if\b/, write: 'write CONDITION ? THEN : ELSE for "if"' },
];

/** The parser's names for closing tokens. */
const CLOSING: Readonly<Record<string, string>> = { RPAREN: ')', RBRACKET: ']', RBRACE: '}', COLON: ':' };

/** Codes of errors that name the parser's tokens instead of what is written. */
const ABOUT_TOKENS = ['unexpected_character', 'unexpected_token', 'expected_token'];

/** Why a condition does not parse, in words about what is written. */
export function syntaxWords({ code, summary, range }: ParseError, source: string): string {
  const before = source.slice(0, range?.start ?? 0);
  const at = source.slice(range?.start ?? 0);
  const slip = SLIPS.find((each) => (each.before?.test(before) ?? true) && (each.at?.test(at) ?? true));
  if (slip !== undefined) return slip.write;
  if (!ABOUT_TOKENS.includes(code)) return summary.charAt(0).toLowerCase() + summary.slice(1);
  const missing = CLOSING[/^Expected (\w+)/.exec(summary)?.[1] ?? ''];
  const [word = ''] = /^(?:\w+|\S)/.exec(at) ?? [];
  const found = word === '' ? 'it ends too early' : `unexpected "${word}"`;
  return missing === undefined ? found : `${found}: is a "${missing}" missing?`;
}
