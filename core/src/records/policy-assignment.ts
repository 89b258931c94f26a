import * as z from 'zod';
import { address } from './address.js';
import { define } from './definition.js';
import { assigneeReferences, EVERYONE, namesOneType } from './everyone.js';
import { entityPath, period, reference, startsBeforeItExpires } from './fields.js';

export const policyAssignment = define({
  kind: 'policy_assignment',
  yaml: 'policy_assignments',
  docs: 'Gives a policy to a role, a group or a subject, or to everyone.',
  schema: () =>
    z
      .strictObject({
        policy: reference('policy', 'The path of the policy: `billing/approve`.').meta({ key: true }),
        entity_type: z
          .enum(['role', 'group', 'subject', EVERYONE])
          .meta({ key: true, description: 'The kind of the assignee.' }),
        entity: entityPath(
          'entity_type',
          'The path of whom it is given to: `billing/accountant`, `finance`, `user/alice`; of everyone, a type of subjects, or `*` for all types.',
        ).meta({ key: true }),
        ...period,
      })
      .superRefine(startsBeforeItExpires)
      .superRefine(namesOneType),
  path: (fields) => `${fields.policy}//${fields.entity_type}/${fields.entity}`,
  references: (fields) => [
    { pointer: '/policy', target: address('policy', fields.policy) },
    ...assigneeReferences(fields),
  ],
  home: () => 'grant',
  grants: 'policy',
});
