import { Fn, Token } from 'cdktf';
import type { Construct } from 'constructs';
import type { Entity } from './entity.js';
import { shown } from './options/options.js';

/*
 * What a program in JavaScript may give wrong, and TypeScript does not see everything either: each says so where it is
 * written, not in the plan.
 */

/** A construct's id, which is part of names that must stay: a value that is known only later would change them. */
export function fixed(id: string): string {
  if (Token.isUnresolved(id))
    throw new Error(
      'The id of a construct cannot be a value that is known only later: give it a fixed id, and the value as its "name" or "id".',
    );
  return id;
}

/** An id that is still free. `said` is what it would declare twice. */
export function free(scope: Construct, id: string, said: string): string {
  if (scope.node.tryFindChild(id) !== undefined) throw new Error(`${scope.node.path}: ${said}`);
  return id;
}

/** The path of what another record is given as. */
export function pathOf(at: string, given: { readonly path: string }, member: string): string {
  if (typeof given?.path === 'string') return given.path;
  throw new Error(
    `${at}: "${member}" is ${shown(given)}: give the construct of the record, or an object with its "path".`,
  );
}

/** Whom something is given to, or who is a member. */
export function entityOf<E extends Entity>(at: string, given: E): E {
  const { entityType, path, node } = (given ?? {}) as Partial<Entity>;
  if (entityType !== undefined && typeof path === 'string' && node !== undefined) return given;
  const what =
    typeof given === 'object' && given !== null ? `a ${Object(given).constructor?.name ?? 'thing'}` : shown(given);
  throw new Error(
    `${at}: it is given to ${what}: give a Subject, Group or Role of this layer, what entity("group/finance") of a Tree gives, or an object with "entityType", "path" and "node".`,
  );
}

/** What must be a list; a text would be taken for one of letters. */
export function listOf<T>(at: string, given: readonly T[], member: string): T[] {
  if (Array.isArray(given) || Token.isUnresolved(given)) return given as T[];
  throw new Error(`${at}: "${member}" is ${shown(given)}: give an array.`);
}

/** Stored attributes as JSON. Where some are known only later, Terraform writes it, so that they stay values. */
export function json(properties: object): string {
  return isKnown(properties) ? JSON.stringify(properties) : Fn.jsonencode(properties);
}

function isKnown(value: unknown): boolean {
  if (Token.isUnresolved(value)) return false;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, item]) => !Token.isUnresolved(name) && isKnown(item));
}
