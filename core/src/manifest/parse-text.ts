import { type Composed, composeYaml } from './compose.js';
import { MAX_FILE_LENGTH } from './limits.js';
import { Source } from './source.js';
import type { YamlNode } from './yaml-node.js';

/** Marks that Git writes around the two sides of a conflict; no line of a mapping begins like that. */
const CONFLICT = /^(?:<{7}|>{7}) /m;
const CONTROL = /(?![\t\n\r\u0085])\p{Cc}/u;

/** A text as YAML: the roots of its documents, and what cannot be read in it. Plain data, but for the nodes. */
export interface Parsed extends Composed {
  refused: { offset: number; text: string }[];
}

/** Parses the text of a file, which is all that the result depends on. */
export function parseText(text: string): Parsed {
  const source = new Source('', text);
  const refused = new Map<number, { offset: number; text: string }>();
  const refuse = (offset: number, text: string): void => {
    // One fault a line: what follows on the same line is most often the first one's echo.
    const { line } = source.place(offset);
    const present = refused.get(line);
    if (present === undefined || present.offset > offset) refused.set(line, { offset, text });
  };
  const wrong = unreadable(text);
  if (wrong !== undefined) refuse(wrong.offset, wrong.detail);
  const { roots, shared } =
    wrong !== undefined ? { roots: [], shared: new Set<YamlNode>() } : composeYaml(text, refuse);
  return { roots, shared, refused: [...refused.values()] };
}

/** Why a text cannot be YAML at all, or must not be read. */
function unreadable(text: string): { offset: number; detail: string } | undefined {
  if (text.length > MAX_FILE_LENGTH) {
    const detail = `The file has ${text.length} characters, more than the ${MAX_FILE_LENGTH} allowed: split it.`;
    return { offset: 0, detail };
  }
  const control = text.search(CONTROL);
  if (control >= 0) {
    const code = text.charCodeAt(control).toString(16).toUpperCase().padStart(4, '0');
    const detail = `The control character U+${code} is not allowed in YAML: remove it, or save the file as UTF-8.`;
    return { offset: control, detail };
  }
  const conflict = text.search(CONFLICT);
  if (conflict >= 0) {
    const detail = 'Git has left the two sides of a merge conflict here: keep what is right, and remove its marks.';
    return { offset: conflict, detail };
  }
  const replaced = text.indexOf('\uFFFD');
  return replaced < 0 ? undefined : { offset: replaced, detail: 'The file is not valid UTF-8: save it as UTF-8.' };
}
