import { type Address, address, type Path, splitReference } from './address.js';
import type { Kind } from './kinds.js';

/** The methods of conditions whose one argument is the path of a record, written as a literal; and the record's kind. */
export const NAMING_METHODS: Readonly<Record<string, Kind>> = {
  ancestor: 'resource_type',
  ancestors: 'resource_type',
  in_group: 'group',
  has_role: 'role',
};

/** A record's path in the text of a condition, and where it stands there, without its quotes. */
interface NameInCondition {
  kind: Kind;
  target: Address;
  start: number;
  end: number;
}

/** Comments and strings, which end where the parser ends them: to it, a backslash hides a quote in raw strings, too. */
const TOKENS =
  /\/\/[^\n]*|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|[a-zA-Z]?"(?:[^"\\\n]|\\.)*"|[a-zA-Z]?'(?:[^'\\\n]|\\.)*'/g;
/** A name is a string in one line, without escapes. */
const PLAIN = /^(?:"[^"\\\n]+"|'[^'\\\n]+')$/;
const BEFORE = /\.\s*(\w+)\s*\(\s*$/;
const ANY_METHOD = new RegExp(`\\b(?:${Object.keys(NAMING_METHODS).join('|')})\\b`);

/** The records that a condition names. They count as references of its policy. */
export function namesInCondition(text: string): NameInCondition[] {
  if (!ANY_METHOD.test(text)) return [];
  const found: NameInCondition[] = [];
  let code = '';
  let last = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    code += text.slice(last, index);
    last = index + token.length;
    const method = PLAIN.test(token) ? BEFORE.exec(code)?.[1] : undefined;
    const kind = method !== undefined && Object.hasOwn(NAMING_METHODS, method) ? NAMING_METHODS[method] : undefined;
    code += token.startsWith('//') ? ' ' : '""';
    if (kind !== undefined)
      found.push({ kind, target: address(kind, token.slice(1, -1)), start: index + 1, end: last - 1 });
  }
  return found;
}

/** The condition with the new paths of those that it names and that were moved. */
export function renamedInCondition(text: string, moved: ReadonlyMap<Address, Address>): string {
  let renamed = text;
  for (const { target, start, end } of namesInCondition(text).reverse()) {
    const now = moved.get(target);
    if (now === undefined) continue;
    const quoted = inQuotes(splitReference(now).path, renamed[end] as string);
    // A path that cannot be written is left, and refused as one that leads nowhere.
    if (quoted !== undefined) renamed = renamed.slice(0, start - 1) + quoted + renamed.slice(end + 1);
  }
  return renamed;
}

/** A path as a plain string, in these quotes if it has none such itself. */
function inQuotes(path: Path, quote: string): string | undefined {
  const around = [quote, '"', "'"].find((one) => !path.includes(one));
  return around === undefined || path.includes('\\') ? undefined : `${around}${path}${around}`;
}
