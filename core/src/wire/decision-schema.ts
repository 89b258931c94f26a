import * as z from 'zod';

/*
 * The decision endpoint's bodies for OpenAPI. `parseDecisionRequest` checks requests by hand; a test keeps both in step.
 */

const text = z.string().min(1);
const attributes = z.record(z.string(), z.unknown());
const properties = attributes
  .optional()
  .meta({ description: 'Attributes for conditions; they override the stored ones key by key.' });
const alias = attributes
  .optional()
  .meta({ description: 'Another name for `properties`; where both are given, they agree on the keys of both.' });

/** Spec 2.2; unknown members are ignored. */
export const decisionRequestSchema = z
  .looseObject({
    subject: z.looseObject({
      type: text.meta({ description: 'The type of subject: `user`, `service`, …' }),
      id: text.meta({ description: "The caller's own identifier of the subject." }),
      properties,
      attributes: alias,
      roles: z
        .array(text)
        .optional()
        .meta({ description: 'Roles the subject has besides the recorded ones: `role` or `application/role`.' }),
    }),
    resource: z
      .looseObject({
        type: text.meta({ description: 'A resource type: `type` while the name is unique, or `application/type`.' }),
        id: text.optional().meta({ description: 'The id of the resource, or else its name.' }),
        name: text.optional().meta({ description: 'The name of the resource; it wins over `id`.' }),
        properties,
        attributes: alias,
      })
      .refine((resource) => resource.id !== undefined || resource.name !== undefined, 'needs "id" or "name"')
      .meta({ description: 'Needs `id` or `name`.' }),
    action: z.looseObject({
      name: text.meta({ description: 'The name of the action: `read`, `approve`, …' }),
      properties,
    }),
    context: attributes.optional().meta({
      description: 'What conditions and modifiers read of the moment: `ip`, `time`, `mfa`, and any other key.',
    }),
    options: z
      .looseObject({ explain: z.boolean().optional().meta({ description: 'Asks for `context.explanation`.' }) })
      .optional(),
  })
  .meta({ id: 'DecisionRequest' });

const candidate = z
  .object({
    policy: z.string().meta({ description: 'The address of the policy.' }),
    policy_id: z.string(),
    effect: z.enum(['ALLOW', 'DENY']),
    priority: z.int(),
    access_path: z.enum(['direct', 'role', 'group']),
    through: z.array(z.string()).meta({ description: 'Addresses from the subject to whom the policy is assigned.' }),
    outcome: z.enum(['applies', 'does_not_apply', 'failed']),
    why: z.string(),
  })
  .meta({ id: 'DecisionCandidate' });

/** Spec 2.3. */
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
      explanation: z.object({ candidates: z.array(candidate) }).optional(),
    }),
  })
  .meta({ id: 'DecisionResponse' });
