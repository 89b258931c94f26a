import * as z from 'zod';
import { path } from './address.js';
import { define } from './definition.js';
import { description, expiresAt, nameText, stringSet } from './fields.js';
import { limits, referencesOfLimits } from './limits.js';
import { SCOPES } from './scopes.js';

export const apiKey = define({
  kind: 'api_key',
  yaml: 'api_keys',
  docs: 'A long-lived bearer credential. Its secret is shown once, when the key is created.',
  schema: () =>
    z.strictObject({
      name: nameText.meta({ key: true, description: 'The name, unique in the tenant.' }),
      scopes: stringSet(z.enum(SCOPES))
        .min(1, 'must name at least one scope')
        .meta({ description: 'The scopes that the key has.' }),
      expires_at: expiresAt,
      limits,
      description,
    }),
  path: (fields) => path(fields.name),
  references: (fields) => referencesOfLimits(fields.limits),
  home: () => 'limits',
});
