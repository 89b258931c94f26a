import type { Knex } from 'knex';
import type { AuditRow, TenantEvent, TenantRow } from './store.js';

/** Notes that a tenant was made or removed, in the transaction that does it. */
export async function noteTenantEvent(
  trx: Knex,
  op: TenantEvent['op'],
  { id, name }: Pick<TenantRow, 'id' | 'name'>,
  { at, request_id, credential }: Pick<AuditRow, 'at' | 'request_id' | 'credential'>,
): Promise<void> {
  await trx('tenant_events').insert({
    op,
    at,
    tenant_id: id,
    tenant_name: name,
    request_id,
    credential_kind: credential.kind,
    credential_id: credential.id,
    credential_name: credential.name,
  });
}

interface TenantEventRow {
  number: number;
  op: TenantEvent['op'];
  at: string;
  tenant_id: string;
  tenant_name: string;
  request_id: string;
  credential_kind: AuditRow['credential']['kind'];
  credential_id: string;
  credential_name: string;
}

/** Newest first, of those below `before`. */
export async function listTenantEvents(
  knex: Knex,
  { before, limit }: { before?: number; limit: number },
): Promise<TenantEvent[]> {
  const query = knex<TenantEventRow>('tenant_events').orderBy('number', 'desc').limit(limit);
  if (before !== undefined) query.where('number', '<', before);
  return (await query).map((row) => ({
    number: Number(row.number),
    op: row.op,
    at: row.at,
    tenant: { id: row.tenant_id, name: row.tenant_name },
    request_id: row.request_id,
    credential: { kind: row.credential_kind, id: row.credential_id, name: row.credential_name },
  }));
}
