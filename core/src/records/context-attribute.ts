import * as z from 'zod';
import { path } from './address.js';
import { define } from './definition.js';
import { description, nameText, PROPERTY_TYPES, type PropertyType } from './fields.js';

/** Context attributes that modifiers read, with their types. */
export const MODIFIERS_READ: Readonly<Record<string, PropertyType>> = { ip: 'string', mfa: 'boolean', time: 'string' };

export const contextAttribute = define({
  kind: 'context_attribute',
  yaml: 'context_attributes',
  docs: 'An attribute that requests send in their context, and its type; what is written about it is checked against that.',
  schema: () =>
    z
      .strictObject({
        name: nameText.meta({ key: true, description: 'The attribute as requests send it: `amount`.' }),
        type: z.enum(PROPERTY_TYPES).meta({
          description: 'The type of its values; `any` is checked only when a condition runs.',
        }),
        sensitive: z
          .boolean()
          .optional()
          .overwrite((given) => given || undefined)
          .meta({ description: 'Whether its values are masked in decision logs. Absent means that they are not.' }),
        description,
      })
      .superRefine(({ name, type }, context) => {
        const read = Object.hasOwn(MODIFIERS_READ, name) ? MODIFIERS_READ[name] : undefined;
        if (read === undefined || type === read || type === 'any') return;
        const message = `is not what modifiers read of \`context.${name}\`: write ${read}`;
        context.addIssue({ code: 'custom', path: ['type'], message });
      }),
  path: (fields) => path(fields.name),
  references: () => [],
  home: () => 'tenant',
});
