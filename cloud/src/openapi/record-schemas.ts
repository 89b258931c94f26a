import { isCredential, KINDS, type Kind } from '@authz-service/core/records/kinds';
import * as z from 'zod';
import { wireInputSchema, wireRecordSchema } from '../records/record-schema.js';

type Schemas = { [K in Kind]: z.ZodType };

function forEachKind(make: (kind: Kind) => z.ZodType): Schemas {
  return Object.fromEntries(KINDS.map((kind) => [kind, make(kind)])) as Schemas;
}

const operator = z
  .boolean()
  .optional()
  .meta({ description: 'Creates and reads tenants; only operators can grant it.' });

const last_used_at = z.iso.datetime().optional().meta({
  description:
    'When it was last used, to the minute or so; absent if never, or not since the service keeps it. Changes no revision, and may be repeated in a patch, which ignores it.',
});

/** Records in the answer to a GET. */
export const recordSchemas = forEachKind((kind) =>
  isCredential(kind) ? wireRecordSchema(kind).extend({ operator, last_used_at }) : wireRecordSchema(kind),
);

/** Records in the body of a POST. */
export const inputSchemas = forEachKind((kind) =>
  isCredential(kind) ? wireInputSchema(kind).extend({ operator }) : wireInputSchema(kind),
);

/** Merge patches: every member may be omitted, and null removes one. */
export const patchSchemas = forEachKind((kind) => {
  const members = Object.entries(wireRecordSchema(kind).shape).map(([name, member]) => [
    name,
    z.nullable(member).optional(),
  ]);
  return z.strictObject(Object.fromEntries(members));
});

/** Records in the answer to a POST: a credential includes its secret. */
export const madeSchemas = forEachKind((kind) => {
  const record = wireRecordSchema(kind);
  if (!isCredential(kind)) return recordSchemas[kind];
  if (kind === 'api_key') return record.extend({ operator, secret: z.string() });
  const made = z.string().optional();
  const text = 'Absent for a client that names a person: it is for signing in to the console, and has no secret.';
  return record.extend({ operator, client_id: made, client_secret: made.meta({ description: text }) });
});

/** The name of a kind in reference documents: `PolicyAssignment`. */
export function schemaName(kind: Kind): string {
  const words = kind.split('_');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The names of these schemas in a reference document: `Role`, `NewRole`, `RolePatch`, `MadeRole`. */
export function* namedRecordSchemas(): Generator<[name: string, schema: z.ZodType]> {
  for (const kind of KINDS) {
    const name = schemaName(kind);
    yield [name, recordSchemas[kind]];
    yield [`New${name}`, inputSchemas[kind]];
    yield [`${name}Patch`, patchSchemas[kind]];
    if (isCredential(kind)) yield [`Made${name}`, madeSchemas[kind]];
  }
}
