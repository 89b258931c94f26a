import { Fn, Token } from 'cdktf';
import type { Construct } from 'constructs';
import type { Entity } from './entity.js';
import { shown } from './options/options.js';

/*
 * Checks of values that a JavaScript program can get wrong and that TypeScript does not fully check. Each error points
 * at the construct in the program, instead of appearing later in the plan.
 */

/**
 * A construct's id, which is part of names that must not change. A value that is known only later would change them.
 */
export function fixed(id: string): string {
  if (Token.isUnresolved(id))
    throw new Error(
      'The id of a construct cannot be a value that is known only later: give it a fixed id, and the value as its "name" or "id".',
    );
  return id;
}

/** An id that is still free. `said` names what the program would declare twice. */
export function free(scope: Construct, id: string, said: string): string {
  if (scope.node.tryFindChild(id) !== undefined) throw new Error(`${scope.node.path}: ${said}`);
  return id;
}

/** The path of the record that is given as a reference. */
export function pathOf(at: string, given: { readonly path: string }, member: string): string {
  if (typeof given?.path === 'string') return given.path;
  throw new Error(
    `${at}: "${member}" is ${shown(given)}: give the construct of the record, or an object with its "path".`,
  );
}

/** The paths of the applications that a record is shared with. */
export function sharedPaths(at: string, given: readonly { readonly path: string }[] | undefined): string[] | undefined {
  return given && listOf(at, given, 'sharedWith').map((application) => pathOf(at, application, 'sharedWith'));
}

/** The principal that something is assigned to, or the member of a group. */
export function entityOf<E extends Entity>(at: string, given: E): E {
  const { entityType, path, node } = (given ?? {}) as Partial<Entity>;
  if (entityType !== undefined && typeof path === 'string' && node !== undefined) return given;
  const what =
    typeof given === 'object' && given !== null ? `a ${Object(given).constructor?.name ?? 'thing'}` : shown(given);
  throw new Error(
    `${at}: it is given to ${what}: give a Subject, Group or Role of this layer, what entity("group/finance") of a Tree gives, or an object with "entityType", "path" and "node".`,
  );
}

/** Requires an array: a string would be read as a list of its letters. */
export function listOf<T>(at: string, given: readonly T[], member: string): T[] {
  if (Array.isArray(given) || Token.isUnresolved(given)) return given as T[];
  throw new Error(`${at}: "${member}" is ${shown(given)}: give an array.`);
}

/**
 * Stored attributes as JSON. If some of them are known only later, Terraform encodes them, so that they stay
 * references.
 */
export function json(properties: object): string {
  return isKnown(properties) ? JSON.stringify(properties) : Fn.jsonencode(properties);
}

function isKnown(value: unknown): boolean {
  if (Token.isUnresolved(value)) return false;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, item]) => !Token.isUnresolved(name) && isKnown(item));
}
