import * as z from 'zod';
import { path } from './address.js';
import { define } from './definition.js';
import { description, nameText } from './fields.js';

export const application = define({
  kind: 'application',
  yaml: 'applications',
  docs: 'A container for resources, with the types, roles and policies that belong to them.',
  schema: () =>
    z.strictObject({
      name: nameText.meta({ key: true, description: 'The name, unique in the tenant.' }),
      description,
    }),
  path: (fields) => path(fields.name),
  references: () => [],
  home: (fields) => ({ application: path(fields.name) }),
});
