import * as z from 'zod';
import type { FieldMeta } from './fields.js';
import type { Kind } from './kinds.js';

/** The schema inside `optional`, `default` and their like. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while ('innerType' in inner._zod.def) inner = inner._zod.def.innerType as z.core.$ZodType;
  return inner;
}

/** A field's metadata, from whichever layer of its schema has it. */
export function metaOf(schema: z.core.$ZodType): FieldMeta {
  const meta: FieldMeta = { ...z.globalRegistry.get(schema) };
  return 'innerType' in schema._zod.def ? { ...metaOf(schema._zod.def.innerType as z.core.$ZodType), ...meta } : meta;
}

/** The keys that a value at `path` may have, or undefined where any key may stand. */
export function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] | undefined {
  let at: z.core.$ZodType | undefined = schema;
  for (const segment of path) {
    if (at === undefined) return undefined;
    const inner = unwrap(at);
    if (inner instanceof z.ZodObject) at = inner.shape[segment as string];
    else if (inner instanceof z.ZodArray) at = inner.element;
    else at = undefined;
  }
  const inner = at && unwrap(at);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : undefined;
}

/** A field that holds the path of a record, as the steps to it; `*` stands for every item of a list. */
export interface ReferenceField {
  steps: string[];
  kind: Kind;
  /** This text is no path: it stands for all records that may be meant. */
  all?: string;
}

/** Every field of a record's schema that holds the path of another record of a fixed kind. */
export function referenceFields(schema: z.core.$ZodType, steps: string[] = []): ReferenceField[] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray) {
    const element = inner.element as z.core.$ZodType;
    const { reference, all } = metaOf(element);
    const each = [...steps, '*'];
    if (reference === undefined) return referenceFields(element, each);
    return [{ steps: each, kind: reference, ...(all !== undefined && { all }) }];
  }
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([name, field]) => {
    const { reference } = metaOf(field as z.core.$ZodType);
    const here = [...steps, name];
    return reference ? [{ steps: here, kind: reference }] : referenceFields(field as z.core.$ZodType, here);
  });
}
