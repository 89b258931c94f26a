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

/** Records in the answer to a GET. */
export const recordSchemas = forEachKind((kind) =>
  isCredential(kind) ? wireRecordSchema(kind).extend({ operator }) : wireRecordSchema(kind),
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
  return record.extend({ operator, client_id: z.string(), client_secret: z.string() });
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
