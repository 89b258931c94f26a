import { NAMING_METHODS } from '../../records/condition-names.js';
import { accepts, functions, methods, type Overload } from '../functions/functions.js';
import { ConditionFault } from '../syntax/parse.js';
import { Failure } from '../values/outcome.js';
import { ANY, mayBe } from '../values/static-type.js';
import { isTrouble, type Result, type Value } from '../values/value.js';
import { macros } from './macros.js';
import { folded, mismatch, type Node, type Run, refused, sizeOf } from './node.js';
import { suggestion } from './select.js';

/** A call of a function; with `method`, the first part is the receiver. */
export function call(name: string, parts: readonly Node[], method: boolean, offset: number): Node {
  const table = method ? methods : functions;
  const overloads = table.get(name);
  if (overloads === undefined) throw unknown(name, method, offset);
  const fits = overloads.filter((overload) => fitsTypes(overload, parts));
  const [only] = fits;
  if (only === undefined) throw mismatch(`${name}()`, parts, offset);
  const type = fits.every((fit) => fit.gives === only.gives) ? only.gives : ANY;
  const node = { type, label: '', offset, size: sizeOf(parts) };
  const prepared = prepare(only, name, parts, offset);
  const ready = { ...node, run: prepared ?? dispatch(name, fits, parts) };
  return fits.some(({ live }) => live) ? ready : folded(ready, parts);
}

const CALLED_AS: Readonly<Record<string, string>> = {
  ancestor: 'resource.ancestor("APPLICATION/TYPE")',
  ancestors: 'resource.ancestors("APPLICATION/TYPE")',
  in_group: 'subject.in_group("GROUP")',
  has_role: 'subject.has_role("APPLICATION/ROLE")',
};

function unknown(name: string, method: boolean, offset: number): ConditionFault {
  const [table, other] = method ? [methods, functions] : [functions, methods];
  if (other.has(name)) {
    const form = method ? `${name}(…)` : `value.${name}(…)`;
    return new ConditionFault(`${name} is called as ${form}`, offset);
  }
  if (Object.hasOwn(NAMING_METHODS, name)) return new ConditionFault(`${name} is called as ${CALLED_AS[name]}`, offset);
  const known = [...table.keys(), ...macros, ...(method ? Object.keys(NAMING_METHODS) : [])];
  return new ConditionFault(`there is no function "${name}": ${suggestion(name, known)}`, offset);
}

function fitsTypes(overload: Overload, parts: readonly Node[]): boolean {
  return (
    overload.takes.length === parts.length &&
    overload.takes.every((kind, at) => kind === 'any' || mayBe((parts[at] as Node).type, kind))
  );
}

function fitsValues(overload: Overload, values: readonly Value[]): boolean {
  return overload.takes.every((kind, at) => accepts(kind, values[at] as Value));
}

function prepare(overload: Overload, name: string, parts: readonly Node[], offset: number): Run | undefined {
  const [first, second] = parts;
  if (overload.prepare === undefined || first === undefined || typeof second?.constant !== 'string') return undefined;
  const [takes] = overload.takes;
  const run = overload.prepare(second.constant);
  if (run instanceof Failure) throw new ConditionFault(run.cause, second.offset ?? offset);
  return (scope) => {
    const value = first.run(scope);
    return isTrouble(value) || !accepts(takes ?? 'any', value)
      ? refused(`${name}()`, [first], [value])
      : run(scope, value);
  };
}

/** The steps for choosing the overload of a function by the kinds of its arguments. */
const CALL_STEPS = 4;

function dispatch(name: string, fits: readonly Overload[], parts: readonly Node[]): Run {
  const runs = parts.map((part) => part.run);
  return (scope) => {
    scope.charge(CALL_STEPS);
    const values: Result[] = [];
    let troubled = false;
    for (let at = 0; at < runs.length; at++) {
      const value = (runs[at] as Run)(scope);
      if (isTrouble(value)) troubled = true;
      values.push(value);
    }
    if (!troubled) {
      for (let at = 0; at < fits.length; at++) {
        const fit = fits[at] as Overload;
        if (fitsValues(fit, values as Value[])) return fit.run(scope, values[0], values[1], values[2]);
      }
    }
    return refused(`${name}()`, parts, values);
  };
}
