import { memberLabel } from '../evaluate/build.js';
import { partsOf } from '../reads/reads.js';
import type { Ast } from '../syntax/parse.js';
import type { Value } from '../values/value.js';
import { hasLocals, isLocalName } from './syntax.js';

/** The value that a part of a condition has for every request; undefined where it has none, or requests choose it. */
export type ValueOf = (ast: Ast) => Value | undefined;

const COMPARISON = 4;
const BINDING: { readonly [op: string]: number } = {
  '?:': 1,
  '||': 2,
  '&&': 3,
  ...Object.fromEntries(['<', '<=', '>', '>=', '==', '!=', 'in'].map((op) => [op, COMPARISON])),
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
  '!_': 7,
  '-_': 7,
};
const TIGHTEST = 8;

/** A condition as text in one form, with known values in place of what they are the values of. */
export function render(ast: Ast, known: ValueOf): string {
  return write(ast, known, 0, new Set());
}

/** The two sides of a comparison, as they stand in it. */
export function renderSides([left, right]: readonly [Ast, Ast], known: ValueOf): readonly [string, string] {
  return [write(left, known, COMPARISON, new Set()), write(right, known, COMPARISON + 1, new Set())];
}

function write(ast: Ast, known: ValueOf, around: number, hidden: ReadonlySet<string>): string {
  const value = [...hidden].every(isLocalName) && !hasLocals(ast) ? known(ast) : undefined;
  if (value !== undefined) return literal(value);
  const binding = BINDING[ast.op] ?? TIGHTEST;
  const text = inner(ast, known, binding, hidden);
  return binding < around ? `(${text})` : text;
}

function inner(ast: Ast, known: ValueOf, binding: number, hidden: ReadonlySet<string>): string {
  const list = (parts: readonly Ast[]) => parts.map((part) => write(part, known, 0, hidden)).join(', ');
  const base = (part: Ast) => write(part, known, TIGHTEST, hidden);
  switch (ast.op) {
    case 'value':
      // The parser gives an unsigned integer as an object around it.
      return typeof ast.args === 'object' && ast.args !== null ? String(ast.args) : literal(ast.args);
    case 'id':
      return ast.args;
    case '.':
      return memberLabel(base(ast.args[0]), ast.args[1]);
    case '[]':
      return `${base(ast.args[0])}[${write(ast.args[1], known, 0, hidden)}]`;
    case '!_':
      return `!${write(ast.args, known, binding, hidden)}`;
    case '-_':
      return `-${write(ast.args, known, binding, hidden)}`;
    case 'list':
      return `[${list(ast.args)}]`;
    case 'map':
      return `{${ast.args.map(([key, value]) => `${list([key])}: ${list([value])}`).join(', ')}}`;
    case 'call':
      return `${ast.args[0]}(${ast.args[0] === 'has' ? selection(ast.args[1]) : list(ast.args[1])})`;
    case 'rcall': {
      const [name, receiver, args] = ast.args;
      const [variable] = args;
      const inside = args.length > 1 && variable?.op === 'id' ? new Set(hidden).add(variable.args) : hidden;
      return `${base(receiver)}.${name}(${args.map((part) => write(part, known, 0, inside)).join(', ')})`;
    }
    case '?:': {
      const [test, yes, no] = ast.args;
      return `${write(test, known, binding + 1, hidden)} ? ${write(yes, known, binding + 1, hidden)} : ${write(no, known, binding, hidden)}`;
    }
    default: {
      const [left, right] = partsOf(ast) as [Ast, Ast];
      return `${write(left, known, binding, hidden)} ${ast.op} ${write(right, known, binding + 1, hidden)}`;
    }
  }
}

/** Names what `has()` looks for, and never replaces it by its value. */
function selection(args: readonly Ast[]): string {
  return args.map((part) => write(part, () => undefined, 0, new Set())).join(', ');
}

/** A value as a literal of Service CEL. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}: ${literal(member)}`).join(', ')}}`;
}
