import type { Json } from '../../json/json.js';
import { ConditionFault } from '../syntax/parse.js';
import { Failure, OutOfSteps, type Trouble, worse } from '../values/outcome.js';
import { Scope } from '../values/scope.js';
import { inWords, type StaticType } from '../values/static-type.js';
import { isTrouble, kindOf, type Result, type Value } from '../values/value.js';

export type Run = (scope: Scope) => Result;

/** A compiled expression. */
export interface Node {
  readonly type: StaticType;
  readonly run: Run;
  /** How messages name it: an attribute's path, or nothing if only its kind helps. */
  readonly label: string;
  /** The place in the source where it starts, in characters. */
  readonly offset: number;
  /** How many nodes it has, including all inside it. A macro is charged this for each item. */
  readonly size: number;
  /** The value of a literal, or of an expression of literals only. */
  readonly constant?: Value;
  /** The members of a variable whose members are fixed. */
  readonly members?: ReadonlyMap<string, Node>;
  /** Reads one member of a map that need not be built as a whole. */
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

/**
 * The scope in which constants are computed. Each computation has a new one, since a scope counts down the steps left.
 */
function nobody(): Scope {
  const request = { subject: { type: '', id: '' }, resource: { type: '' }, action: { name: '' } };
  const facts = { type: '', application: '', id: undefined, name: undefined };
  return new Scope(request, facts, 0, undefined, undefined);
}

/** Computes a constant node once. A failure is a fault of the condition as written. */
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

/** Names a part in messages: `context.age (a string)`, or only its kind. */
export function said(node: Node, kind: StaticType['kind']): string {
  return node.label === '' ? inWords(kind) : `${node.label} (${inWords(kind)})`;
}

/**
 * The outcome of an operation on values of which one is absent, has failed, or is of a kind that the operation does not
 * take.
 */
export function refused(what: string, nodes: readonly Node[], values: readonly Result[]): Trouble {
  let trouble: Trouble | undefined;
  for (const value of values) if (isTrouble(value)) trouble = worse(trouble, value);
  if (trouble !== undefined) return trouble;
  return new Failure(() => {
    const words = nodes.map((node, index) => said(node, kindOf(values[index] as Value)));
    return `${what} does not take ${words.join(' and ')}`;
  });
}

/** The fault of an operation that can never take values of these parts' types. */
export function mismatch(what: string, nodes: readonly Node[], offset: number): ConditionFault {
  return new ConditionFault(
    `${what} does not take ${nodes.map((node) => said(node, node.type.kind)).join(' and ')}`,
    offset,
  );
}
