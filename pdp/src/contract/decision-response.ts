import * as z from 'zod';

const clauseSchema = z
  .object({
    clause: z.string().meta({
      description:
        'A part of the condition as it is written, `modifiers.NAME` or `unless.NAME`; a long one is cut off.',
    }),
    outcome: z.enum(['true', 'false', 'absent', 'failed']),
    why: z.string().optional().meta({ description: 'The attribute that is absent, or the cause of the failure.' }),
    values: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'The values that it reads, as JSON texts by attribute; long ones are cut off.' }),
  })
  .meta({ id: 'DecisionClause' });

const candidateSchema = z
  .object({
    policy: z.string().meta({ description: 'The address of the policy.' }),
    policy_id: z.string(),
    effect: z.enum(['ALLOW', 'DENY']),
    priority: z.int(),
    access_path: z.enum(['direct', 'role', 'group']),
    through: z.array(z.string()).meta({ description: 'Addresses from the subject to whom the policy is assigned.' }),
    place: z
      .string()
      .optional()
      .meta({ description: 'The address of the resource on which the role is held, unless it is held everywhere.' }),
    outcome: z.enum(['applies', 'does_not_apply', 'failed']),
    why: z.string(),
    clauses: z.array(clauseSchema).optional().meta({
      description: 'The clauses of its condition, modifiers and `unless`, if it has any and its links count now.',
    }),
    clauses_left_out: z.int().optional().meta({
      description: 'How many more clauses it has: at most 20 of a policy are listed, and 200 of all.',
    }),
  })
  .meta({ id: 'DecisionCandidate' });

const maxAgeSchema = z
  .object({
    of: z.string().meta({ description: 'The address of the resource type whose `max_age` this is.' }),
    seconds: z.number().meta({ description: 'The greatest age of the records that may decide.' }),
    age_seconds: z.number().meta({ description: 'The age of those that decided.' }),
  })
  .meta({ id: 'DecisionMaxAge' });

/** How old the records were that decided, and might have been. */
export type DecisionMaxAge = z.infer<typeof maxAgeSchema>;

/** The body of an answered decision (AuthZEN 1.0 section 6.2, docs/semantics.md 6.1). */
export const decisionResponseSchema = z
  .object({
    decision: z.boolean(),
    context: z.object({
      reason: z.string(),
      policy_id: z
        .string()
        .optional()
        .meta({ description: 'The id of the deciding policy, of an allow or of a deny.' }),
      access_path: z.enum(['direct', 'role', 'group', 'none']),
      explanation: z
        .object({
          candidates: z.array(candidateSchema),
          uncounted_roles: z
            .array(z.string())
            .optional()
            .meta({ description: 'The addresses of roles that the request names in vain: `from_requests` is false.' }),
          uncounted_properties: z.array(z.string()).optional().meta({
            description:
              'The attributes that the request sends in vain, since their type takes them from records alone.',
          }),
          max_age: maxAgeSchema.optional().meta({ description: 'If the resource type has one.' }),
        })
        .optional(),
    }),
  })
  .meta({ id: 'DecisionResponse' });

export type DecisionResponse = z.infer<typeof decisionResponseSchema>;
