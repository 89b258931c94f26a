import * as z from 'zod';

/** The metadata of a decision point (AuthZEN 1.0 section 9.1). */
export const metadataSchema = z
  .object({
    policy_decision_point: z.string(),
    access_evaluation_endpoint: z.string(),
    access_evaluations_endpoint: z.string(),
    search_subject_endpoint: z.string(),
    search_resource_endpoint: z.string(),
    search_action_endpoint: z.string(),
  })
  .meta({ id: 'AuthzenConfiguration' });

export type AuthzenConfiguration = z.infer<typeof metadataSchema>;
