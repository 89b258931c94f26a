import * as z from 'zod';
import { address, path } from './address.js';
import { define } from './definition.js';
import { description, nameText, orNone, reference, stringSet } from './fields.js';
import { referencesOfSharing, sharedWith } from './shared-with.js';

export const role = define({
  kind: 'role',
  yaml: 'roles',
  docs: 'Collects policies for the subjects and groups it is assigned to; belongs to an application or to the tenant.',
  schema: () =>
    z.strictObject({
      application: reference('application', 'The application it belongs to; none makes it a role of the tenant.')
        .optional()
        .meta({ key: true }),
      name: nameText.meta({
        key: true,
        description: 'The name, unique in the application or among the roles of the tenant.',
      }),
      includes: orNone(stringSet(reference('role', 'The path of a role: `billing/reader`.'))).meta({
        description: 'The paths of roles that everybody who holds this one holds, too, in the same place.',
      }),
      from_requests: z.boolean().optional().meta({
        description: 'Whether requests may name the role for their subject; they may unless this is `false`.',
      }),
      shared_with: sharedWith,
      description,
    }),
  path: (fields) =>
    fields.application === undefined ? path(fields.name) : `${fields.application}/${path(fields.name)}`,
  references: (fields) => [
    ...(fields.application === undefined
      ? []
      : [{ pointer: '/application', target: address('application', fields.application) }]),
    ...(fields.includes ?? []).map((included, index) => ({
      pointer: `/includes/${index}`,
      target: address('role', included),
    })),
    ...referencesOfSharing(fields.shared_with),
  ],
  home: ({ application }) => (application === undefined ? 'tenant' : { application }),
});
