import type * as z from 'zod';
import type { Address, Path } from './address.js';
import type { Kind } from './kinds.js';
import { metaOf } from './schema-shape.js';

/** One record's mention of another. `pointer` (RFC 6901) says where in the fields it stands. */
export interface Reference {
  pointer: string;
  target: Address;
  /** The position at which a name begins within the text at that place, in characters. */
  offset?: number;
  /**
   * Whether a credential that is limited to applications may name any record here, because naming it gives away nothing
   * of it: who receives a grant, say. Everywhere else it names its own records, or what is shared with it.
   */
  free?: true;
}

/**
 * The home of a record, as limits of credentials see it: an application; the tenant as a whole; the stack that owns it,
 * where it lies in no application; what it grants; the limits that it has itself; or what no limited credential writes:
 * rules about access.
 */
export type Home = { application: Path } | 'tenant' | 'stack' | 'grant' | 'limits' | 'rules';

/**
 * All that is known of a kind of record, said once. `schema` parses and normalizes the declared fields: it rejects
 * unknown ones, fills defaults, sorts sets. Fields hold natural keys and paths only, never server-side ids.
 */
export interface KindDefinition<K extends Kind = Kind, S extends z.ZodObject = z.ZodObject> {
  kind: K;
  /** The collection's name in YAML. */
  yaml: string;
  /** One sentence for reference pages. */
  docs: string;
  schema: S;
  /** The record's path from its fields; `address` is the kind before it. */
  path(fields: z.output<S>): Path;
  /** Every record these fields need to exist. */
  references(fields: z.output<S>): Reference[];
  /** Without it the records belong to the tenant, and only unlimited credentials write them. */
  home?(fields: z.output<S>): Home;
  /** The field of a link that names what it grants. */
  grants?: Kind;
}

/** The definition; its schema is made when it is asked for first, since many a process meets few kinds. */
export function define<K extends Kind, S extends z.ZodObject>({
  schema,
  ...rest
}: Omit<KindDefinition<K, S>, 'schema'> & { schema(): S }): KindDefinition<K, S> {
  let made: S | undefined;
  return {
    ...rest,
    get schema() {
      made ??= withoutEmpty(schema());
      return made;
    },
  };
}

/** Drops the names of empty texts and sets, of which parsing leaves `undefined`. */
function withoutEmpty<S extends z.ZodObject>(schema: S): S {
  const names = Object.entries(schema.shape).flatMap(([name, field]) => (metaOf(field).emptyIsAbsent ? [name] : []));
  return schema.overwrite((fields) => {
    const held = fields as Record<string, unknown>;
    const empty = names.filter((name) => Object.hasOwn(held, name) && held[name] === undefined);
    if (empty.length === 0) return fields;
    return Object.fromEntries(Object.entries(held).filter(([name]) => !empty.includes(name))) as typeof fields;
  });
}
