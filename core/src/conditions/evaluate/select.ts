import { nearest, slipOf } from '../../text/nearest.js';
import { ConditionFault } from '../syntax/parse.js';
import { Absent, Failure, type Trouble } from '../values/outcome.js';
import { ANY, BOOL, inWords, mayBe, type StaticType } from '../values/static-type.js';
import { isMap, isTrouble, kindOf, type Result, type Value } from '../values/value.js';
import { type Node, refused, sizeOf } from './node.js';

/** `base.name`: a member that is not there is an absent attribute. */
export function select(base: Node, name: string, label: string, offset: number): Node {
  const fixed = fixedMember(base, name, offset);
  if (fixed !== undefined) return { ...fixed, offset };
  const absent = new Absent(label);
  const { lookup, run } = base;
  const node = { type: memberType(base, name, offset), label, offset, size: base.size + 1 };
  if (lookup !== undefined) {
    return {
      ...node,
      run: (scope) => {
        const value = lookup(scope, name);
        return value === undefined ? absent : value;
      },
    };
  }
  return {
    ...node,
    run: (scope) => {
      const map = run(scope);
      if (isTrouble(map) || !isMap(map)) return notMap(base, name, map);
      return Object.hasOwn(map, name) ? (map[name] as Value) : absent;
    },
  };
}

/** `has(base.name)`. The base itself must be there: `has(context.a.b)` without `context.a` is an absent attribute. */
export function has(base: Node, name: string, offset: number): Node {
  const node = { type: BOOL, label: '', offset, size: base.size + 1 };
  const fixed = fixedMember(base, name, offset);
  if (fixed !== undefined) return { ...node, run: (scope) => !isTrouble(fixed.run(scope)) };
  memberType(base, name, offset);
  const { lookup, run } = base;
  if (lookup !== undefined) return { ...node, run: (scope) => lookup(scope, name) !== undefined };
  return {
    ...node,
    run: (scope) => {
      const map = run(scope);
      return isTrouble(map) || !isMap(map) ? notMap(base, name, map) : Object.hasOwn(map, name);
    },
  };
}

/** `base[key]` with a key that is known only when it runs: an item of a list, a member of a map. */
export function index(base: Node, key: Node, label: string, offset: number): Node {
  const list = mayBe(base.type, 'list') && mayBe(key.type, 'number');
  const map = mayBe(base.type, 'map') && mayBe(key.type, 'string');
  if (!list && !map)
    throw new ConditionFault(`${inWords(base.type.kind)} has no ${inWords(key.type.kind)} as index`, offset);
  const absent = new Absent(label);
  return {
    type: base.type.item ?? ANY,
    label,
    offset,
    size: sizeOf([base, key]),
    run: (scope) => {
      const whole = base.run(scope);
      const at = key.run(scope);
      if (isTrouble(whole) || isTrouble(at)) return refused('"[]"', [base, key], [whole, at]);
      if (typeof at === 'number' && Array.isArray(whole)) return item(whole, at, label);
      if (typeof at !== 'string' || !isMap(whole)) return refused('"[]"', [base, key], [whole, at]);
      return Object.hasOwn(whole, at) ? (whole[at] as Value) : absent;
    },
  };
}

function item(list: readonly Value[], at: number, label: string): Result {
  const found = Number.isInteger(at) && at >= 0 ? list[at] : undefined;
  return found === undefined ? new Failure(() => `${label} lies outside the list of ${list.length} items`) : found;
}

function notMap(base: Node, name: string, value: Result): Trouble {
  return isTrouble(value) ? value : new Failure(() => noMember(base, kindOf(value), name));
}

function noMember(base: Node, kind: StaticType['kind'], name: string): string {
  return `${base.label || 'the value'} is ${inWords(kind)}, which has no member "${name}"`;
}

function fixedMember(base: Node, name: string, offset: number): Node | undefined {
  if (base.members === undefined) return undefined;
  const found = base.members.get(name);
  if (found !== undefined) return found;
  const known = [...base.members.keys()];
  throw new ConditionFault(`"${base.label}" has no "${name}": ${suggestion(name, known)}`, offset);
}

function memberType(base: Node, name: string, offset: number): StaticType {
  if (!mayBe(base.type, 'map')) throw new ConditionFault(noMember(base, base.type.kind, name), offset);
  const { members, open, unknown } = base.type;
  if (members === undefined) return base.type.item ?? ANY;
  const found = members.get(name);
  if (found !== undefined) return found;
  if (!open) throw new ConditionFault(`${unknown} "${name}": ${suggestion(name, [...members.keys()])}`, offset);
  const meant = slipOf(name, members.keys());
  if (meant !== undefined) throw new ConditionFault(`${unknown} "${name}": ${doubt(meant)}`, offset);
  return ANY;
}

/** Judges the key of `"key" in base`. */
export function judgeKey(base: Node, name: string, offset: number): void {
  if (base.type.open !== undefined) memberType(base, name, offset);
}

/** The remedy for a name that may be right although nobody declares it. */
export function doubt(meant: string): string {
  return `did you mean "${meant}"? If not, declare it, too`;
}

/** More names than these are not listed. */
const NAMED_MAX = 10;
/** A change-set may hold many conditions: each looks at some hundred names. */
const NEAREST_WORK = 50_000;

/** The remedy for an unknown name. */
export function suggestion(name: string, known: readonly string[]): string {
  const close = nearest(name, known, NEAREST_WORK);
  if (close !== undefined) return `did you mean "${close}"?`;
  if (known.length === 0) return 'there are none';
  const named = known.slice(0, NAMED_MAX).map((word) => `"${word}"`);
  return `there are ${named.join(', ')}${known.length > NAMED_MAX ? ` and ${known.length - NAMED_MAX} more` : ''}`;
}
