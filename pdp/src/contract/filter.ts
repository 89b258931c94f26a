import { FILTER_LIST_MAX } from '@authz-service/core/questions/filter/row-parts';
import * as z from 'zod';
import { actionSchema, anyResourceSchema, contextSchema, subjectSchema } from './entities.js';

const partSchema = z.object({
  token: z
    .string()
    .meta({ description: 'The `next_token` of the part before; an empty one asks for the first part.' })
    .optional(),
  limit: z
    .int()
    .min(1)
    .max(FILTER_LIST_MAX)
    .meta({ description: 'The most items of a list. Requests for later parts may omit it.' })
    .optional(),
});

/** The part of an answer that is wanted. */
export type FilterPage = z.output<typeof partSchema>;

/** The body of `POST /v1/filter`: a decision's, without the id and name of the resource. */
export const filterRequestSchema = z
  .object({
    subject: subjectSchema,
    action: actionSchema,
    resource: anyResourceSchema,
    context: contextSchema,
    options: z
      .object({
        explain: z.boolean().meta({ description: 'Asks for `explanation`.' }).optional(),
        partial: z
          .literal('ask')
          .meta({ description: 'Gives an upper bound where columns cannot say the answer, and `partial` with it.' })
          .optional(),
      })
      .optional(),
    page: partSchema
      .optional()
      .meta({ description: 'Asks for the answer in parts, each for other rows; `{}` asks for the first one.' }),
  })
  .meta({ id: 'FilterRequest' });

const attribute = z
  .string()
  .meta({ id: 'FilterAttribute', description: '`name`, `properties.NAME` or `parents.TYPE`.' });
const scalar = z.union([z.string(), z.number(), z.boolean()]).meta({ id: 'FilterValue' });

const testSchema = z
  .union([
    z.object({ op: z.literal('present'), attribute }),
    z.object({ op: z.literal('eq'), attribute, value: scalar }),
    z.object({ op: z.enum(['in', 'hasAny', 'hasOnly']), attribute, values: z.array(scalar) }),
    z.object({ op: z.enum(['lt', 'le', 'gt', 'ge']), attribute, value: scalar }),
    z.object({ op: z.enum(['startsWith', 'endsWith', 'contains']), attribute, value: z.string() }),
    z.object({ op: z.enum(['same', 'less', 'atMost']), attribute, other: attribute }),
  ])
  .meta({ id: 'FilterTest', description: 'A test of one row. It is false for a row that lacks the value.' });

type Test = z.infer<typeof testSchema>;
type Condition =
  | { readonly op: 'and' | 'or'; readonly args: readonly Condition[] }
  | { readonly op: 'not'; readonly arg: Test }
  | Test;

/** A condition on rows, which holds others. */
export const filterConditionSchema: z.ZodType<Condition> = z
  .union([
    z.object({
      op: z.enum(['and', 'or']),
      get args(): z.ZodType<readonly Condition[]> {
        return z.array(filterConditionSchema);
      },
    }),
    z.object({ op: z.literal('not'), arg: testSchema }),
    testSchema,
  ])
  .meta({ id: 'FilterCondition', description: 'A condition on rows, in two values (docs/filters.md).' });

const policySchema = z
  .object({
    policy: z.string().meta({ description: 'The address of the policy.' }),
    policy_id: z.string(),
    effect: z.enum(['ALLOW', 'DENY']),
    priority: z.int(),
  })
  .meta({ id: 'FilterPolicy' });

/** The body of an answered filter. */
export const filterResponseSchema = z
  .object({
    kind: z.enum(['all', 'none', 'some']).meta({ description: 'The rows of the type that are allowed.' }),
    condition: filterConditionSchema
      .optional()
      .meta({ description: 'The rows that are allowed; there where `kind` is `some`.' }),
    partial: z
      .literal(true)
      .optional()
      .meta({ description: 'Not all of these rows are allowed: ask a decision for each. Only if it was asked for.' }),
    page: z
      .object({ next_token: z.string().meta({ description: 'Asks for the next part; empty after the last one.' }) })
      .optional()
      .meta({ description: 'There when parts were asked for: the answer then holds for a part of the rows alone.' }),
    explanation: z
      .object({ policies: z.array(policySchema) })
      .optional()
      .meta({ description: 'The policies that take part; there when it was asked for.' }),
  })
  .meta({ id: 'FilterResponse' });
