import * as z from 'zod';
import { address, path } from './address.js';
import { define } from './definition.js';
import { actionName, description, nameText, reference, stringSet } from './fields.js';
import { referencesOfSharing, sharedWith } from './shared-with.js';

/** The types a declared property may have; `any` is checked only when a condition runs. */
export const PROPERTY_TYPES = ['string', 'number', 'boolean', 'list', 'map', 'any'] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

export const resourceType = define({
  kind: 'resource_type',
  yaml: 'resource_types',
  docs: 'A category of protected objects in an application, with the actions that exist on them.',
  schema: () =>
    z.strictObject({
      application: reference('application', 'The application it belongs to.').meta({ key: true }),
      name: nameText.meta({ key: true, description: 'The name, unique in the application.' }),
      actions: stringSet(actionName).meta({ description: 'The names of the actions on resources of this type.' }),
      properties: z.record(z.string().min(1).max(256), z.enum(PROPERTY_TYPES)).optional().meta({
        description:
          'The properties that resources of this type may have, and their types; conditions are checked against them.',
      }),
      shared_with: sharedWith,
      description,
    }),
  path: (fields) => `${fields.application}/${path(fields.name)}`,
  references: (fields) => [
    { pointer: '/application', target: address('application', fields.application) },
    ...referencesOfSharing(fields.shared_with),
  ],
  home: (fields) => ({ application: fields.application }),
});
