import type { Secret } from '@authz-service/core/values/secret';

/** The settings without which there is none. */
export const OIDC_REQUIRED = ['SERVICE_OIDC_ISSUER', 'SERVICE_OIDC_CLIENT_ID', 'SERVICE_OIDC_CLIENT_SECRET'];

/** How people sign in with an OpenID provider. */
export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: Secret;
  /** The scopes asked for, separated by spaces. */
  scope: string;
  /** Whom the records know a person as: the type of subjects, and what its id is. */
  subject: { type: string; by: 'sub' | 'email' };
  groupsClaim: string;
  /** The paths of groups here, by the names of the provider's groups. */
  groups: ReadonlyMap<string, readonly string[]>;
}
