import type { EphemeralResource } from '../framework/provider.js';
import { explained } from './refusals.js';
import { type Configured, serviceOf } from './service.js';

/** An access token of the provider's own client, for one run. */
export const accessToken: EphemeralResource<Configured> = {
  schema: {
    version: 0,
    description:
      'An access token of the client that the provider is configured with, for other providers and for write-only arguments. It is stored in no plan and no state.',
    attributes: {
      scopes: {
        type: { set: 'string' },
        description: "The token's scopes, from those of the client. Default: all of the client's.",
        optional: true,
      },
      access_token: { type: 'string', description: 'The token, a bearer credential.', computed: true, sensitive: true },
      token_type: { type: 'string', description: '`Bearer`.', computed: true },
      expires_at: { type: 'string', description: 'When it expires (RFC 3339, UTC).', computed: true },
    },
  },

  async open(configured, config, { signal }) {
    const service = serviceOf(configured);
    const scopes = Array.isArray(config.scopes) ? config.scopes.map(String) : [];
    const token = await explained(signal, () => service.token(scopes, signal));
    return {
      ...config,
      access_token: token.accessToken,
      token_type: 'Bearer',
      expires_at: new Date(token.expiresAtMs).toISOString(),
    };
  },
};
