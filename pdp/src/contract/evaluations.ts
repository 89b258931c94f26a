import * as z from 'zod';
import { attributesSchema, isObject } from './attributes.js';
import { type DecisionRequestBody, optionsSchema } from './decision-request.js';
import { decisionResponseSchema } from './decision-response.js';
import { actionSchema, resourceSchema, subjectSchema } from './entities.js';
import { problemCodeSchema, problemItemSchema } from './problem-document.js';

/** When a batch ends (AuthZEN 1.0 section 7.1.2.1). */
export const EVALUATIONS_SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;

/** The largest number of evaluations in one request. */
export const EVALUATIONS_MAX = 1000;

const ENTITIES = { subject: subjectSchema, resource: resourceSchema, action: actionSchema };

const evaluationsOptionsSchema = optionsSchema.extend({
  evaluations_semantic: z
    .enum(EVALUATIONS_SEMANTICS)
    .meta({ description: 'How far to go: through all, or up to the first denial (a failure is one), or permit.' })
    .optional(),
  reasons: z.boolean().meta({ description: 'Asks for the `context` of each decision of a batch.' }).optional(),
});

const standIn = (name: string) =>
  attributesSchema.meta({ description: `The default ${name} for evaluations without their own.` }).optional();

/**
 * The body of `POST /access/v1/evaluations` (AuthZEN 1.0 section 7.1). The members beside the list are defaults: each
 * replaces, as a whole, a member that an evaluation lacks. A member that no evaluation lacks may be any object, because
 * some clients send `{}` for it.
 */
export const evaluationsRequestSchema = z
  .object({
    subject: standIn('subject'),
    resource: standIn('resource'),
    action: standIn('action'),
    context: standIn('context'),
    options: evaluationsOptionsSchema.optional(),
    evaluations: z
      .array(z.unknown())
      .max(EVALUATIONS_MAX)
      .meta({
        description:
          'Each like a DecisionRequest; of the members that one lacks, those beside this list are the defaults, each as a whole. ' +
          `At most ${EVALUATIONS_MAX}; none makes the request a single one.`,
      })
      .optional(),
  })
  .superRefine(checkStandIns, { when: ({ value }) => isObject(value) })
  .meta({ id: 'EvaluationsRequest' });

type StandIns = { [name in keyof typeof ENTITIES]?: unknown } & { evaluations?: unknown };

function checkStandIns(request: StandIns, context: z.core.$RefinementCtx): void {
  const { evaluations } = request;
  if (!Array.isArray(evaluations) || evaluations.length === 0) return;
  for (const [name, schema] of Object.entries(ENTITIES)) {
    const given = request[name as keyof typeof ENTITIES];
    const lacking = evaluations.some((evaluation) => !isObject(evaluation) || evaluation[name] === undefined);
    if (!lacking || !isObject(given)) continue;
    for (const issue of schema.safeParse(given).error?.issues ?? []) {
      context.addIssue({ ...issue, path: [name, ...issue.path] } as z.core.$ZodRawIssue);
    }
  }
}

/** The type that callers send. */
export type EvaluationsRequestBody = Partial<Omit<DecisionRequestBody, 'options'>> & {
  evaluations: readonly Partial<DecisionRequestBody>[];
  options?: z.input<typeof evaluationsOptionsSchema>;
};

/** An evaluation that could not be made: denied, with the reason. */
const failedEvaluationSchema = z
  .object({
    decision: z.literal(false),
    context: z.object({
      reason: z.string(),
      access_path: z.literal('none'),
      error: z.object({
        status: z.int().meta({ description: 'The answer that a request for this evaluation alone would have had.' }),
        code: problemCodeSchema,
        message: z.string(),
        errors: z.array(problemItemSchema).optional(),
      }),
    }),
  })
  .meta({ id: 'FailedEvaluation' });

/** Only the decision, unless the request asks for reasons or an explanation. */
const evaluationSchema = z.union([
  failedEvaluationSchema,
  decisionResponseSchema,
  z.strictObject({ decision: z.boolean(), context: z.undefined().optional() }),
]);

/** The body of an answered batch (AuthZEN 1.0 section 7.2). */
const answeredBatchSchema = z.object({
  evaluations: z
    .array(evaluationSchema)
    .meta({ description: 'In the order of the request, up to the one that the semantic ends with.' }),
});

export const evaluationsResponseSchema = z
  .union([answeredBatchSchema, decisionResponseSchema])
  .meta({ id: 'EvaluationsResponse' });

export type FailedEvaluation = z.infer<typeof failedEvaluationSchema>;
export type EvaluationResponse = z.infer<typeof evaluationSchema>;
export type EvaluationsResponse = z.infer<typeof answeredBatchSchema>;
