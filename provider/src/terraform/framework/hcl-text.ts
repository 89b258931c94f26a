/** A value in Terraform's language: literal text, or a structure of values. */
export type HclValue =
  | { expression: string }
  | { list: HclValue[] }
  | { object: [name: string, value: HclValue][] }
  | { call: string; argument: HclValue };

/** How wide a list or an object may be on one line. */
const LINE_CHARACTERS = 100;
const INDENT = '  ';

/** A text as a literal in which nothing is read as an expression. */
export function hclString(text: string): string {
  return (
    JSON.stringify(text)
      .replace(/[$%](?=\{)/g, '$&$&')
      // JSON's escapes that Terraform's language does not have.
      .replace(/\\[\\"nrtubf]/g, (written) => ESCAPES[written] ?? written)
  );
}

const ESCAPES: { [written: string]: string } = { '\\b': '\\u0008', '\\f': '\\u000c' };

/** Any JSON value as an expression: `{ amount = 120, tags = ["a"] }`. */
export function hclOf(value: unknown): HclValue {
  if (typeof value === 'string') return { expression: hclString(value) };
  if (Array.isArray(value)) return { list: value.map(hclOf) };
  if (typeof value !== 'object' || value === null) return { expression: String(value) };
  return { object: Object.entries(value).map(([name, item]) => [hclKey(name), hclOf(item)]) };
}

/** A key of an object. Keywords and everything that is not an identifier are quoted. */
function hclKey(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) && !['for', 'null', 'true', 'false'].includes(name) ? name : hclString(name);
}

/** A block in the format of `terraform fmt`. */
export function hclBlock(header: string, attributes: [name: string, value: HclValue][]): string {
  return attributes.length === 0 ? `${header} {}\n` : `${header} {\n${lines(attributes, INDENT).join('\n')}\n}\n`;
}

/** Assignments in order; the equals signs of adjacent one-line assignments are aligned. */
function lines(attributes: [name: string, value: HclValue][], indent: string): string[] {
  const written = attributes.map(([name, value]) => ({ name, text: hclText(value, indent) }));
  const isOneLine = (index: number) => written[index]?.text.includes('\n') === false;
  return written.map(({ name, text }, index) => {
    if (!isOneLine(index)) return `${indent}${name} = ${text}`;
    let first = index;
    while (isOneLine(first - 1)) first -= 1;
    let last = index;
    while (isOneLine(last + 1)) last += 1;
    const width = Math.max(...written.slice(first, last + 1).map((other) => other.name.length));
    return `${indent}${name.padEnd(width)} = ${text}`;
  });
}

function hclText(value: HclValue, indent: string): string {
  const flat = flatText(value);
  if ('expression' in value || flat.length + indent.length <= LINE_CHARACTERS) return flat;
  if ('call' in value) return `${value.call}(${hclText(value.argument, indent)})`;
  const inner = `${indent}${INDENT}`;
  if ('list' in value) {
    return `[\n${value.list.map((item) => `${inner}${hclText(item, inner)},\n`).join('')}${indent}]`;
  }
  return `{\n${lines(value.object, inner).join('\n')}\n${indent}}`;
}

function flatText(value: HclValue): string {
  if ('expression' in value) return value.expression;
  if ('list' in value) return `[${value.list.map(flatText).join(', ')}]`;
  if ('call' in value) return `${value.call}(${flatText(value.argument)})`;
  if (value.object.length === 0) return '{}';
  return `{ ${value.object.map(([name, item]) => `${name} = ${flatText(item)}`).join(', ')} }`;
}
