import * as z from 'zod';

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
  })
  .meta({ id: 'DecisionCandidate' });

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
        })
        .optional(),
    }),
  })
  .meta({ id: 'DecisionResponse' });

export type DecisionResponse = z.infer<typeof decisionResponseSchema>;
