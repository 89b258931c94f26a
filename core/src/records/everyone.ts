import type * as z from 'zod';
import { type Address, address, decodeSegment, encodeSegment } from './address.js';
import type { Reference } from './definition.js';
import type { Kind } from './kinds.js';

/** The `entity_type` of what is given to everybody, recorded or not (docs/semantics.md 9.2). */
export const EVERYONE = 'everyone';
/** The `entity` that stands for subjects of every type; any other one names a type. */
export const EVERY_TYPE = '*';

interface Assignee {
  entity_type: Kind | typeof EVERYONE;
  entity: string;
}

/** For the `superRefine` of assignments: whoever means all is not taken for naming one that is called so. */
export function namesOneType({ entity_type, entity }: Assignee, context: z.core.$RefinementCtx): void {
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['entity'], message });
  const isType = /^[^/]+$/.test(entity) && !/^everyone$/i.test(entity);
  if (entity_type === EVERYONE && !isType)
    refuse('is no type of subjects: write one like "user" for everyone of that type, or "*" for everyone');
  else if (entity_type === EVERYONE && writtenAs(entity) !== entity)
    refuse(`would mean nobody: write the type as "${writtenAs(entity)}", as in a path`);
  const [, type] = /^([^/]+)\/\*$/.exec(entity) ?? [];
  if (entity_type === 'subject' && type !== undefined)
    refuse(`names no subject: for everyone of the type, write "${type}" with the entity_type "everyone"`);
}

/** A type of subjects as a path has it, whatever of it is percent-encoded. */
function writtenAs(entity: string): string {
  try {
    return encodeSegment(decodeSegment(entity));
  } catch {
    return encodeSegment(entity);
  }
}

/** The record that an assignment is given to; everyone has none. */
export function assigneeReferences({ entity_type, entity }: Assignee): Reference[] {
  return entity_type === EVERYONE ? [] : [{ pointer: '/entity', target: address(entity_type, entity), free: true }];
}

/** The address of an assignee; that of everyone, or everyone of a type, is of no record. */
export function assigneeOf({ entity_type, entity }: Assignee): Address {
  return entity_type === EVERYONE ? `${EVERYONE}/${entity}` : address(entity_type, entity);
}

/** The type that the name of a principal stands for everyone of: `everyone`, or `everyone/TYPE`. */
export function everyoneType(principal: string): string | undefined {
  if (principal === EVERYONE) return EVERY_TYPE;
  return principal.startsWith(`${EVERYONE}/`) ? principal.slice(EVERYONE.length + 1) : undefined;
}
