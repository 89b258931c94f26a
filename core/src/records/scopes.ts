/**
 * The rights of a credential: see "Scopes" in cloud/README.md. `operator` creates tenants and reads the bundle of all of
 * them.
 */
export const SCOPES = ['decisions', 'bundle', 'records:read', 'records:write', 'credentials', 'access-rules'] as const;
export type CredentialScope = (typeof SCOPES)[number];
