import * as z from 'zod';
import { address } from './address.js';
import { define } from './definition.js';
import { entityPath, period, reference, startsBeforeItExpires } from './fields.js';

export const roleAssignment = define({
  kind: 'role_assignment',
  yaml: 'role_assignments',
  docs: 'Gives a role to a subject or a group.',
  schema: () =>
    z
      .strictObject({
        role: reference('role', 'The path of the role: `billing/accountant`.').meta({ key: true }),
        entity_type: z.enum(['subject', 'group']).meta({ key: true, description: 'The kind of the assignee.' }),
        entity: entityPath('entity_type', 'The path of whom it is given to: `user/alice`, `finance`.').meta({
          key: true,
        }),
        ...period,
      })
      .superRefine(startsBeforeItExpires),
  path: (fields) => `${fields.role}//${fields.entity_type}/${fields.entity}`,
  references: (fields) => [
    { pointer: '/role', target: address('role', fields.role) },
    { pointer: '/entity', target: address(fields.entity_type, fields.entity), free: true },
  ],
  home: () => 'grant',
  grants: 'role',
});
