import * as z from 'zod';
import { PROBLEMS, type ProblemCode } from '../problem.js';
import { decisionRequestSchema, decisionResponseSchema } from './decision-schema.js';
import { EVALUATIONS_MAX, EVALUATIONS_SEMANTICS } from './evaluations-request.js';
import { SEARCH_LIMIT_MAX, type SearchKind } from './search-request.js';

/*
 * The bodies of the AuthZEN endpoints for OpenAPI. They are checked by hand; a test keeps both in step.
 */

const { subject, resource, action, context, options } = decisionRequestSchema.shape;

const evaluationOptions = options.unwrap().extend({
  evaluations_semantic: z
    .enum(EVALUATIONS_SEMANTICS)
    .optional()
    .meta({ description: 'How far to go: through all, or up to the first denial (a failure is one), or permit.' }),
  reasons: z.boolean().optional().meta({ description: 'Asks for the `context` of each decision of a batch.' }),
});

/** AuthZEN 1.0 section 7.1. */
export const evaluationsRequestSchema = z
  .looseObject({
    subject: subject.optional(),
    resource: resource.optional(),
    action: action.optional(),
    context,
    options: evaluationOptions.optional(),
    evaluations: z
      .array(z.unknown())
      .max(EVALUATIONS_MAX)
      .optional()
      .meta({
        description:
          'Each like a DecisionRequest; the members beside this list stand in, whole, for those that one lacks, and ' +
          'may be any object where none lacks them. ' +
          `At most ${EVALUATIONS_MAX}; none makes the request a single one.`,
      }),
  })
  .meta({ id: 'EvaluationsRequest' });

const failedEvaluationSchema = z
  .object({
    decision: z.literal(false),
    context: z.object({
      reason: z.string(),
      access_path: z.literal('none'),
      error: z.object({
        status: z
          .int()
          .meta({ description: 'What a request for this evaluation alone would have been answered with.' }),
        code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
        message: z.string(),
        errors: z
          .array(z.object({ pointer: z.string(), detail: z.string(), address: z.string().optional() }))
          .optional(),
      }),
    }),
  })
  .meta({ id: 'FailedEvaluation' });

/** AuthZEN 1.0 section 7.2. */
export const evaluationsResponseSchema = z
  .union([
    z.object({
      evaluations: z
        .array(z.union([failedEvaluationSchema, decisionResponseSchema, z.strictObject({ decision: z.boolean() })]))
        .meta({ description: 'In the order of the request, up to the one that the semantic ends with.' }),
    }),
    decisionResponseSchema,
  ])
  .meta({ id: 'EvaluationsResponse' });

const page = z
  .looseObject({
    token: z.string().optional().meta({ description: 'The `next_token` of the page before.' }),
    limit: z
      .int()
      .min(0)
      .optional()
      .meta({
        description: `The most results; no page has more than ${SEARCH_LIMIT_MAX}. Later pages may leave it out.`,
      }),
    properties: z.record(z.string(), z.unknown()).optional(),
  })
  .optional();

const anySubject = z.looseObject({
  type: subject.shape.type,
  properties: subject.shape.properties,
  attributes: subject.shape.attributes,
  roles: subject.shape.roles,
});
const { type, properties, attributes } = resource.shape;
const anyResource = z.looseObject({ type, properties, attributes });

/** AuthZEN 1.0 sections 8.4 to 8.6; the identifier of what is searched for is ignored. */
export const searchRequestSchemas: { [K in SearchKind]: z.ZodType } = {
  subject: z.looseObject({ subject: anySubject, action, resource, context, page }).meta({ id: 'SubjectSearchRequest' }),
  resource: z
    .looseObject({ subject, action, resource: anyResource, context, page })
    .meta({ id: 'ResourceSearchRequest' }),
  action: z.looseObject({ subject, resource, context, page }).meta({ id: 'ActionSearchRequest' }),
};

const foundEntity = z.object({ type: z.string(), id: z.string() });
const searchResponse = (result: z.ZodType, id: string) =>
  z
    .object({
      page: z
        .object({
          next_token: z.string().meta({ description: 'Asks for the next page; empty after the last one.' }),
          count: z.int(),
        })
        .optional()
        .meta({ description: 'There when it was asked for, or when there is more.' }),
      results: z.array(result),
    })
    .meta({ id });

/** AuthZEN 1.0 section 8.3. */
export const searchResponseSchemas: { [K in SearchKind]: z.ZodType } = {
  subject: searchResponse(foundEntity, 'SubjectSearchResponse'),
  resource: searchResponse(foundEntity, 'ResourceSearchResponse'),
  action: searchResponse(z.object({ name: z.string() }), 'ActionSearchResponse'),
};

/** AuthZEN 1.0 section 9.1. */
export const authzenConfigurationSchema = z
  .object({
    policy_decision_point: z.string(),
    access_evaluation_endpoint: z.string(),
    access_evaluations_endpoint: z.string(),
    search_subject_endpoint: z.string(),
    search_resource_endpoint: z.string(),
    search_action_endpoint: z.string(),
  })
  .meta({ id: 'AuthzenConfiguration' });
