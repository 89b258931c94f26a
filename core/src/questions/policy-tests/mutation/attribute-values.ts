import { attributePath, partsOf } from '../../../conditions/reads/reads.js';
import { type Ast, parseCondition } from '../../../conditions/syntax/parse.js';
import { inTimeWindow } from '../../../conditions/values/time-window.js';
import type { Json } from '../../../json/json.js';
import type { Modifiers } from '../../../records/policy.js';
import type { Fields } from '../../../records/registry.js';
import { parseIp } from '../../../values/ip-range.js';

/** Another value than any of those that are written. */
const OTHER = 'other';
/** An address for documentation (RFC 5737), which no network has. */
const ELSEWHERE = '203.0.113.7';
const HOUR_MS = 3_600_000;
const HOURS_A_WEEK = 168;

/** Values that are worth trying, by the path of the attribute: `context.mfa`. What a value is compared with decides. */
export type AttributeValues = ReadonlyMap<string, readonly Json[]>;

/**
 * Values at which the conditions and modifiers of policies may turn out differently. `facts` are what a request and the
 * records that it names say already, by path.
 */
export function attributeValues(
  policies: readonly Fields<'policy'>[],
  facts: ReadonlyMap<string, Json>,
  now: number,
): AttributeValues {
  const found = new Map<string, Map<string, Json>>();
  const add = (path: string, ...values: Json[]) => {
    const known = found.get(path) ?? new Map<string, Json>();
    for (const value of values) known.set(JSON.stringify(value), value);
    found.set(path, known);
  };
  for (const { condition, modifiers, unless } of policies) {
    for (const one of [modifiers, unless]) ofModifiers(one, now, add);
    if (condition !== undefined) ofExpression(parseCondition(condition), true, facts, add);
  }
  return new Map([...found].map(([path, values]) => [path, [...values.values()]]));
}

type Add = (path: string, ...values: Json[]) => void;

function ofModifiers(modifiers: Modifiers | undefined, now: number, add: Add): void {
  if (modifiers?.mfa_required) add('context.mfa', true, false);
  const [range] = modifiers?.ip_ranges ?? [];
  if (range !== undefined) add('context.ip', addressIn(range), ELSEWHERE);
  for (const window of modifiers?.time_windows ?? []) {
    for (const wanted of [true, false]) {
      const hour = Math.floor(now / HOUR_MS);
      for (let at = 0; at < HOURS_A_WEEK; at++) {
        const ms = (hour + at) * HOUR_MS;
        if (inTimeWindow(ms, window) !== wanted) continue;
        add('context.time', new Date(ms).toISOString().replace('.000', ''));
        break;
      }
    }
  }
}

function addressIn(range: string): string {
  const [base = ''] = range.split('/');
  return parseIp(base) === undefined ? ELSEWHERE : base;
}

function ofExpression(ast: Ast, isTest: boolean, facts: ReadonlyMap<string, Json>, add: Add): void {
  const path = attributePath(ast);
  if (path !== undefined) {
    if (isTest) add(path, true, false);
    return;
  }
  switch (ast.op) {
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      for (const [left, right] of [ast.args, [...ast.args].reverse()] as [Ast, Ast][])
        ofComparison(ast.op, left, right, facts, add);
      break;
    case 'in': {
      const [item, list] = ast.args;
      const [ofItem, ofList] = [attributePath(item), attributePath(list)];
      const items = list.op === 'list' ? list.args.flatMap((one) => literalOf(one) ?? []) : [];
      if (ofItem !== undefined) add(ofItem, ...items, OTHER);
      const literal = literalOf(item);
      const fact = ofItem === undefined ? undefined : facts.get(ofItem);
      const held = literal ?? fact;
      if (ofList !== undefined) add(ofList, held === undefined ? [] : [held], [], [OTHER]);
      break;
    }
    case 'call':
      ofCall(ast.args[0], ast.args[1], add);
      break;
    case 'rcall':
      ofMethod(ast.args[0], ast.args[1], ast.args[2], add);
      break;
  }
  const tests = ast.op === '&&' || ast.op === '||' || ast.op === '!_' || ast.op === '?:';
  for (const part of partsOf(ast)) ofExpression(part, tests && isTest, facts, add);
}

function ofComparison(op: string, left: Ast, right: Ast, facts: ReadonlyMap<string, Json>, add: Add): void {
  const path = attributePath(left);
  if (path === undefined) return;
  const other = attributePath(right);
  const value = literalOf(right) ?? (other === undefined ? undefined : facts.get(other));
  if (typeof value === 'number') add(path, value, value - 1, value + 1);
  else if (typeof value === 'string') add(path, value, `${value}~`, OTHER);
  else if (typeof value === 'boolean') add(path, value, !value);
  else if (value === null) add(path, null, OTHER);
  else if (other !== undefined) add(path, ...(op === '==' || op === '!=' ? [OTHER, `${OTHER}~`] : [1, 2]));
}

function ofCall(name: string, args: readonly Ast[], add: Add): void {
  const [first, second] = args;
  const path = first && attributePath(first);
  if (path === undefined) return;
  if (name === 'has') add(path, OTHER, true);
  const range = second && literalOf(second);
  if (name === 'ip_in' && typeof range === 'string') add(path, addressIn(range), ELSEWHERE);
}

function ofMethod(name: string, receiver: Ast, args: readonly Ast[], add: Add): void {
  const path = attributePath(receiver);
  const [first] = args;
  const text = first && literalOf(first);
  if (path === undefined) return;
  if (typeof text === 'string') add(path, text, OTHER);
  else if (name === 'exists' || name === 'all') add(path, [], [OTHER]);
}

function literalOf(ast: Ast): Json | undefined {
  if (ast.op === '-_') {
    const inner = literalOf(ast.args);
    return typeof inner === 'number' ? -inner : undefined;
  }
  if (ast.op !== 'value') return undefined;
  const value: unknown = ast.args;
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number')
    return value;
  const whole: unknown = (value as object).valueOf();
  return typeof whole === 'bigint' ? Number(whole) : undefined;
}
