import * as z from 'zod';
import { address } from './address.js';
import { define } from './definition.js';
import { entityPath, period, reference, startsBeforeItExpires } from './fields.js';

export const policyAssignment = define({
  kind: 'policy_assignment',
  yaml: 'policy_assignments',
  docs: 'Gives a policy to a role, a group or a subject.',
  schema: () =>
    z
      .strictObject({
        policy: reference('policy', 'The path of the policy: `billing/approve`.').meta({ key: true }),
        entity_type: z.enum(['role', 'group', 'subject']).meta({ key: true, description: 'The kind of the assignee.' }),
        entity: entityPath(
          'entity_type',
          'The path of whom it is given to: `billing/accountant`, `finance`, `user/alice`.',
        ).meta({ key: true }),
        ...period,
      })
      .superRefine(startsBeforeItExpires),
  path: (fields) => `${fields.policy}//${fields.entity_type}/${fields.entity}`,
  references: (fields) => [
    { pointer: '/policy', target: address('policy', fields.policy) },
    { pointer: '/entity', target: address(fields.entity_type, fields.entity), free: true },
  ],
  home: () => 'grant',
  grants: 'policy',
});
