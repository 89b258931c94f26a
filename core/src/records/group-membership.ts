import * as z from 'zod';
import { address } from './address.js';
import { define } from './definition.js';
import { entityPath, period, reference, startsBeforeItExpires } from './fields.js';

export const groupMembership = define({
  kind: 'group_membership',
  yaml: 'group_memberships',
  docs: 'Puts a subject or a group into a group.',
  schema: () =>
    z
      .strictObject({
        group: reference('group', 'The path of the group: `finance`.').meta({ key: true }),
        entity_type: z.enum(['subject', 'group']).meta({ key: true, description: 'The kind of the member.' }),
        entity: entityPath('entity_type', 'The path of the member: `user/alice`, `accounting`.').meta({ key: true }),
        ...period,
      })
      .superRefine(startsBeforeItExpires),
  path: (fields) => `${fields.group}//${fields.entity_type}/${fields.entity}`,
  references: (fields) => [
    { pointer: '/group', target: address('group', fields.group) },
    { pointer: '/entity', target: address(fields.entity_type, fields.entity), free: true },
  ],
  home: () => 'grant',
  grants: 'group',
});
