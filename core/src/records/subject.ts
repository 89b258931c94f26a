import * as z from 'zod';
import { path } from './address.js';
import { define } from './definition.js';
import { entry } from './entry.js';
import { freeText, nameText, properties, subjectTypeText } from './fields.js';

export const subject = define({
  kind: 'subject',
  yaml: 'subjects',
  docs: "Somebody or something that acts. Its id is the caller's own; type and id together identify it.",
  schema: () =>
    z.strictObject({
      type: subjectTypeText.meta({ key: true, description: 'The type of subject: user, service, …' }),
      id: nameText.meta({ key: true, description: "The caller's own identifier, unique among subjects of the type." }),
      name: freeText(256, 'A name for people.'),
      properties,
      entry,
    }),
  path: (fields) => path(fields.type, fields.id),
  references: () => [],
  home: () => 'tenant',
});
