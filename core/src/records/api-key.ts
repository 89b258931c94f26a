import * as z from 'zod';
import { address, path } from './address.js';
import { define } from './definition.js';
import { description, expiresAt, nameText, reference, stringSet } from './fields.js';
import { limits, referencesOfLimits } from './limits.js';
import { KEY_SCOPES } from './scopes.js';

export const apiKey = define({
  kind: 'api_key',
  yaml: 'api_keys',
  docs: 'A long-lived bearer credential. Its secret is shown once, when the key is created.',
  schema: () =>
    z
      .strictObject({
        name: nameText.meta({ key: true, description: 'The name, unique in the tenant.' }),
        scopes: stringSet(z.enum(KEY_SCOPES))
          .min(1, 'must name at least one scope')
          .meta({ description: 'The scopes that the key has.' }),
        expires_at: expiresAt,
        limits,
        applications: stringSet(reference('application', 'The path of an application: `billing`.'))
          .min(1, 'must name at least one application')
          .optional()
          .meta({
            description:
              'The applications that are decided about with the bundle that the key fetches, which then holds what they need alone; absent means all.',
          }),
        directory: reference(
          'directory',
          'The path of the directory that it sends people and groups for: `okta`.',
        ).optional(),
        description,
      })
      .superRefine(({ scopes, applications, directory, limits }, context) => {
        const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
        const sends = scopes.includes('directory');
        if (sends && scopes.length > 1) refuse('scopes', 'name "directory" beside others: make a key for it alone');
        if (sends && directory === undefined) refuse('directory', 'is missing: name the directory that the key is for');
        if (!sends && directory !== undefined)
          refuse('directory', 'is for keys with the scope "directory": leave it out');
        if (applications !== undefined && (scopes.length > 1 || !scopes.includes('bundle')))
          refuse('applications', 'are for keys with the scope "bundle" alone: make a key for the agent');
        if (sends && limits !== undefined)
          refuse('limits', 'are not for a key of a directory, which writes nothing else');
      }),
  path: (fields) => path(fields.name),
  references: (fields) => [
    ...referencesOfLimits(fields.limits),
    ...(fields.applications ?? []).map((application, index) => ({
      pointer: `/applications/${index}`,
      target: address('application', application),
    })),
    ...(fields.directory === undefined
      ? []
      : [{ pointer: '/directory', target: address('directory', fields.directory) }]),
  ],
  home: () => 'limits',
});
