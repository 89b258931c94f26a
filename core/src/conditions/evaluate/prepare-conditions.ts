import { Scope } from '../values/scope.js';
import { compileCondition } from './compile.js';

/** Has what most conditions have. */
const SAMPLE =
  'has(context.a) && (resource.properties.b == 1 || !(subject.properties.c in ["x"])) && since(context.d) > duration("1h")';
const FACTS = { type: '', application: '', id: undefined, name: undefined };
const REQUEST = { subject: { type: '', id: '' }, resource: { type: '' }, action: { name: '' } };

let prepared = false;

/**
 * Compiles and evaluates a condition for nothing. The first one of a process takes two milliseconds, whatever it says,
 * because Node then compiles the parser itself: this takes them from a decision or search to the start of the tenant.
 */
export function prepareConditions(): void {
  if (prepared) return;
  prepared = true;
  compileCondition(SAMPLE).evaluate(new Scope(REQUEST, FACTS, 0, undefined, undefined));
}
