import * as z from 'zod';

/** Metadata of fields that only this project understands. */
const OWN_KEYWORDS = ['key', 'reference', 'all', 'entity', 'set', 'emptyIsAbsent', 'condition', 'yaml'] as const;

/** The formats of JSON Schema (2020-12, section 7.3) that occur here; zod has others, which validators refuse. */
const FORMATS: ReadonlySet<string> = new Set(['date-time', 'date', 'time', 'uri', 'uuid', 'ipv4', 'ipv6']);

type JsonSchema = Record<string, unknown>;

/** The JSON Schemas of zod schemas. Each named one appears once among the components and is referenced. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly #names = new Map<z.ZodType, string>();

  constructor(named: Iterable<[name: string, schema: z.ZodType]>) {
    for (const [name, schema] of named) this.#names.set(schema, name);
  }

  /** The schema itself, or a reference to it. */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const registry = z.registry<{ id: string }>();
    for (const [named, id] of this.#names) registry.add(named, { id });
    const made = z.toJSONSchema(schema, {
      io,
      metadata: registry as never,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => describe(zodSchema, jsonSchema),
    });
    const text = JSON.stringify(made)
      // The only recursive schemas without a name are those of arbitrary JSON values.
      .replaceAll(/"#\/\$defs\/__schema\d+"/g, '"#/components/schemas/JsonValue"')
      .replaceAll('"#/$defs/', '"#/components/schemas/');
    const {
      $schema: _,
      $defs = {},
      id,
      ...rest
    } = JSON.parse(text) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, definition] of Object.entries($defs)) {
      const { id: _id, ...own } = definition;
      this.schemas[name.startsWith('__schema') ? 'JsonValue' : name] ??= own;
    }
    const name = this.#names.get(schema) ?? z.globalRegistry.get(schema)?.id;
    if (name === undefined) return rest;
    this.schemas[name] ??= rest;
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Descriptions come from the fields' own metadata, because the registry of names does not hold them. */
function describe(schema: z.core.$ZodType, json: JsonSchema): void {
  const { description, type } = z.globalRegistry.get(schema) ?? {};
  if (description !== undefined) json.description = description;
  // A value that only a function checks describes itself.
  if (schema._zod.def.type === 'custom' && typeof type === 'string') Object.assign(json, { type });
  for (const keyword of OWN_KEYWORDS) delete json[keyword];
  if (!FORMATS.has(String(json.format))) delete json.format;
  // Formats are more precise than patterns, and not every validator knows Unicode classes.
  if (json.format !== undefined || /\\p\{/i.test(String(json.pattern))) delete json.pattern;
}
