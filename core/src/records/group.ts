import * as z from 'zod';
import { path } from './address.js';
import { define } from './definition.js';
import { entry } from './entry.js';
import { description, nameText } from './fields.js';
import { referencesOfSharing, sharedWith } from './shared-with.js';

export const group = define({
  kind: 'group',
  yaml: 'groups',
  docs: 'Subjects and other groups under one name; members of a nested group are members of the outer one.',
  schema: () =>
    z.strictObject({
      name: nameText.meta({ key: true, description: 'The name, unique in the tenant.' }),
      shared_with: sharedWith,
      entry,
      description,
    }),
  path: (fields) => path(fields.name),
  references: (fields) => referencesOfSharing(fields.shared_with),
  home: () => 'stack',
});
