import { KINDS, type Kind } from '@authz-service/core/records/kinds';
import { definitionOf } from '@authz-service/core/records/registry';
import { metaOf, unwrap } from '@authz-service/core/records/schema-shape';
import * as z from 'zod';

/** A field that references another record, whose id is added as `<name>_id`. */
export interface Mention {
  name: string;
  /** The kind of the referenced record, or the field that names it. */
  kind: Kind | { said: string };
}

/** How a kind's fields look over HTTP, beyond their own schemas. */
export interface WireShape {
  mentions: Mention[];
  /** Lists of objects that reference records. */
  lists: { name: string; mentions: Mention[] }[];
  /** Lists of paths. */
  paths: { name: string; kind: Kind }[];
  /** The field whose path begins with an application, if no field names the application itself. */
  within?: string;
}

const shapes = new Map<Kind, WireShape>(KINDS.map((kind) => [kind, shapeOf(kind)]));

/** Derived from the fields' metadata, once for each kind. */
export function wireShape(kind: Kind): WireShape {
  return shapes.get(kind) ?? shapeOf(kind);
}

function shapeOf(kind: Kind): WireShape {
  const fields = Object.entries(definitionOf(kind).schema.shape);
  const lists: WireShape['lists'] = [];
  const paths: WireShape['paths'] = [];
  for (const [name, field] of fields) {
    const list = unwrap(field);
    const item = list instanceof z.ZodArray ? unwrap(list.element) : undefined;
    const mentions = item instanceof z.ZodObject ? mentionsOf(Object.entries(item.shape)) : [];
    if (mentions.length > 0) lists.push({ name, mentions });
    const reference = list instanceof z.ZodArray ? metaOf(list.element).reference : undefined;
    if (reference !== undefined) paths.push({ name, kind: reference });
  }
  const within = fields.find(([, field]) => {
    const { key, reference } = metaOf(field);
    return (
      key && reference !== undefined && 'application' in definitionOf(reference).schema.shape && isOwned(reference)
    );
  });
  return {
    mentions: mentionsOf(fields),
    lists,
    paths,
    ...(within && !('application' in definitionOf(kind).schema.shape) && { within: within[0] }),
  };
}

/** Whether records of the kind always belong to an application, so that their paths begin with its name. */
function isOwned(kind: Kind): boolean {
  const field = definitionOf(kind).schema.shape.application;
  return field !== undefined && !z.safeParse(field, undefined).success;
}

function mentionsOf(fields: [string, z.core.$ZodType][]): Mention[] {
  return fields.flatMap(([name, field]): Mention[] => {
    const { reference, entity } = metaOf(field);
    if (reference !== undefined) return [{ name, kind: reference }];
    return entity === undefined ? [] : [{ name, kind: { said: entity } }];
  });
}
