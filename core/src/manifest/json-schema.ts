import * as z from 'zod';
import type { Json, JsonObject } from '../json/json.js';
import { PROPERTY_TYPES } from '../records/fields.js';
import type { Kind } from '../records/kinds.js';
import { definitionOf } from '../records/registry.js';
import { ENVIRONMENT_KEYS, gatesSchema } from './environment.js';
import { DEFAULTS_SCHEMA, isSendable, sendableSchema } from './from-requests.js';
import {
  ADDRESS_LISTS,
  COLLECTIONS,
  fieldsOf,
  givenField,
  LINK_LISTS,
  type LinksNotation,
  type RecordsNotation,
  SETTINGS,
} from './notation.js';
import { claimSchema, isClaim } from './rule-shorthand.js';

const EXPIRING = 'Write a mapping instead of a text to say when it ends.';

const text = (description: string): JsonObject => ({ type: 'string', minLength: 1, description });
const entity = (description: string): JsonObject => ({
  type: 'string',
  pattern: '^(?:[^/]+/.+|everyone)$',
  description,
});
const list = (items: JsonObject, description: string): JsonObject => ({ type: ['array', 'null'], items, description });
const address = text('An address: `role/billing/accountant`.');

/** Names the schema and the version of the notation; nothing is served there. */
const MANIFEST_SCHEMA_ID = 'urn:authz-service:manifest:1';

/**
 * The JSON Schema (2020-12) of a file of the YAML notation, for editors. It is made from the same tables and record
 * schemas as the reader; what only the whole tree can show, such as a reference to nothing, it does not know.
 */
export function manifestJsonSchema(): JsonObject {
  const defs: JsonObject = { variable: VARIABLE };
  const properties: JsonObject = {
    version: { const: 1, description: SETTINGS.version },
    tenant: text(SETTINGS.tenant),
    stack: { ...text(SETTINGS.stack), not: { const: 'api' } },
    defaults: { ...DEFAULTS_SCHEMA, description: SETTINGS.defaults },
    variables: {
      type: ['object', 'null'],
      description: SETTINGS.variables,
      propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
      additionalProperties: mapping(
        { type: { enum: [...PROPERTY_TYPES] }, default: {}, description: { type: 'string' } },
        ['type'],
      ),
    },
    ...recordCollections(defs),
  };
  properties.moved = list(mapping({ from: address, to: address }, ['from', 'to']), ADDRESS_LISTS.moved);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: MANIFEST_SCHEMA_ID,
    title: 'Records of a tenant',
    type: 'object',
    properties,
    additionalProperties: false,
    $defs: defs,
  };
}

/** The JSON Schema (2020-12) of an environment's file, for editors. What the base has, it does not know. */
export function environmentJsonSchema(): JsonObject {
  const defs: JsonObject = { variable: VARIABLE };
  const added = recordCollections(defs);
  const changed: JsonObject = {};
  const { $schema: _, ...gates } = z.toJSONSchema(gatesSchema, { io: 'input' }) as JsonObject;
  for (const [name, notation] of COLLECTIONS) changed[name] = collection(notation, defs, 'change_');
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:authz-service:environment:1',
    title: 'An environment of a tenant',
    type: 'object',
    properties: {
      version: { const: 1, description: ENVIRONMENT_KEYS.version },
      name: text(ENVIRONMENT_KEYS.name),
      tenant: text(ENVIRONMENT_KEYS.tenant),
      variables: { type: ['object', 'null'], description: ENVIRONMENT_KEYS.variables },
      add: { ...mapping(added, []), description: ENVIRONMENT_KEYS.add },
      change: { ...mapping(changed, []), description: ENVIRONMENT_KEYS.change },
      remove: list(address, ENVIRONMENT_KEYS.remove),
      gates: { ...gates, description: ENVIRONMENT_KEYS.gates },
    },
    additionalProperties: false,
    $defs: defs,
  };
}

/** The mappings of records, the lists of links, and `external`. */
function recordCollections(defs: JsonObject): JsonObject {
  const properties: JsonObject = {};
  for (const [name, notation] of COLLECTIONS) properties[name] = collection(notation, defs);
  for (const [name, notation] of LINK_LISTS) {
    const { kind, to } = notation;
    const given = givenField(kind);
    const ends = { [given]: fieldSchemas(kind)[given] ?? {}, [to]: entity('`user/alice`, `group/finance`, …') };
    const { places, plain } = fieldsOf(kind);
    const item = mapping({ ...ends, ...pick(kind, [...places, ...plain]) }, [given, to]);
    properties[name] = list(item, definitionOf(kind).docs);
  }
  properties.external = list(address, ADDRESS_LISTS.external);
  return properties;
}

function mapping(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}

/**
 * A mapping of records; what a record may hold goes into `$defs`, once for each kind. With the prefix of changes, it is what
 * an environment may change.
 */
function collection(notation: RecordsNotation, defs: JsonObject, prefix: '' | 'change_' = ''): JsonObject {
  const { kind, key } = notation;
  const name = prefix + kind;
  if (!(name in defs)) {
    defs[name] = {};
    defs[name] = prefix === '' ? record(notation, defs) : change(notation, defs);
  }
  return {
    type: ['object', 'null'],
    description: definitionOf(kind).docs,
    ...(key === 'subject' && { propertyNames: { pattern: '^[^/]+/[^/]+$' } }),
    additionalProperties: { $ref: `#/$defs/${name}` },
  };
}

/** Schema of what an environment may change of a record: any field, and items of lists. */
function change({ kind, body, links, collections }: RecordsNotation, defs: JsonObject): JsonObject {
  const fields = orVariables(inYaml(kind, pick(kind, [...body, ...fieldsOf(kind).plain])));
  const edit = (items: Json) => mapping({ add: { type: 'array', items }, remove: { type: 'array', items } }, []);
  const properties: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const { anyOf: [own] = [field], description } = field as { anyOf?: Json[]; description?: string };
    const { items } = own as { items?: Json };
    const forms = [field, { type: 'null' }, ...(items === undefined ? [] : [edit(items)])];
    properties[name] = { ...(description !== undefined && { description }), anyOf: forms };
  }
  for (const [name, nested] of collections) properties[name] = collection(nested, defs, 'change_');
  for (const [name, notation] of links)
    properties[name] = { ...edit(orVariable(linkItem(notation))), description: notation.docs };
  return { description: definitionOf(kind).docs, ...mapping(properties, []) };
}

/** A variable as a whole value. */
const VARIABLE: JsonObject = { type: 'string', pattern: '^\\$\\{var\\.[A-Za-z_][A-Za-z0-9_]*\\}$' };

function orVariables(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, orVariable(schema as JsonObject)]),
  );
}

/** A schema of a value, or of a variable that stands for it or for something in it. A text that may be any takes one as it is. */
function orVariable(schema: JsonObject): JsonObject {
  const { description, ...own } = schema;
  if (Object.keys(own).length === 0) return schema;
  const inner: JsonObject = { ...own };
  for (const key of ['items', 'additionalProperties'])
    if (typeof own[key] === 'object') inner[key] = orVariable(own[key] as JsonObject);
  if (own.properties !== undefined) inner.properties = orVariables(own.properties as JsonObject);
  const isFreeText = own.type === 'string' && ['pattern', 'enum', 'const', 'format'].every((key) => !(key in own));
  if (isFreeText) return schema;
  return { ...(description !== undefined && { description }), anyOf: [inner, { $ref: '#/$defs/variable' }] };
}

function record({ kind, body, links, collections }: RecordsNotation, defs: JsonObject): JsonObject {
  const { plain } = fieldsOf(kind);
  const properties = orVariables(inYaml(kind, pick(kind, [...body, ...plain])));
  for (const [name, nested] of collections) properties[name] = collection(nested, defs);
  for (const [name, notation] of links) properties[name] = orVariable(list(linkItem(notation), notation.docs));
  const required = requiredFields(kind).filter((name) => plain.includes(name));
  const schema = { description: definitionOf(kind).docs, ...mapping(properties, required) };
  return required.length > 0 ? schema : { ...schema, type: ['object', 'null'] };
}

/** An item of a list of links: the other end alone, or a mapping that says more. */
function linkItem({ kind, end, item }: LinksNotation): JsonObject {
  const example = end === 'entity' ? '`user/alice`, `group/finance`, `role/billing/accountant`.' : undefined;
  const short = example === undefined ? (fieldSchemas(kind)[end] as JsonObject) : entity(example);
  const { places, plain } = fieldsOf(kind);
  const long = mapping({ [item]: short, ...pick(kind, [...places, ...plain]) }, [item]);
  return { anyOf: [{ ...short, description: `${short.description} ${EXPIRING}` }, long] };
}

/** Fields under the keys that YAML has for them. */
function inYaml(kind: Kind, fields: JsonObject): JsonObject {
  const { renamed } = fieldsOf(kind);
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [renamed.get(name) ?? name, field]));
}

function pick(kind: Kind, names: readonly string[]): JsonObject {
  const fields = fieldSchemas(kind);
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? {}]));
}

function fieldSchemas(kind: Kind): JsonObject {
  return recordSchema(kind).properties as JsonObject;
}

function requiredFields(kind: Kind): string[] {
  return recordSchema(kind).required as string[];
}

/** The record's own schema as JSON Schema, without what only this product's code reads. */
function recordSchema(kind: Kind): JsonObject {
  const schema = z.toJSONSchema(definitionOf(kind).schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const name of ['key', 'reference', 'all', 'entity', 'set', 'emptyIsAbsent', 'kept', 'condition', 'yaml'])
        delete jsonSchema[name];
    },
  });
  const plain = withoutReferences(schema as Json) as JsonObject;
  const properties = Object.entries(plain.properties as JsonObject).map(([name, field]) => [
    name,
    isClaim(kind, name)
      ? claimSchema(field as JsonObject)
      : isSendable(kind, name)
        ? sendableSchema(name, field as JsonObject)
        : field,
  ]);
  return { ...plain, properties: Object.fromEntries(properties) };
}

/** Any JSON value is the only thing that a record's schema refers to by `$ref`; the empty schema says the same. */
function withoutReferences(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutReferences);
  if ('$ref' in value) return {};
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutReferences(inner)]));
}
