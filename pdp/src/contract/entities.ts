import type { JsonObject } from '@authz-service/core/json/json';
import { jsonPointer } from '@authz-service/core/json/json-pointer';
import { equalJson } from '@authz-service/core/state/equal-json';
import * as z from 'zod';
import { attributesSchema, isObject } from './attributes.js';

/* What a decision is about (AuthZEN 1.0 section 5). Unknown members are ignored. */

/** Checks a rule about an object even if its members have faults, so that a caller learns of all faults at once. */
const evenIfFaulty = { when: ({ value }: { value: unknown }) => isObject(value) };

const text = z.string().min(1, 'must not be empty');

/** `attributes` is an alias of `properties`: a key that both have must have the same value in both. */
const properties = {
  properties: attributesSchema
    .meta({ description: 'Attributes for conditions; they override the stored ones key by key.' })
    .optional(),
  attributes: attributesSchema
    .meta({ description: 'Another name for `properties`; where both are given, they agree on the keys of both.' })
    .optional(),
};

const rolesSchema: z.ZodType<readonly string[], readonly string[]> = z
  .array(text)
  .meta({ description: 'Roles the subject has besides the recorded ones: `role` or `application/role`.' });
const roles = rolesSchema.optional();

const subjectType = text.meta({ description: 'The type of subject: `user`, `service`, …' });
const resourceType = text.meta({
  description: 'A resource type: `type` while the name is unique, or `application/type`.',
});

export const subjectSchema = z
  .object({
    type: subjectType,
    id: text.meta({ description: "The caller's own identifier of the subject." }),
    ...properties,
    roles,
  })
  .superRefine(agree, evenIfFaulty);

/** Any subject of a type: properties and roles count as if each had them. */
export const anySubjectSchema = z.object({ type: subjectType, ...properties, roles }).superRefine(agree, evenIfFaulty);

export const resourceSchema = z
  .object({
    type: resourceType,
    id: text.meta({ description: 'The id of the resource, or else its name.' }).optional(),
    name: text.meta({ description: 'The name of the resource; it wins over `id`.' }).optional(),
    ...properties,
  })
  .refine(({ id, name }) => id !== undefined || name !== undefined, {
    message: 'needs "id" or "name": say which resource is meant',
    ...evenIfFaulty,
  })
  .superRefine(agree, evenIfFaulty)
  .meta({ description: 'Needs `id` or `name`.' });

/** Any resource of a type: properties count as if each had them. */
export const anyResourceSchema = z.object({ type: resourceType, ...properties }).superRefine(agree, evenIfFaulty);

export const actionSchema = z.object({
  name: text.meta({ description: 'The name of the action: `read`, `approve`, …' }),
  properties: properties.properties,
});

export const contextSchema = attributesSchema
  .meta({
    description: 'The circumstances that conditions and modifiers read: `ip`, `time`, `mfa`, and any other key.',
  })
  .optional();

type Attributed = { properties?: JsonObject; attributes?: JsonObject };

function agree({ properties, attributes }: Attributed, context: z.core.$RefinementCtx): void {
  if (!isObject(properties) || !isObject(attributes)) return;
  for (const name of Object.keys(attributes)) {
    if (!Object.hasOwn(properties, name) || equalJson(properties[name], attributes[name])) continue;
    context.addIssue({
      code: 'custom',
      path: ['attributes', name],
      message: `differs from ${jsonPointer('properties', name)}, for which "attributes" is another name: give one of them`,
    });
  }
}
