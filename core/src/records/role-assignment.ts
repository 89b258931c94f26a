import * as z from 'zod';
import { address } from './address.js';
import { define, type Reference } from './definition.js';
import { entityPath, period, reference, startsBeforeItExpires } from './fields.js';

export const roleAssignment = define({
  kind: 'role_assignment',
  yaml: 'role_assignments',
  docs: 'Gives a role to a subject or a group, everywhere or on one resource and all below it.',
  schema: () =>
    z
      .strictObject({
        role: reference('role', 'The path of the role: `billing/accountant`.').meta({ key: true }),
        entity_type: z.enum(['subject', 'group']).meta({ key: true, description: 'The kind of the assignee.' }),
        entity: entityPath('entity_type', 'The path of whom it is given to: `user/alice`, `finance`.').meta({
          key: true,
        }),
        resource: reference(
          'resource',
          'The path of the resource on which it is held, and on all below it: `docs/folder/hr`; none means everywhere.',
        )
          .optional()
          .meta({ key: true }),
        ...period,
      })
      .superRefine(startsBeforeItExpires),
  path: ({ role, entity_type, entity, resource }) =>
    `${role}//${entity_type}/${entity}${resource === undefined ? '' : `//${resource}`}`,
  references: (fields) => {
    const found: Reference[] = [
      { pointer: '/role', target: address('role', fields.role) },
      { pointer: '/entity', target: address(fields.entity_type, fields.entity), free: true },
    ];
    if (fields.resource !== undefined)
      found.push({ pointer: '/resource', target: address('resource', fields.resource) });
    return found;
  },
  home: () => 'grant',
  grants: 'role',
});
