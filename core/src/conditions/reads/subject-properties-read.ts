import { type Ast, ConditionFault, parseCondition } from '../syntax/parse.js';
import { attributePath, MACROS, partsOf } from './reads.js';

const PROPERTIES = 'subject.properties';
const NONE: ReadonlySet<string> = new Set();

/** The names of the subject's properties that a condition may read; `all` where its text does not bound them, or does not parse. */
export function subjectPropertiesRead(source: string): ReadonlySet<string> | 'all' {
  const found = new Set<string>();
  try {
    return collect(parseCondition(source), NONE, found) ? found : 'all';
  } catch (error) {
    if (error instanceof ConditionFault) return 'all';
    throw error;
  }
}

/** Adds the properties that are named; returns whether no other can be read. */
function collect(ast: Ast, locals: ReadonlySet<string>, found: Set<string>): boolean {
  const name = propertyNamed(ast, locals);
  if (name !== undefined) {
    found.add(name);
    return true;
  }
  const path = attributePath(ast, locals);
  if (path === 'subject' || path === PROPERTIES) return false;
  if (ast.op === '.' && attributePath(ast.args[0], locals) === 'subject') return true;
  if (ast.op !== 'rcall') return partsOf(ast).every((part) => collect(part, locals, found));
  const [called, receiver, args] = ast.args;
  const variable = MACROS.has(called) && args.length > 1 && args[0]?.op === 'id' ? args[0].args : undefined;
  const inside = variable === undefined ? locals : new Set(locals).add(variable);
  const parts = variable === undefined ? args : args.slice(1);
  // `subject.in_group(…)` and `subject.has_role(…)` read no property.
  const isQuestion = attributePath(receiver, locals) === 'subject';
  return (isQuestion || collect(receiver, locals, found)) && parts.every((part) => collect(part, inside, found));
}

/** The property that `subject.properties.x`, `subject.properties["x"]` or `"x" in subject.properties` names. */
function propertyNamed(ast: Ast, locals: ReadonlySet<string>): string | undefined {
  if (ast.op !== '.' && ast.op !== '[]' && ast.op !== 'in') return undefined;
  const [map, key] = ast.op === 'in' ? [ast.args[1], ast.args[0]] : ast.args;
  if (attributePath(map, locals) !== PROPERTIES) return undefined;
  if (typeof key === 'string') return key;
  return key.op === 'value' && typeof key.args === 'string' ? key.args : undefined;
}
