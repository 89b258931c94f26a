import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Knex } from 'knex';
import { RowDigest } from './row-digest.js';
import { secretsOf } from './secret-rows.js';
import { ChangedStoreError, type LoadedTenant, NoTenantError } from './store.js';

export interface RecordRow {
  tenant_id: string;
  kind: string;
  id: string;
  address: string;
  fields: string;
  managed_by: string;
  created_at: string;
  updated_at: string;
  revision: number;
}

/** Reads a tenant with the digest of its rows, and what its newest commit recorded. */
export async function loadTenant(trx: Knex, id: string): Promise<LoadedTenant> {
  const tenant = await trx('tenants')
    .where('id', id)
    .first<{ id: string; name: string; revision: number } | undefined>();
  if (tenant === undefined) throw new NoTenantError(id);
  const secrets = await secretsOf(trx, id);
  const digest = new RowDigest();
  digest.addTenant(tenant);
  const rows: RecordRow[] = await trx('records').where('tenant_id', id).orderBy('pk');
  const records = rows.map((row) => {
    const record = storedRecord(row, tenant.name);
    digest.toggle(record, secrets.get(row.address));
    return record;
  });
  const newest = await trx('revisions')
    .where('tenant_id', id)
    .orderBy('number', 'desc')
    .select('number', 'digest', 'row_digest', 'at')
    .first<{ number: number; digest: string; row_digest: string; at: string } | undefined>();
  return {
    revision: Number(tenant.revision),
    records,
    rowDigest: digest.hex(),
    committed: newest && {
      revision: Number(newest.number),
      digest: newest.digest,
      rowDigest: newest.row_digest,
      at: newest.at,
    },
  };
}

export function storedRecord(row: RecordRow, tenant: string): StoredRecord {
  return {
    kind: row.kind,
    address: row.address,
    fields: readFields(row, tenant),
    id: row.id,
    managed_by: row.managed_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
    revision: Number(row.revision),
  } as StoredRecord;
}

function readFields({ fields, address }: RecordRow, tenant: string): unknown {
  try {
    return JSON.parse(fields);
  } catch {
    throw new ChangedStoreError(`in the tenant "${tenant}", the row of ${JSON.stringify(address)} cannot be read`);
  }
}
