/** What a credential may do; see DESIGN "Credentials". `operator` makes tenants and reads the bundle of all of them. */
export const SCOPES = ['decisions', 'bundle', 'records:read', 'records:write', 'credentials'] as const;
export type Scope = (typeof SCOPES)[number];
