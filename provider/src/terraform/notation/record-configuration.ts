import type { Json } from '@authz-service/core/json/json';
import { type Address, address } from '@authz-service/core/records/address';
import { namesInCondition } from '@authz-service/core/records/condition-names';
import type { Kind } from '@authz-service/core/records/kinds';
import { type DeclaredRecord, definitionOf } from '@authz-service/core/records/registry';
import { metaOf, unwrap } from '@authz-service/core/records/schema-shape';
import { equalJson } from '@authz-service/core/state/equal-json';
import * as z from 'zod';
import type { Attribute } from '../framework/schema.js';
import type { Value } from '../framework/value.js';
import { formsOf, valuesFrom } from '../resources/field-form.js';

/** The value of an attribute in a configuration: a literal, the path of another record, or a structure of these. */
export type Configured =
  | { literal: Value }
  /** Free JSON, which the attribute holds as text. */
  | { json: Json }
  | { reference: Address; path: string }
  /** A text in which paths of other records stand. */
  | { parts: (string | { reference: Address; path: string })[] }
  | { items: Configured[] }
  | { attributes: ConfiguredAttributes };
export type ConfiguredAttributes = { [name: string]: Configured };

type Schema = z.core.$ZodType;

/** The attributes that declare a record, in the order of its definition, without absent ones and defaults. */
export function configurationOf({ kind, fields }: DeclaredRecord): ConfiguredAttributes {
  const { shape } = definitionOf(kind).schema;
  return configured(shape, fields as Record<string, unknown>);
}

function configured(shape: Readonly<Record<string, Schema>>, fields: Record<string, unknown>): ConfiguredAttributes {
  const forms = formsOf(shape);
  const values = valuesFrom(forms, fields);
  const found: ConfiguredAttributes = {};
  for (const [name, { attribute }] of forms) {
    const value = values[name] ?? null;
    const schema = shape[name];
    if (schema === undefined || value === null || isDefault(attribute, value)) continue;
    const field = fields[name];
    found[name] =
      target(schema, fields, field) ?? condition(schema, field) ?? structure(schema, attribute, field, value);
  }
  return found;
}

function isDefault({ default: standard }: Attribute, value: Value): boolean {
  return standard !== undefined && equalJson(standard, value);
}

/** The record that a field names, if it names one. */
function target(schema: Schema, fields: Record<string, unknown>, field: unknown): Configured | undefined {
  const { reference, entity } = metaOf(schema);
  const kind = reference ?? (entity === undefined ? undefined : (fields[entity] as Kind));
  return kind === undefined ? undefined : { reference: address(kind, String(field)), path: String(field) };
}

/** A condition, where it names records; with their paths it is applied after them. */
function condition(schema: Schema, text: unknown): Configured | undefined {
  if (metaOf(schema).condition !== true || typeof text !== 'string') return undefined;
  const names = namesInCondition(text);
  if (names.length === 0) return undefined;
  let last = 0;
  const parts = names.flatMap(({ target: reference, start, end }) => {
    const before = text.slice(last, start);
    last = end;
    return [before, { reference, path: text.slice(start, end) }];
  });
  return { parts: [...parts, text.slice(last)] };
}

function structure(schema: Schema, attribute: Attribute, field: unknown, value: Value): Configured {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray) {
    const { reference, all } = metaOf(inner.element as Schema);
    if (reference !== undefined)
      return {
        items: (field as string[]).map((path) =>
          path === all ? { literal: path } : { reference: address(reference, path), path },
        ),
      };
  }
  if (!('nested' in attribute)) {
    const free = attribute.type === 'string' && typeof field === 'object';
    return free ? { json: field as Json } : { literal: value };
  }
  if (inner instanceof z.ZodObject) return { attributes: configured(inner.shape, field as Record<string, unknown>) };
  if (!(inner instanceof z.ZodArray)) throw new Error(`no configuration for fields of the type ${inner._zod.def.type}`);
  const element = unwrap(inner.element as Schema) as z.ZodObject;
  return {
    items: (field as Record<string, unknown>[]).map((item) => ({ attributes: configured(element.shape, item) })),
  };
}
