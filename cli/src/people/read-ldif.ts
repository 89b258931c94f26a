import { isUtf8 } from 'node:buffer';
import { append } from '@authz-service/core/collections/append';
import { UsageError } from '../errors/usage-error.js';

/** An entry of LDIF: the values of each attribute, by its name in lower case without options. */
export interface LdifEntry {
  dn: string;
  values: ReadonlyMap<string, readonly string[]>;
  place: string;
}

interface Line {
  text: string;
  /** The number of its first line in the file. */
  number: number;
}

const LINE = /^([A-Za-z][A-Za-z0-9.-]*)((?:;[A-Za-z0-9-]+)*):(:|<)?[ ]*(.*)$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The entries of a file of LDIF (RFC 2849), as `slapcat` and `ldapsearch -LLL` print them. It is no list of changes, and reads no
 * other files. Values that are not UTF-8 are left out. Throws `UsageError` with the line.
 */
export function ldifEntries(text: string, file: string): LdifEntry[] {
  if (text !== '' && !text.endsWith('\n')) throw new UsageError(`${file} ends within a line: give a complete export.`);
  const entries: LdifEntry[] = [];
  for (const [first, ...rest] of blocksOf(text)) {
    if (first === undefined) continue;
    const place = `${file}:${first.number}`;
    const head = attributeOf(first, file);
    if (head.name === 'version' && entries.length === 0 && rest.length === 0) continue;
    const lines = head.name === 'version' && entries.length === 0 ? rest : [first, ...rest];
    const [dn, ...others] = lines.map((line) => ({ ...attributeOf(line, file), line }));
    if (dn?.name !== 'dn' || dn.value === undefined)
      throw new UsageError(`${place} begins an entry without a "dn": give what "slapcat" prints.`);
    const values = new Map<string, string[]>();
    for (const { name, value, line } of others) {
      if (name === 'changetype' || name === 'control')
        throw new UsageError(
          `${file}:${line.number} has a "${name}", so that it is a list of changes: give a complete export.`,
        );
      if (name === 'dn')
        throw new UsageError(`${file}:${line.number} has a second "dn" in an entry: put an empty line before it.`);
      if (value !== undefined) append(values, name, value);
    }
    entries.push({ dn: dn.value, values, place: `${file}:${dn.line.number}` });
  }
  return entries;
}

/** The lines of each entry, unfolded and without comments. */
function blocksOf(text: string): Line[][] {
  const blocks: Line[][] = [[]];
  let last: Line | undefined;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line.startsWith(' ') && last !== undefined) {
      last.text += line.slice(1);
      continue;
    }
    last = line === '' ? undefined : { text: line, number: index + 1 };
    if (last === undefined) blocks.push([]);
    else if (!line.startsWith('#')) blocks.at(-1)?.push(last);
  }
  return blocks.filter((lines) => lines.length > 0);
}

function attributeOf({ text, number }: Line, file: string): { name: string; value: string | undefined } {
  const place = `${file}:${number}`;
  const [, name = '', , form, given = ''] = LINE.exec(text) ?? [];
  if (name === '') throw new UsageError(`${place} is no line of LDIF: write "attribute: value".`);
  if (form === '<') throw new UsageError(`${place} takes a value from a URL: write the value itself.`);
  if (form !== ':') return { name: name.toLowerCase(), value: given };
  if (!BASE64.test(given)) throw new UsageError(`${place} has a value that is no base64: give a complete export.`);
  const bytes = Buffer.from(given, 'base64');
  return { name: name.toLowerCase(), value: isUtf8(bytes) ? bytes.toString('utf8') : undefined };
}

/** The same text for each way to write a distinguished name (RFC 4514), without upper and lower case. */
export function dnKey(dn: string): string {
  const parts: string[] = [''];
  const put = (text: string) => parts.push((parts.pop() ?? '') + text);
  for (const [token] of dn.matchAll(/(?:\\[0-9a-f]{2})+|\\?./gisu)) {
    if (/^(?:\\[0-9a-f]{2})+$/i.test(token)) put(Buffer.from(token.replaceAll('\\', ''), 'hex').toString('utf8'));
    else if (token.length > 1 && token.startsWith('\\')) put(token.slice(1));
    else if (token === ',' || token === '+' || token === '=') parts.push(token, '');
    else put(token);
  }
  return JSON.stringify(parts.map((part) => part.trim().toLowerCase()));
}
