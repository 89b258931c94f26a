import type { Json } from '@authz-service/core/json/json';
import type { ModelCondition } from './model.js';

/** A condition that cannot be said, and why. */
export class UnsayableCondition extends Error {}

/**
 * The condition of a tuple as a condition of a policy: what the tuple's context fixes as literals, the rest read from
 * the request's context, which must have it in the declared type, as OpenFGA demands. Throws `UnsayableCondition`.
 */
export function conditionText({ expression, parameters }: ModelCondition, fixed: Record<string, Json>): string {
  const values = new Map<string, string>();
  const guards: string[] = [];
  for (const [name, type] of parameters) {
    const given = Object.hasOwn(fixed, name) ? fixed[name] : undefined;
    if (given !== undefined) values.set(name, literal(type, given, name));
    else {
      const sent = /^[A-Za-z_]\w*$/.test(name) ? `context.${name}` : `context[${JSON.stringify(name)}]`;
      values.set(name, converted(type, sent));
      const guard = guardOf(type, sent);
      if (guard !== undefined) guards.push(guard);
    }
  }
  const body = substituted(expression, values);
  return guards.length === 0 ? body : `${guards.join(' && ')} && (${body})`;
}

const TOKEN =
  /(?<text>[rb]?"(?:[^"\\]|\\.)*"|[rb]?'(?:[^'\\]|\\.)*')|(?<number>\d[\w.]*)|(?<word>\.\s*[A-Za-z_]\w*|[A-Za-z_]\w*)|(?<sign>[/%])|\/\/.*/g;

/** Replaces parameters where they stand as variables. */
function substituted(expression: string, values: ReadonlyMap<string, string>): string {
  return expression
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replace(TOKEN, (match, ...rest) => {
      const { text, number, word, sign } = rest.at(-1) as Record<string, string | undefined>;
      if (text !== undefined) return match;
      if (sign !== undefined)
        throw new UnsayableCondition(`"${sign}" divides integers and fractions alike here, and not in OpenFGA`);
      if (number !== undefined) {
        if (/u$/i.test(number)) return number.slice(0, -1);
        return match;
      }
      if (word === undefined) throw new UnsayableCondition('it has a comment');
      if (word.startsWith('.')) {
        const method = word.slice(1).trim();
        if (UNKNOWN.has(method)) throw new UnsayableCondition(`there is no method "${method}" in conditions`);
        return match;
      }
      if (UNKNOWN.has(word)) throw new UnsayableCondition(`there is no function "${word}" in conditions`);
      return values.get(word) ?? match;
    });
}

const UNKNOWN = new Set(['in_cidr', 'ipaddress', 'uint']);

function converted(type: string, sent: string): string {
  return type === 'timestamp' || type === 'duration' ? `${type}(${sent})` : sent;
}

const CEL_TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['bool', 'bool'],
  ['double', 'double'],
  ['timestamp', 'string'],
  ['duration', 'string'],
]);

/**
 * Returns a condition that the value sent has the declared type: OpenFGA refuses others, and comparisons here might let them
 * pass.
 */
function guardOf(type: string, sent: string): string | undefined {
  if (type === 'any') return undefined;
  if (type === 'int') return `int(${sent}) == ${sent}`;
  if (type === 'uint') return `int(${sent}) == ${sent} && ${sent} >= 0`;
  const known = CEL_TYPES.get(type);
  if (known !== undefined) return `type(${sent}) == ${known}`;
  const [, whole, item = 'any'] = /^(list|map)<(\w+)>$/.exec(type) ?? [];
  if (whole === undefined) throw new UnsayableCondition(`there is no type ${type} here`);
  const each = guardOf(item, whole === 'list' ? 'each' : `${sent}[each]`);
  return `type(${sent}) == ${whole}${each === undefined ? '' : ` && ${sent}.all(each, ${each})`}`;
}

/** A value of a tuple's context, in the declared type. */
function literal(type: string, value: Json, name: string): string {
  const wrong = () =>
    new UnsayableCondition(`the tuple gives ${JSON.stringify(value)} for "${name}", which is no ${type}`);
  if (type === 'any') return cel(value);
  if (type === 'ipaddress') throw new UnsayableCondition('there is no type ipaddress here');
  if (type === 'int' || type === 'uint') {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || (type === 'uint' && value < 0)) throw wrong();
    return String(value);
  }
  if (type === 'double') {
    if (typeof value !== 'number') throw wrong();
    return Number.isInteger(value) ? `${value}.0` : String(value);
  }
  if (type === 'bool' && typeof value === 'boolean') return String(value);
  if (type === 'string' && typeof value === 'string') return JSON.stringify(value);
  if ((type === 'timestamp' || type === 'duration') && typeof value === 'string')
    return `${type}(${JSON.stringify(value)})`;
  const [, whole, item = 'any'] = /^(list|map)<(\w+)>$/.exec(type) ?? [];
  if (whole === 'list' && Array.isArray(value)) return `[${value.map((one) => literal(item, one, name)).join(', ')}]`;
  if (whole === 'map' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return `{${Object.entries(value)
      .map(([key, one]) => `${JSON.stringify(key)}: ${literal(item, one, name)}`)
      .join(', ')}}`;
  }
  throw wrong();
}

function cel(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(cel).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${cel(one)}`)
    .join(', ')}}`;
}
