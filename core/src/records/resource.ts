import * as z from 'zod';
import { address, path } from './address.js';
import { define } from './definition.js';
import { description, nameText, orNone, properties, reference, referenceSet } from './fields.js';
import { PARENTS_MAX } from './hierarchy.js';
import { referencesOfSharing, sharedWith } from './shared-with.js';

export const resource = define({
  kind: 'resource',
  yaml: 'resources',
  docs: 'A protected object, named within its type.',
  schema: () =>
    z.strictObject({
      type: reference('resource_type', 'The path of its type: `billing/invoice`.').meta({ key: true }),
      name: nameText.meta({ key: true, description: 'The name, unique among the resources of its type.' }),
      parents: orNone(
        referenceSet('resource', 'The path of a parent: `docs/folder/hr`.').max(
          PARENTS_MAX,
          `must have at most ${PARENTS_MAX} items`,
        ),
      ).meta({
        description:
          'The paths of the resources that it lies in, at most 8: `docs/folder/hr`; their types are among the `parents` of its type.',
      }),
      properties,
      shared_with: sharedWith,
      description,
    }),
  path: (fields) => `${fields.type}/${path(fields.name)}`,
  references: (fields) => [
    { pointer: '/type', target: address('resource_type', fields.type) },
    ...(fields.parents ?? []).map((parent, index) => ({
      pointer: `/parents/${index}`,
      target: address('resource', parent),
    })),
    ...referencesOfSharing(fields.shared_with),
  ],
  home: (fields) => ({ application: fields.type.slice(0, fields.type.indexOf('/')) }),
});
