import * as z from 'zod';
import { actionSchema, contextSchema, resourceSchema, subjectSchema } from './entities.js';

export const optionsSchema = z.object({
  explain: z.boolean().meta({ description: 'Asks for `context.explanation`.' }).optional(),
});

/** The body of `POST /v1/authorize` and `POST /access/v1/evaluation` (AuthZEN 1.0 section 6.1). */
export const decisionRequestSchema = z
  .object({
    subject: subjectSchema,
    resource: resourceSchema,
    action: actionSchema,
    context: contextSchema,
    options: optionsSchema.optional(),
  })
  .meta({ id: 'DecisionRequest' });

/** The type that callers send. */
export type DecisionRequestBody = z.input<typeof decisionRequestSchema> & {
  resource: { id: string } | { name: string };
};
