import * as z from 'zod';
import { path } from './address.js';
import { define } from './definition.js';
import { description, nameText, subjectTypeText } from './fields.js';

/** The attributes of a SCIM user that can be the id of its subject. */
export const SUBJECT_IDS = ['userName', 'externalId', 'id'] as const;

/** An attribute of a SCIM user: `department`, `name.familyName`, `emails[type eq "work"].value`, with or without the URN of its schema. */
const ATTRIBUTE =
  /^(?:urn:[\w.:-]+:)?[A-Za-z$][\w$-]{0,127}(?:\[[A-Za-z]{1,64} eq (?:"[^"\\]{0,128}"|true|false)\])?(?:\.[A-Za-z$][\w$-]{0,127})?$/;

const share = (text: string) =>
  z
    .string()
    .regex(/^(?:100|[1-9]?\d)%$/, 'must be a whole share like "5%"')
    .optional()
    .meta({ description: text });

export const directory = define({
  kind: 'directory',
  yaml: 'directories',
  docs: 'A source of people and groups that sends them by SCIM, and how they become records. It owns what it sends.',
  schema: () =>
    z.strictObject({
      name: nameText.meta({ key: true, description: 'The name, unique in the tenant.' }),
      subject_type: subjectTypeText.default('user').meta({ description: 'The type of the subjects that it makes.' }),
      id_from: z.enum(SUBJECT_IDS).default('userName').meta({
        yaml: 'id',
        description: 'The SCIM attribute that gives a subject its id.',
      }),
      properties: z
        .record(
          z.string().min(1).max(256),
          z
            .string()
            .max(512)
            .regex(
              ATTRIBUTE,
              'must be a SCIM attribute like `department`, `name.familyName` or `emails[type eq "work"].value`',
            ),
        )
        .optional()
        .meta({
          description:
            'The properties of a subject and the SCIM attribute of each; the cloud drops all other attributes.',
        }),
      groups: z
        .strictObject({ prefix: nameText.meta({ description: 'The text that the names of its groups begin with.' }) })
        .optional()
        .meta({ description: 'The groups that it may send; absent means all.' }),
      removals: share(
        'The share of its people that it may remove or rename in an hour, and of its memberships that it may remove: `5%`; absent means any.',
      ),
      groups_emptied: z
        .int()
        .min(0)
        .max(1_000_000)
        .optional()
        .meta({ description: 'The number of its groups that it may empty or remove in an hour; absent means any.' }),
      suspensions: share('The share of its people that it may suspend in an hour: `20%`; absent means any.'),
      description,
    }),
  path: (fields) => path(fields.name),
  references: () => [],
  home: () => 'tenant',
});
