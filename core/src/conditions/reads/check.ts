import type { PropertyType } from '../../records/fields.js';
import { build } from '../evaluate/build.js';
import type { SchemaTypes } from '../evaluate/schema-types.js';
import { ConditionFault, parseCondition } from '../syntax/parse.js';
import { declaredProperties, MAP, type StaticType } from '../values/static-type.js';
import { unguardedReads } from './reads.js';

/** The errors of a condition, and the attributes it reads. */
export interface ConditionCheck {
  /** `detail` is the rest of a sentence about the condition; `offset` counts characters from its start. */
  error?: { detail: string; offset?: number };
  /** Paths of attributes that may be absent and are read without `has()`: `context.mfa_level`. */
  reads: string[];
}

/**
 * Parses and type-checks a condition. `propertyTypes` are those that the covered resource type declares; undefined
 * where it declares none, so that any property may be read. `schemas` are those of subjects and context.
 */
export function checkCondition(
  source: string,
  propertyTypes: Readonly<Record<string, PropertyType>> | undefined,
  schemas?: SchemaTypes,
): ConditionCheck {
  try {
    const ast = parseCondition(source);
    build(ast, propertyTypes === undefined ? MAP : staticTypeOf(propertyTypes), schemas);
    return { reads: unguardedReads(ast) };
  } catch (error) {
    // Anything else is the stack's end on an expression nested as deeply as its length allows.
    const { detail, offset } = error instanceof ConditionFault ? error : new ConditionFault('is too deeply nested');
    return { error: offset === undefined ? { detail } : { detail, offset }, reads: [] };
  }
}

const staticTypes = new WeakMap<object, StaticType>();

/** Made once for all conditions on a type. */
function staticTypeOf(propertyTypes: Readonly<Record<string, PropertyType>>): StaticType {
  const known = staticTypes.get(propertyTypes);
  if (known) return known;
  const made = declaredProperties(propertyTypes);
  staticTypes.set(propertyTypes, made);
  return made;
}
