import { ProblemError } from '@authz-service/core/problem';
import * as z from 'zod';

/** A resource instance; values that are known only after an apply are left out of `values`. */
const resourceSchema = z.looseObject({
  address: z.string(),
  mode: z.string(),
  type: z.string(),
  values: z.record(z.string(), z.unknown()).default({}),
});

export type ShownResource = z.output<typeof resourceSchema>;

export interface ShownModule {
  resources: ShownResource[];
  child_modules: ShownModule[];
}

const moduleSchema: z.ZodType<ShownModule> = z.looseObject({
  resources: z.array(resourceSchema).default([]),
  get child_modules() {
    return z.array(moduleSchema).default([]);
  },
});

const valuesSchema = z.looseObject({ root_module: moduleSchema.optional() });

/**
 * Terraform's output of a plan or a state as JSON. Minor versions of the format add members; a new major version may
 * change their meaning (https://developer.hashicorp.com/terraform/internals/json-format).
 */
const shownSchema = z.looseObject({
  format_version: z.string().regex(/^[01]\./),
  values: valuesSchema.optional(),
  planned_values: valuesSchema.optional(),
  prior_state: z.looseObject({ values: valuesSchema.optional() }).optional(),
  resource_changes: z
    .array(z.looseObject({ address: z.string(), change: z.looseObject({ after_unknown: z.unknown() }) }))
    .default([]),
  complete: z.boolean().optional(),
  errored: z.boolean().optional(),
});

/** Whether a JSON value may be what `terraform show -json` prints. */
export function isShown(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'format_version' in value;
}

/** Throws `invalid_request` where the text is not of the format. */
export function parseShown(text: string, file: string): z.output<typeof shownSchema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ProblemError(
      'invalid_request',
      `${file} is not valid JSON: write it with "terraform show -json FILE".`,
      [],
      {
        cause: error,
      },
    );
  }
  const result = shownSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ProblemError(
    'invalid_request',
    `${file} is not what "terraform show -json FILE" prints: /${issue?.path.join('/')}: ${issue?.message}.`,
  );
}
