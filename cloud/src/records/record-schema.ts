import type { Kind } from '@authz-service/core/records/kinds';
import { definitionOf } from '@authz-service/core/records/registry';
import { unwrap } from '@authz-service/core/records/schema-shape';
import * as z from 'zod';
import type { SERVER_FIELDS } from './record-wire.js';
import { type Mention, wireShape } from './wire-shape.js';

const SCALARS = new Set(['string', 'number', 'int', 'boolean', 'enum', 'literal']);

/** The fields of a kind that hold one plain value, by which lists can be filtered. */
export function scalarFields(kind: Kind): string[] {
  return Object.entries(definitionOf(kind).schema.shape).flatMap(([name, field]) =>
    SCALARS.has(unwrap(field)._zod.def.type) ? [name] : [],
  );
}

const id = z.string().meta({ description: 'The id of the record; for a subject, the id that the caller chose.' });

const given = {
  kind: z.string().meta({ description: 'The kind of the record.' }),
  address: z.string().meta({ description: 'The address: kind and natural key.' }),
  managed_by: z.string().meta({ description: 'The stack that owns the record, or `api`.' }),
  created_at: z.iso.datetime().meta({ description: 'When it was created.' }),
  updated_at: z.iso.datetime().meta({ description: 'When it was last changed.' }),
  revision: z
    .int()
    .meta({ description: 'The number of the revision that last changed it; `If-Match` takes it in quotes.' }),
} satisfies { [field in (typeof SERVER_FIELDS)[number]]: z.ZodType };

/** A record in the answer to a GET, for reference documents. */
export function wireRecordSchema(kind: Kind): z.ZodObject {
  const shape = wireShape(kind);
  const fields = withIds(kind, definitionOf(kind).schema.shape);
  const within =
    shape.within === undefined ? {} : { application: pathOf('application'), application_id: idOf('application') };
  return z.strictObject({ id, ...given, kind: z.literal(kind), ...fields, ...within });
}

/**
 * A record in the body of a POST, for reference documents. References can be given by path or by id, so neither is
 * required.
 */
export function wireInputSchema(kind: Kind): z.ZodObject {
  const shape = wireShape(kind);
  const mentioned = new Set(shape.mentions.map(({ name }) => name));
  const fields = Object.entries(withIds(kind, definitionOf(kind).schema.shape)).map(
    ([name, field]) => [name, mentioned.has(name) ? z.optional(field) : field] as const,
  );
  const within =
    shape.within === undefined
      ? {}
      : { application: pathOf('application').optional(), application_id: idOf('application').optional() };
  return z.strictObject({ ...Object.fromEntries(fields), ...within });
}

function withIds(kind: Kind, fields: Readonly<Record<string, z.core.$ZodType>>): Record<string, z.core.$ZodType> {
  const shape = wireShape(kind);
  const all = addIds(fields, shape.mentions);
  for (const { name, mentions } of shape.lists) {
    const list = fields[name] && unwrap(fields[name]);
    const item = list instanceof z.ZodArray ? unwrap(list.element) : undefined;
    if (item instanceof z.ZodObject) all[name] = z.array(z.strictObject(addIds(item.shape, mentions))).optional();
  }
  return all;
}

function addIds(
  fields: Readonly<Record<string, z.core.$ZodType>>,
  mentions: readonly Mention[],
): Record<string, z.core.$ZodType> {
  const ids = mentions.map(({ name, kind }) => [`${name}_id`, idOf(typeof kind === 'string' ? kind : name).optional()]);
  return { ...fields, ...Object.fromEntries(ids) };
}

function pathOf(kind: string): z.ZodString {
  return z.string().meta({ description: `The path of the ${kind}.` });
}

function idOf(kind: string): z.ZodString {
  return z.string().meta({ description: `The id of the ${kind}.` });
}
