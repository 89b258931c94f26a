import { inexactText } from './exact-number.js';
import { jsonPointer } from './json-pointer.js';

/** A place of a JSON text that differs from what `JSON.parse` makes of it; `detail` never contains the text. */
export interface LostInParsing {
  what: 'member' | 'number';
  pointer: string;
  detail: string;
}

/** An object or array that is not closed yet; an array has no names. */
interface Open {
  names: Set<string> | undefined;
  /** The name of the member, or the index of the item, that is being read. */
  token: string | number;
}

const NUMBER = /-?\d[\d.eE+-]*/y;

/** The first place of a valid JSON text where an object repeats a name, or where a double does not keep the number. */
export function lostInParsing(text: string): LostInParsing | undefined {
  const path: Open[] = [];
  let expectsName = false;
  const pointer = () => jsonPointer(...path.map(({ token }) => token));
  for (let at = 0; at < text.length; at++) {
    const within = path.at(-1);
    const character = text[at] as string;
    if (character === '"') {
      const start = at;
      at++;
      while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      if (!expectsName || within?.names === undefined) continue;
      expectsName = false;
      within.token = JSON.parse(text.slice(start, at + 1)) as string;
      if (within.names.has(within.token)) return { what: 'member', pointer: pointer(), detail: REPEATED };
      within.names.add(within.token);
    } else if (character === '-' || (character >= '0' && character <= '9')) {
      NUMBER.lastIndex = at;
      const [number = character] = NUMBER.exec(text) ?? [];
      const inexact = inexactText(number);
      if (inexact !== undefined)
        return { what: 'number', pointer: pointer(), detail: `${inexact}: write it in quotes` };
      at += number.length - 1;
    } else if (character === '{') {
      path.push({ names: new Set(), token: '' });
      expectsName = true;
    } else if (character === '[') {
      path.push({ names: undefined, token: 0 });
      expectsName = false;
    } else if (character === '}' || character === ']') {
      path.pop();
    } else if (character === ',') {
      expectsName = within?.names !== undefined;
      if (typeof within?.token === 'number') within.token++;
    }
  }
  return undefined;
}

const REPEATED = 'is given more than once: programs differ on which one counts, so give it once';
