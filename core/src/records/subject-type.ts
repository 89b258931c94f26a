import * as z from 'zod';
import { path } from './address.js';
import { define } from './definition.js';
import {
  description,
  fromRequests,
  masksDeclared,
  propertyTypes,
  sendsDeclared,
  sensitiveProperties,
  subjectTypeText,
} from './fields.js';

export const subjectType = define({
  kind: 'subject_type',
  yaml: 'subject_types',
  docs: 'A type of subjects with the properties that these may have; what is written about such subjects is checked against it.',
  schema: () =>
    z
      .strictObject({
        name: subjectTypeText.meta({ key: true, description: 'The type as subjects name it: `user`.' }),
        properties: propertyTypes(
          'The properties that subjects of this type may have, and their types; absent means any.',
        ),
        from_requests: fromRequests,
        sensitive: sensitiveProperties,
        description,
      })
      .superRefine((fields, context) => {
        sendsDeclared(fields, [], context);
        masksDeclared(fields, context);
      }),
  path: (fields) => path(fields.name),
  references: () => [],
  home: () => 'tenant',
});
