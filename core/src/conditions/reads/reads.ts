import { memberLabel } from '../evaluate/build.js';
import { ALWAYS_PRESENT } from '../evaluate/variables.js';
import type { Ast } from '../syntax/parse.js';

/**
 * The attributes that a part of a condition reads and that may be absent, and those that exist whenever it is true, or
 * false.
 */
interface Reading {
  reads: Set<string>;
  whenTrue: Set<string>;
  whenFalse: Set<string>;
}

/** The variables of a condition. */
export const ROOTS: ReadonlySet<string> = new Set(['subject', 'resource', 'action', 'context']);
const NONE: ReadonlySet<string> = new Set();

/**
 * The attributes that a condition reads without making sure of them by `has()` or `"key" in`. A guard counts in the
 * other parts of its conjunction, before or after it, since false wins over an absent attribute on either side; and so
 * for `!has(a) || …`.
 */
export function unguardedReads(ast: Ast): string[] {
  return [...read(ast, NONE).reads].sort();
}

function read(ast: Ast, locals: ReadonlySet<string>): Reading {
  const path = attributePath(ast, locals);
  if (path !== undefined) return readingOf(ALWAYS_PRESENT.has(path) ? [] : [path]);
  switch (ast.op) {
    case '&&': {
      const [left, right] = [read(ast.args[0], locals), read(ast.args[1], locals)];
      return {
        reads: union(without(left.reads, right.whenTrue), without(right.reads, left.whenTrue)),
        whenTrue: union(left.whenTrue, right.whenTrue),
        whenFalse: intersection(left.whenFalse, right.whenFalse),
      };
    }
    case '||': {
      const [left, right] = [read(ast.args[0], locals), read(ast.args[1], locals)];
      return {
        reads: union(without(left.reads, right.whenFalse), without(right.reads, left.whenFalse)),
        whenTrue: intersection(left.whenTrue, right.whenTrue),
        whenFalse: union(left.whenFalse, right.whenFalse),
      };
    }
    case '!_': {
      const { reads, whenTrue, whenFalse } = read(ast.args, locals);
      return { reads, whenTrue: whenFalse, whenFalse: whenTrue };
    }
    case '?:': {
      const [test, yes, no] = ast.args.map((part) => read(part, locals)) as [Reading, Reading, Reading];
      return readingOf([...test.reads, ...without(yes.reads, test.whenTrue), ...without(no.reads, test.whenFalse)]);
    }
    case 'in': {
      const key = ast.args[0];
      const { reads } = merged([key, ast.args[1]], locals);
      const map = attributePath(ast.args[1], locals);
      const known = key.op === 'value' && typeof key.args === 'string' && map !== undefined;
      return { reads, whenTrue: new Set(known ? [memberLabel(map, key.args as string)] : []), whenFalse: new Set() };
    }
    case 'call': {
      const [name, args] = ast.args;
      const [selection] = args;
      if (name !== 'has' || selection?.op !== '.') return merged(args, locals);
      const there = [selection, selection.args[0]].map((part) => attributePath(part, locals));
      const { reads } = read(selection.args[0], locals);
      return { reads, whenTrue: new Set(there.filter((path) => path !== undefined)), whenFalse: new Set() };
    }
    case 'rcall': {
      const [name, receiver, args] = ast.args;
      const variable = MACROS.has(name) && args.length > 1 && args[0]?.op === 'id' ? args[0].args : undefined;
      if (variable === undefined) return merged([receiver, ...args], locals);
      const inside = new Set(locals).add(variable);
      const parts = [read(receiver, locals), ...args.slice(1).map((part) => read(part, inside))];
      return readingOf(parts.flatMap((part) => [...part.reads]));
    }
    default:
      return merged(partsOf(ast), locals);
  }
}

/** The macros, which declare a name for their bodies. */
export const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter', 'bind']);

/** The path of an attribute like `context.a["b-c"]`; undefined for anything else. */
export function attributePath(ast: Ast, locals: ReadonlySet<string> = NONE): string | undefined {
  if (ast.op === 'id') return ROOTS.has(ast.args) && !locals.has(ast.args) ? ast.args : undefined;
  const key =
    ast.op === '.' ? ast.args[1] : ast.op === '[]' && ast.args[1].op === 'value' ? ast.args[1].args : undefined;
  if (typeof key !== 'string' || (ast.op !== '.' && ast.op !== '[]')) return undefined;
  const base = attributePath(ast.args[0], locals);
  return base === undefined ? undefined : memberLabel(base, key);
}

/** The parts that an expression is made of, in the order in which they are written. */
export function partsOf(ast: Ast): readonly Ast[] {
  switch (ast.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [ast.args[0]];
    case '-_':
    case '!_':
      return [ast.args];
    case 'list':
      return ast.args;
    case 'map':
      return ast.args.flat();
    case 'call':
      return ast.args[1];
    case 'rcall':
      return [ast.args[1], ...ast.args[2]];
    default:
      return ast.args;
  }
}

function merged(asts: readonly Ast[], locals: ReadonlySet<string>): Reading {
  return readingOf(asts.flatMap((ast) => [...read(ast, locals).reads]));
}

function readingOf(reads: readonly string[]): Reading {
  return { reads: new Set(reads), whenTrue: new Set(), whenFalse: new Set() };
}

function union(left: Iterable<string>, right: Iterable<string>): Set<string> {
  return new Set([...left, ...right]);
}

function without(left: ReadonlySet<string>, right: ReadonlySet<string>): Set<string> {
  return new Set([...left].filter((path) => !right.has(path)));
}

function intersection(left: ReadonlySet<string>, right: ReadonlySet<string>): Set<string> {
  return new Set([...left].filter((path) => right.has(path)));
}
