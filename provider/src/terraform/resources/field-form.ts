import { canonicalJson, type Json } from '@authz-service/core/json/json';
import { parseJson } from '@authz-service/core/json/parse-json';
import { metaOf, unwrap } from '@authz-service/core/records/schema-shape';
import { equalJson } from '@authz-service/core/state/equal-json';
import * as z from 'zod';
import type { Attribute, Attributes, Type } from '../framework/schema.js';
import { isList, isObject, type Value } from '../framework/value.js';

/** A value that no field can be made of. It is found before a schema can check it. */
export class Unformable extends Error {}

/** How one field of a record appears in Terraform: its attribute, and the conversions in both directions. */
export interface FieldForm {
  attribute: Attribute;
  /** The field for a completely known value; undefined if it is absent. Throws `Unformable`. */
  toField(value: Value): unknown;
  toValue(field: unknown): Value;
}

export type FieldForms = ReadonlyMap<string, FieldForm>;

type Schema = z.core.$ZodType;
type Shape = Readonly<Record<string, Schema>>;

const known = new WeakMap<Shape, FieldForms>();

/** The forms of all fields of a record, or of an object inside one, derived from its zod shape once. */
export function formsOf(shape: Shape): FieldForms {
  const made = known.get(shape);
  if (made !== undefined) return made;
  const forms = new Map(Object.entries(shape).map(([name, schema]) => [name, formOf(schema)]));
  known.set(shape, forms);
  return forms;
}

export function attributesOf(forms: FieldForms): Attributes {
  return Object.fromEntries([...forms].map(([name, form]) => [name, form.attribute]));
}

function formOf(schema: Schema): FieldForm {
  const { description: text = '', key = false, emptyIsAbsent = false, kept = false } = metaOf(schema);
  const bare = kept ? switchForm(bareForm(schema)) : bareForm(schema);
  const { def } = schema._zod;
  const omissible = schema._zod.optin === 'optional';
  const standard = def.type === 'default' ? (schema as z.ZodDefault).def.defaultValue : undefined;
  const attribute: Attribute = {
    ...bare.attribute,
    description: `${text}${textMissing(text, bare.attribute.description)}${standard === undefined ? '' : ` Default: \`${standard}\`.`}`,
    ...(standard !== undefined
      ? { default: bare.toValue(standard) }
      : kept
        ? { optional: true, computed: true, stable: true }
        : omissible
          ? emptyIsAbsent
            ? { default: null }
            : { optional: true }
          : { required: true }),
    ...(key && { replace: true }),
    same: sameAs(schema, bare),
  };
  return {
    attribute,
    toField: (value) => (value === null ? undefined : bare.toField(value)),
    toValue: (field) => (field === undefined ? null : bare.toValue(field)),
  };
}

/** The form's own description, unless the field already contains it. */
function textMissing(text: string, more: string): string {
  const words = more.match(/`[^`]+`/g) ?? [];
  return words.length > 0 && words.every((word) => text.includes(word)) ? '' : more;
}

/** Two values mean the same if the record's schema makes the same field of them. */
function sameAs(schema: Schema, form: Pick<FieldForm, 'toField'>): (left: Value, right: Value) => boolean {
  const normalized = (value: Value): { field: unknown } | undefined => {
    try {
      const field = value === null ? undefined : form.toField(value);
      const result = z.safeParse(schema, field);
      return result.success ? { field: result.data } : undefined;
    } catch {
      return undefined;
    }
  };
  return (left, right) => {
    if (left === right) return true;
    const one = normalized(left);
    const other = normalized(right);
    return one !== undefined && other !== undefined && equalJson(one.field, other.field);
  };
}

type BareForm = Pick<FieldForm, 'toField' | 'toValue'> & { attribute: Attribute };

const description = '';

function bareForm(schema: Schema): BareForm {
  const inner = unwrap(schema);
  const scalar = scalarForm(inner);
  if (scalar !== undefined) return scalar;
  const { set = false } = metaOf(schema);
  if (inner instanceof z.ZodObject) return objectForm(inner.shape);
  if (inner instanceof z.ZodArray) return listForm(inner.element as Schema, set ? 'set' : 'list');
  if (inner instanceof z.ZodRecord) return recordForm(inner.valueType as Schema);
  throw noForm(inner);
}

function noForm(schema: Schema): Error {
  return new Error(`the provider has no form for fields of the type ${schema._zod.def.type}`);
}

/** A switch, for which false means the same as absent; other forms stay as they are. */
function switchForm<F extends BareForm>(form: F): F {
  if (!('type' in form.attribute) || form.attribute.type !== 'bool') return form;
  return { ...form, toField: (value) => (value === true ? true : undefined) };
}

function scalarForm(inner: Schema): (BareForm & { attribute: { type: Type } }) | undefined {
  const as = (type: 'string' | 'number' | 'bool') => ({
    attribute: { type, description },
    toField: (value: Value) => value,
    toValue: (field: unknown) => field as Value,
  });
  switch (inner._zod.def.type) {
    case 'string':
      return as('string');
    case 'enum': {
      const options = (inner as z.ZodEnum).options.map((option) => `\`${option}\``);
      const oneOf = (inner as z.ZodEnum).options.map(String);
      return { ...as('string'), attribute: { type: 'string', description: ` One of ${options.join(', ')}.`, oneOf } };
    }
    case 'number':
      return as('number');
    case 'boolean':
      return as('bool');
    case 'literal':
      return switchForm(as('bool'));
    case 'union': {
      const [first, ...rest] = (inner as z.ZodUnion).options.map((option) => scalarForm(unwrap(option as Schema)));
      return rest.every((other) => other?.attribute.type === first?.attribute.type) ? first : undefined;
    }
    default:
      return undefined;
  }
}

function objectForm(shape: Shape): BareForm {
  const forms = formsOf(shape);
  return {
    attribute: { nested: 'single', attributes: attributesOf(forms), description },
    toField: (value) => fieldsFrom(forms, isObject(value) ? value : {}),
    toValue: (field) => valuesFrom(forms, field as Record<string, unknown>),
  };
}

function listForm(element: Schema, kind: 'list' | 'set'): BareForm {
  const each = (value: unknown): readonly Value[] => (Array.isArray(value) ? value : []);
  const scalar = scalarForm(unwrap(element));
  if (scalar !== undefined) {
    const type: Type = kind === 'set' ? { set: scalar.attribute.type } : { list: scalar.attribute.type };
    const choice = scalar.attribute.description.replace('One of', 'Any of');
    const { oneOf } = scalar.attribute;
    const attribute = { type, description: choice, ...(oneOf && { oneOf }) };
    return { attribute, toField: (value) => value, toValue: (field) => each(field) };
  }
  const inner = unwrap(element);
  if (!(inner instanceof z.ZodObject)) throw noForm(inner);
  const item = objectForm(inner.shape);
  const { attributes } = item.attribute as { attributes: Attributes };
  return {
    attribute: { nested: kind, attributes, description },
    toField: (value) => (isList(value) ? value.map(item.toField) : value),
    toValue: (field) => each(field).map(item.toValue),
  };
}

/** Free JSON appears as a text written with `jsonencode`, a type that every generated construct can hold. */
function recordForm(valueType: Schema): BareForm {
  const scalar = scalarForm(unwrap(valueType));
  if (scalar !== undefined) {
    return {
      attribute: { ...scalar.attribute, type: { map: scalar.attribute.type } },
      toField: (value) => value,
      toValue: (field) => field as Value,
    };
  }
  return {
    attribute: { type: 'string', description: ' As JSON text: write it with `jsonencode`.' },
    toField: (value) => fieldOfJson(String(value)),
    toValue: (field) => canonicalJson(field),
  };
}

function fieldOfJson(text: string): Json {
  try {
    return parseJson(text, 'it');
  } catch (error) {
    const cause = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    throw new Unformable(`must be a JSON object as text (${cause}): write it with jsonencode({ … })`);
  }
}

/** The fields for completely known values. Throws `Unformable`. */
export function fieldsFrom(forms: FieldForms, values: { readonly [name: string]: Value }): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, form] of forms) {
    const field = form.toField(values[name] ?? null);
    if (field !== undefined) fields[name] = field;
  }
  return fields;
}

export function valuesFrom(forms: FieldForms, fields: Record<string, unknown>): { [name: string]: Value } {
  return Object.fromEntries([...forms].map(([name, form]) => [name, form.toValue(fields[name])]));
}
