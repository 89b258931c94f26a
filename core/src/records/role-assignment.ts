import * as z from 'zod';
import { address } from './address.js';
import { define, type Reference } from './definition.js';
import { assigneeReferences, EVERYONE, namesOneType } from './everyone.js';
import { entityPath, period, reference, startsBeforeItExpires } from './fields.js';

export const roleAssignment = define({
  kind: 'role_assignment',
  yaml: 'role_assignments',
  docs: 'Gives a role to a subject or a group, or to everyone: everywhere, or on one resource and all below it.',
  schema: () =>
    z
      .strictObject({
        role: reference('role', 'The path of the role: `billing/accountant`.').meta({ key: true }),
        entity_type: z
          .enum(['subject', 'group', EVERYONE])
          .meta({ key: true, description: 'The kind of the assignee.' }),
        entity: entityPath(
          'entity_type',
          'The path of whom it is given to: `user/alice`, `finance`; of everyone, a type of subjects, or `*` for all types.',
        ).meta({
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
      .superRefine(startsBeforeItExpires)
      .superRefine(namesOneType),
  path: ({ role, entity_type, entity, resource }) =>
    `${role}//${entity_type}/${entity}${resource === undefined ? '' : `//${resource}`}`,
  references: (fields) => {
    const found: Reference[] = [
      { pointer: '/role', target: address('role', fields.role) },
      ...assigneeReferences(fields),
    ];
    if (fields.resource !== undefined)
      found.push({ pointer: '/resource', target: address('resource', fields.resource) });
    return found;
  },
  home: () => 'grant',
  grants: 'role',
});
