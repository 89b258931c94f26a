import * as z from 'zod';
import { path } from './address.js';
import { define } from './definition.js';
import { entry } from './entry.js';
import { freeText, moment, nameText, properties, subjectTypeText } from './fields.js';

export const subject = define({
  kind: 'subject',
  yaml: 'subjects',
  docs: "Somebody or something that acts. Its id is the caller's own; type and id together identify it.",
  schema: () =>
    z
      .strictObject({
        type: subjectTypeText.meta({ key: true, description: 'The type of subject: user, service, …' }),
        id: nameText.meta({
          key: true,
          description: "The caller's own identifier, unique among subjects of the type.",
        }),
        name: freeText(256, 'A name for people.'),
        properties,
        entry,
        suspended: z.boolean().optional().meta({
          description:
            'While it is `true`, the subject is allowed nothing, whatever it has or a request says. `false` lifts a suspension by somebody else, which stays where nothing is said.',
          kept: true,
        }),
        suspended_until: moment(
          'Until when (RFC 3339) the subject is allowed nothing; its rights then count again by themselves.',
        ).meta({ kept: true }),
        suspension_reason: freeText(1024, 'Why it is suspended, for people: no answer to a request holds it.').meta({
          kept: true,
        }),
      })
      .superRefine(({ suspended, suspended_until, suspension_reason }, context) => {
        const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
        if (suspended !== undefined && suspended_until !== undefined)
          refuse('suspended_until', 'stands beside `suspended`, which has no end: leave out one of them');
        if (suspension_reason !== undefined && suspended !== true && suspended_until === undefined)
          refuse(
            'suspension_reason',
            'says why nobody is suspended: give `suspended` or `suspended_until`, or leave it out',
          );
      }),
  path: (fields) => path(fields.type, fields.id),
  references: () => [],
  home: () => 'tenant',
});
