import * as z from 'zod';
import { jsonPointer } from '../json/json-pointer.js';
import { address } from './address.js';
import type { Reference } from './definition.js';
import { nameText, reference, stringSet } from './fields.js';

/** Names in one limit. */
const NAMED_MAX = 1000;

/** The lowest and the highest priority that a policy may have. */
export const PRIORITY_BOUND = 1_000_000;

/** The widest that a credential may write. Reading, decisions and bundles are not limited. */
export const limits = z
  .strictObject({
    stacks: stringSet(nameText)
      .min(1)
      .max(NAMED_MAX)
      .optional()
      .meta({ description: 'The stacks whose records it may make, change and remove.' }),
    applications: stringSet(reference('application', 'The path of the application: `billing`.'))
      .min(1)
      .max(NAMED_MAX)
      .optional()
      .meta({ description: 'The applications whose records it may write, and to whose power it may give access.' }),
    priority_max: z
      .int()
      .min(-PRIORITY_BOUND)
      .max(PRIORITY_BOUND)
      .optional()
      .meta({ description: 'The highest priority of the policies that it may write.' }),
  })
  .refine(
    ({ stacks, applications, priority_max }) => (stacks ?? applications ?? priority_max) !== undefined,
    'limits nothing: give `stacks`, `applications` or `priority_max`, or leave it out',
  )
  .optional()
  .meta({ description: 'The most that it may write; absent means unlimited. Reading is not limited.' });

export type Limits = NonNullable<z.output<typeof limits>>;

/** Limits of a credential must be names that exist, follow renames, and keep what they name from being removed. */
export function referencesOfLimits(held: Limits | undefined): Reference[] {
  return (held?.applications ?? []).map((application, index) => ({
    pointer: jsonPointer('limits', 'applications', index),
    target: address('application', application),
    free: true,
  }));
}
