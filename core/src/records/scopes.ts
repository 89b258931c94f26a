/**
 * The rights of a credential: see "Scopes" in cloud/README.md. `operator` creates tenants and reads the bundle of all of
 * them.
 */
export const SCOPES = ['decisions', 'bundle', 'records:read', 'records:write', 'credentials', 'access-rules'] as const;

/** The scopes of an API key. One with `directory` has no other: it sends people and groups for one directory. */
export const KEY_SCOPES = [...SCOPES, 'directory'] as const;
export type CredentialScope = (typeof KEY_SCOPES)[number];
