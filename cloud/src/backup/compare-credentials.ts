import { canonicalJson } from '@authz-service/core/json/json';
import type { CredentialKind, CredentialRow, TenantRow } from '../store/store.js';

/** A credential that a backup brings back. */
export interface RestoredCredential {
  tenant: string;
  kind: CredentialKind;
  id: string;
  name: string;
  scopes: string[];
  operator: boolean;
  expires_at?: string;
  /** Whether it is off until an operator turns it on. */
  off: boolean;
  /**
   * The state of it since, if that is known: it was `removed`, its secret or what it may do was `changed`, or it is the
   * same.
   */
  since?: 'removed' | 'changed' | 'unchanged';
}

/** The tenants and credentials in a backup. `before` are the credentials of the database that it replaces. */
export function compareCredentials(
  { tenants, credentials }: { tenants: readonly TenantRow[]; credentials: readonly CredentialRow[] },
  before: readonly CredentialRow[] | undefined,
): RestoredCredential[] {
  const names = new Map(tenants.map(({ id, name }) => [id, name]));
  const known = new Map(before?.map((row) => [keyOf(row), contentOf(row)]));
  const since = (row: CredentialRow): RestoredCredential['since'] => {
    const content = known.get(keyOf(row));
    if (content === undefined) return 'removed';
    return content === contentOf(row) ? 'unchanged' : 'changed';
  };
  return credentials.map((row) => ({
    tenant: names.get(row.tenant) ?? row.tenant,
    kind: row.kind,
    id: row.id,
    name: row.fields.name,
    scopes: row.fields.scopes,
    operator: row.operator,
    off: row.off_since !== undefined,
    ...(row.fields.expires_at !== undefined && { expires_at: row.fields.expires_at }),
    ...(before !== undefined && { since: since(row) }),
  }));
}

function keyOf({ tenant, kind, id }: CredentialRow): string {
  return JSON.stringify([tenant, kind, id]);
}

function contentOf({ hash, former, operator, fields: { scopes, expires_at, limits, person } }: CredentialRow): string {
  const end = expires_at ?? null;
  return canonicalJson([hash, former ?? null, operator, [...scopes].sort(), end, limits ?? null, person ?? null]);
}
