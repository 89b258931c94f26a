import type { Json } from '../json.js';
import { Failure, OutOfSteps, type Trouble, worse } from './outcome.js';
import { ConditionFault } from './parse.js';
import { Scope } from './scope.js';
import { inWords, type StaticType } from './static-type.js';
import { isTrouble, kindOf, type Result, type Value } from './value.js';

export type Run = (scope: Scope) => Result;

/** An expression made ready to run. */
export interface Node {
  readonly type: StaticType;
  readonly run: Run;
  /** How messages name it: an attribute's path, or nothing where only its kind helps. */
  readonly label: string;
  /** Where it starts in the source, in characters. */
  readonly offset: number;
  /** How many nodes it has with all inside it: what a macro is charged for each item. */
  readonly size: number;
  /** The value of a literal, and of what has been computed from literals alone. */
  readonly constant?: Value;
  /** Of a variable with fixed members: those. */
  readonly members?: ReadonlyMap<string, Node>;
  /** Of a map whose members can be read without making the whole: reads one. */
  readonly lookup?: (scope: Scope, name: string) => Json | undefined;
}

export function constantNode(value: Value, type: StaticType, offset: number): Node {
  return { type, run: () => value, label: '', offset, size: 1, constant: value };
}

export function sizeOf(nodes: readonly Node[]): number {
  let size = 1;
  for (const node of nodes) size += node.size;
  return size;
}

/** What constants are computed in. Each time another one, since a scope counts down what all its evaluations may cost. */
function nobody(): Scope {
  const request = { subject: { type: '', id: '' }, resource: { type: '' }, action: { name: '' } };
  const facts = { type: '', application: '', id: undefined, name: undefined };
  return new Scope(request, facts, 0, undefined, undefined);
}

/** Computes a node of constants once; a failure then is a fault of the condition as written. */
export function folded(node: Node, parts: readonly Node[]): Node {
  if (parts.some((part) => part.constant === undefined)) return node;
  const value = constantOf(node);
  if (value instanceof Failure) throw new ConditionFault(value.cause, node.offset);
  return isTrouble(value) ? node : { ...node, run: () => value, constant: value };
}

function constantOf(node: Node): Result {
  try {
    return node.run(nobody());
  } catch (error) {
    if (error instanceof OutOfSteps)
      throw new ConditionFault('takes too much work on what is written here', node.offset);
    throw error;
  }
}

/** A part in words, for messages: `context.age (a string)`, or the kind alone. */
export function said(node: Node, kind: StaticType['kind']): string {
  return node.label === '' ? inWords(kind) : `${node.label} (${inWords(kind)})`;
}

/** What comes of an operation on these parts and values, one of which it cannot take. */
export function refused(what: string, nodes: readonly Node[], values: readonly Result[]): Trouble {
  let trouble: Trouble | undefined;
  for (const value of values) if (isTrouble(value)) trouble = worse(trouble, value);
  if (trouble !== undefined) return trouble;
  return new Failure(() => {
    const words = nodes.map((node, index) => said(node, kindOf(values[index] as Value)));
    return `${what} does not take ${words.join(' and ')}`;
  });
}

/** The fault of an operation that can take no values of these parts' types. */
export function mismatch(what: string, nodes: readonly Node[], offset: number): ConditionFault {
  return new ConditionFault(
    `${what} does not take ${nodes.map((node) => said(node, node.type.kind)).join(' and ')}`,
    offset,
  );
}
