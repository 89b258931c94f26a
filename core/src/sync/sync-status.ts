import * as z from 'zod';

const TEXT_LENGTH_MAX = 4000;

const commit = z
  .string()
  .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'must be the full name of a commit')
  .optional();

/** The states of a stack that a controller follows. */
export const SYNC_STATES = ['synced', 'progressing', 'held', 'drifted', 'failing'] as const;

/** A controller's report about the stack that it applies from Git. */
export const syncStatusSchema = z.strictObject({
  state: z.enum(SYNC_STATES).meta({
    description:
      '`synced`: the tenant is what the commit says. `progressing`: a commit is being applied. `held`: a commit is refused, and the one before stays. `drifted`: somebody else has changed records of the stack. `failing`: Git or the service cannot be reached, and it is tried again.',
  }),
  ready: z.boolean().meta({ description: 'Whether the stack is synced, and every live agent enforces it.' }),
  reason: z.string().max(TEXT_LENGTH_MAX).optional().meta({ description: 'The reason for the state, for people.' }),
  repository: z.string().max(TEXT_LENGTH_MAX),
  ref: z.string().max(TEXT_LENGTH_MAX).meta({ description: 'The branch or tag that is followed.' }),
  path: z.string().max(TEXT_LENGTH_MAX).optional(),
  environment: z.string().max(TEXT_LENGTH_MAX).optional(),
  observed: commit.meta({ description: 'The newest commit that was seen.' }),
  applied: commit.meta({ description: 'The last commit that the tenant was brought to.' }),
  revision: z.string().max(100).optional().meta({ description: 'The revision of the tenant after that.' }),
  since: z.iso.datetime().meta({ description: 'The time since which the state lasts.' }),
});
export type SyncStatus = z.infer<typeof syncStatusSchema>;
