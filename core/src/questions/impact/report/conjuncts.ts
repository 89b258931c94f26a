const OPEN = '([{';
const CLOSE = ')]}';

/**
 * The parts of a condition that must all hold, as texts. A condition that is an alternative, or a choice, at its top is
 * one part.
 */
export function conjuncts(condition: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let quote = '';
  for (let at = 0; at < condition.length; at++) {
    const character = condition[at] ?? '';
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (OPEN.includes(character)) depth++;
    else if (CLOSE.includes(character)) depth--;
    else if (depth > 0) continue;
    else if (condition.startsWith('||', at) || character === '?') return [condition];
    else if (condition.startsWith('&&', at)) {
      parts.push(condition.slice(start, at).trim());
      at++;
      start = at + 1;
    }
  }
  return [...parts, condition.slice(start).trim()];
}

/** Returns what two conditions both demand, and what only one of them does. */
export function compareConjuncts(
  after: string,
  before: string,
): { shared: string | undefined; after: string | undefined; before: string | undefined } {
  const [now, was] = [conjuncts(after), conjuncts(before)];
  const joined = (parts: readonly string[]) => (parts.length === 0 ? undefined : parts.join(' && '));
  return {
    shared: joined(now.filter((part) => was.includes(part))),
    after: joined(now.filter((part) => !was.includes(part))),
    before: joined(was.filter((part) => !now.includes(part))),
  };
}
