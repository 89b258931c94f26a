import { CONDITION_LIMITS } from '../syntax/limits.js';
import { Failure, type Trouble, worse } from '../values/outcome.js';
import type { Scope } from '../values/scope.js';
import { ANY, BOOL, listOf, mayBe, STRING, type StaticType } from '../values/static-type.js';
import { isMap, isTrouble, keysOf, type Result, type Value } from '../values/value.js';
import { mismatch, type Node, type Run, refused } from './node.js';

/** Macros are called like functions, but take names and expressions as arguments. */
export const macros: readonly string[] = ['has', 'all', 'exists', 'exists_one', 'map', 'filter', 'cel.bind'];

/** A macro's body, built with its variable in `slot`. */
export interface Body {
  node: Node;
  slot: number;
}

/** The type of a macro's variable: an item of the list, or a key of the map. */
export function itemType(range: Node, name: string, offset: number): StaticType {
  const list = mayBe(range.type, 'list');
  if (!list && !mayBe(range.type, 'map')) throw mismatch(`${name}()`, [range], offset);
  if (range.type.kind === 'any') return ANY;
  return list ? (range.type.item ?? ANY) : STRING;
}

function requireBoolean(name: string, body: Node): void {
  if (!mayBe(body.type, 'boolean')) throw mismatch(`${name}()`, [body], body.offset);
}

/** The items a macro walks, or why they cannot be had. */
function items(name: string, range: Node, scope: Scope): readonly Value[] | Trouble {
  const value = range.run(scope);
  if (Array.isArray(value)) return value as readonly Value[];
  return !isTrouble(value) && isMap(value) ? keysOf(value) : refused(`${name}()`, [range], [value]);
}

/** Runs the body for each item until `visit` returns something; every item is charged for. */
function walk<T>(name: string, range: Node, body: Body, visit: (result: Result, item: Value) => T | undefined) {
  const { node, slot } = body;
  return (scope: Scope): T | Trouble | undefined => {
    const list = items(name, range, scope);
    if (isTrouble(list as Result)) return list as Trouble;
    for (const item of list as readonly Value[]) {
      scope.charge(node.size);
      scope.locals[slot] = item;
      const found = visit(node.run(scope), item);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** `all` and `exists`: one item can settle them, even if others are absent or fail. */
export function quantifier(name: 'all' | 'exists', range: Node, body: Body, offset: number): Node {
  requireBoolean(name, body.node);
  const settles = name === 'exists';
  const run: Run = (scope) => {
    let trouble: Trouble | undefined;
    const settled = walk(name, range, body, (result) => {
      if (result === settles) return settles;
      if (result !== !settles) trouble = worse(trouble, refused(`${name}()`, [body.node], [result]));
      return undefined;
    })(scope);
    return settled ?? trouble ?? !settles;
  };
  return { type: BOOL, run, label: '', offset, size: range.size + body.node.size + 1 };
}

export function existsOne(range: Node, body: Body, offset: number): Node {
  requireBoolean('exists_one', body.node);
  const run: Run = (scope) => {
    let trouble: Trouble | undefined;
    let count = 0;
    const failed = walk('exists_one', range, body, (result) => {
      if (result === true) count++;
      else if (result !== false) trouble = worse(trouble, refused('exists_one()', [body.node], [result]));
      return undefined;
    })(scope);
    return failed ?? trouble ?? count === 1;
  };
  return { type: BOOL, run, label: '', offset, size: range.size + body.node.size + 1 };
}

/** `map(x, result)`, `map(x, test, result)` and `filter(x, test)`; without a result the item itself is kept. */
export function collect(
  name: 'map' | 'filter',
  range: Node,
  test: Body | undefined,
  result: Body | undefined,
  offset: number,
  kept: StaticType,
): Node {
  if (test !== undefined) requireBoolean(name, test.node);
  const body = (test ?? result) as Body;
  const run: Run = (scope) => {
    const list: Value[] = [];
    let trouble: Trouble | undefined;
    const keep = (value: Result) => {
      if (isTrouble(value)) trouble = worse(trouble, value);
      else list.push(value);
    };
    const failed = walk(name, range, body, (value, item) => {
      if (test === undefined) keep(value);
      else if (value === true) {
        if (result !== undefined) scope.charge(result.node.size);
        keep(result === undefined ? item : result.node.run(scope));
      } else if (value !== false) trouble = worse(trouble, refused(`${name}()`, [test.node], [value]));
      return list.length > CONDITION_LIMITS.listLength ? new Failure(`${name}() makes too long a list`) : undefined;
    })(scope);
    return failed ?? trouble ?? list;
  };
  const size = range.size + (test?.node.size ?? 0) + (result?.node.size ?? 0) + 1;
  return { type: listOf(kept), run, label: '', offset, size };
}
