import type * as z from 'zod';
import { KINDS, type Kind } from '../records/kinds.js';
import { definitionOf } from '../records/registry.js';

type Check = (value: unknown) => boolean;

/**
 * Whether a value has the shape that the schema's output has: types, enumerations, required and unknown fields, but no
 * lengths and patterns. It is some twenty times cheaper than parsing, which counts for bundles of a million records.
 */
export const hasShape: { readonly [K in Kind]: Check } = Object.fromEntries(
  KINDS.map((kind) => [kind, shapeOf(definitionOf(kind).schema)]),
) as { [K in Kind]: Check };

function shapeOf(schema: z.core.$ZodType): Check {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return (value) => typeof value === 'string';
    case 'number':
      return (value) => typeof value === 'number';
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'enum': {
      const allowed = new Set<unknown>(Object.values(def.entries));
      return (value) => allowed.has(value);
    }
    case 'literal': {
      const allowed = new Set<unknown>(def.values);
      return (value) => allowed.has(value);
    }
    case 'array': {
      const item = shapeOf(def.element);
      return (value) => Array.isArray(value) && value.every(item);
    }
    case 'record': {
      const item = shapeOf(def.valueType);
      return (value) => isObject(value) && Object.values(value).every(item);
    }
    case 'object':
      return objectShape(def.shape);
    case 'union': {
      const options = def.options.map(shapeOf);
      return (value) => options.some((option) => option(value));
    }
    case 'optional':
    case 'default':
      return shapeOf(def.innerType);
    case 'lazy':
      // The one recursive schema is that of any JSON value.
      return () => true;
    default:
      throw new Error(`No shape is known for the schema type ${def.type}`);
  }
}

function objectShape(fields: z.core.$ZodShape): Check {
  const checks = new Map<string, Check>();
  const required: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    checks.set(name, shapeOf(field));
    if ((field as z.core.$ZodTypes)._zod.def.type !== 'optional') required.push(name);
  }
  return (value) => {
    if (!isObject(value)) return false;
    for (const name in value) {
      const check = checks.get(name);
      if (!check?.(value[name])) return false;
    }
    return required.every((name) => Object.hasOwn(value, name));
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
