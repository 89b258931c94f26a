import { type Address, address, splitReference } from './address.js';
import type { Kind } from './kinds.js';

/** The methods of conditions whose one argument is the path of a record, written as a literal; and the record's kind. */
export const NAMING_METHODS: Readonly<Record<string, Kind>> = { ancestor: 'resource_type', ancestors: 'resource_type' };

/** A record's path in the text of a condition, and where it stands there. */
interface NameInCondition {
  target: Address;
  start: number;
  end: number;
}

/** Comments and strings; a plain string in one line may be a name. */
const TOKENS =
  /\/\/[^\n]*|[rR]?(?:"""[\s\S]*?"""|'''[\s\S]*?''')|[rR](?:"[^"\n]*"|'[^'\n]*')|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;
const PLAIN = /^(?:"[^"\\\n]*"|'[^'\\\n]*')$/;
const BEFORE = /\.\s*(\w+)\s*\(\s*$/;
const ANY_METHOD = new RegExp(`\\.\\s*(?:${Object.keys(NAMING_METHODS).join('|')})\\s*\\(`);

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
    if (kind !== undefined) found.push({ target: address(kind, token.slice(1, -1)), start: index + 1, end: last - 1 });
  }
  return found;
}

/** The condition with the new paths of those that it names and that were moved. */
export function renamedInCondition(text: string, moved: ReadonlyMap<Address, Address>): string {
  let renamed = text;
  for (const { target, start, end } of namesInCondition(text).reverse()) {
    const now = moved.get(target);
    if (now !== undefined) renamed = renamed.slice(0, start) + splitReference(now).path + renamed.slice(end);
  }
  return renamed;
}
