import * as z from 'zod';
import { path } from './address.js';
import { define } from './definition.js';
import { description, nameText, stringSet } from './fields.js';
import { limits, referencesOfLimits } from './limits.js';
import { person } from './person.js';
import { SCOPES } from './scopes.js';

export const oauthClient = define({
  kind: 'oauth_client',
  yaml: 'oauth_clients',
  docs: 'A client of the token endpoint (RFC 6749 section 4.4). Its id is the client id; its secret is shown once; one that names a person has none.',
  schema: () =>
    z.strictObject({
      name: nameText.meta({ key: true, description: 'The name, unique in the tenant.' }),
      scopes: stringSet(z.enum(SCOPES))
        .min(1, 'must name at least one scope')
        .meta({ description: 'The scopes that its tokens have.' }),
      limits,
      person,
      description,
    }),
  path: (fields) => path(fields.name),
  references: (fields) => referencesOfLimits(fields.limits),
  home: () => 'limits',
});
