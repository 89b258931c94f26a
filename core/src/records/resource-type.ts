import * as z from 'zod';
import { address, path } from './address.js';
import { define } from './definition.js';
import { durationText } from './duration-text.js';
import {
  actionName,
  description,
  fromRequests,
  masksDeclared,
  nameText,
  orNone,
  type PropertyType,
  propertyTypes,
  reference,
  sendsDeclared,
  sensitiveProperties,
  stringSet,
} from './fields.js';
import { PARENTS_MAX } from './hierarchy.js';
import { referencesOfSharing, sharedWith } from './shared-with.js';

/** The types of properties in which a request can name a parent. */
const NAMES_A_PARENT: ReadonlySet<PropertyType> = new Set(['string', 'any']);

/** Sorted by property, since order means nothing. */
const parents = () =>
  orNone(
    z
      .array(
        z.strictObject({
          type: reference('resource_type', 'The path of the type of the parents: `docs/folder`.'),
          property: z.string().min(1).max(256).meta({
            description:
              'The property in which a request names the parent of a resource that has no record, or `null`.',
          }),
        }),
      )
      .max(PARENTS_MAX, `must have at most ${PARENTS_MAX} items`)
      .overwrite((list) =>
        [...list].sort((left, right) => (left.property < right.property ? -1 : left.property > right.property ? 1 : 0)),
      )
      .refine(
        (list) => new Set(list.map(({ property }) => property)).size === list.length,
        'names a property twice: give each type a property of its own',
      ),
  ).meta({
    set: true,
    description: 'The types whose resources can hold those of this type, at most 8.',
  });

export const resourceType = define({
  kind: 'resource_type',
  yaml: 'resource_types',
  docs: 'A category of protected objects in an application, with the actions that exist on them.',
  schema: () =>
    z
      .strictObject({
        application: reference('application', 'The application it belongs to.').meta({ key: true }),
        name: nameText.meta({ key: true, description: 'The name, unique in the application.' }),
        actions: stringSet(actionName).meta({ description: 'The names of the actions on resources of this type.' }),
        properties: propertyTypes(
          'The properties that resources of this type may have, and their types; conditions are checked against them.',
        ),
        from_requests: fromRequests,
        sensitive: sensitiveProperties,
        parents: parents(),
        filterable: z.boolean().optional().meta({
          description:
            'Whether applications ask for filters of its rows: `lint` then reports each clause for which one is refused. It changes no decision.',
        }),
        max_age: durationText(
          { least: '1s', most: '720h' },
          'The greatest age of the records that may decide about resources of this type: `30s`. Older ones are refused with `too_old`.',
        ),
        shared_with: sharedWith,
        description,
      })
      .superRefine((fields, context) => {
        const { properties = {}, parents = [], from_requests: sent } = fields;
        const named = parents.map(({ property }) => property);
        sendsDeclared(fields, named, context);
        masksDeclared(fields, context);
        const missing = sent === undefined ? [] : named.filter((name) => !sent.includes(name));
        if (missing.length > 0 && missing.length < named.length) {
          const message = `leaves out ${missing.map((name) => JSON.stringify(name)).join(', ')}: requests name all parents of a resource, or none`;
          context.addIssue({ code: 'custom', path: ['from_requests'], message });
        }
        for (const [index, { property }] of parents.entries()) {
          const type = Object.hasOwn(properties, property) ? properties[property] : undefined;
          if (type === undefined || NAMES_A_PARENT.has(type)) continue;
          const message = `is declared as ${type}, which cannot name a parent: declare it as string, or name another property`;
          context.addIssue({ code: 'custom', path: ['parents', index, 'property'], message });
        }
      }),
  path: (fields) => `${fields.application}/${path(fields.name)}`,
  references: (fields) => [
    { pointer: '/application', target: address('application', fields.application) },
    ...(fields.parents ?? []).map(({ type }, index) => ({
      pointer: `/parents/${index}/type`,
      target: address('resource_type', type),
    })),
    ...referencesOfSharing(fields.shared_with),
  ],
  home: (fields) => ({ application: fields.application }),
});
