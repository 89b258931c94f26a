import { CREDENTIAL_KINDS } from '@authz-service/core/records/kinds';
import type { Knex } from 'knex';
import { inParts } from './batch.js';
import type { StoredSecret } from './row-digest.js';

export interface SecretRow {
  hash: string;
  operator: number | boolean;
  former_hash: string | null;
  former_until: string | null;
}

export const SECRET_COLUMNS = ['hash', 'operator', 'former_hash', 'former_until'] as const;

/** Reads a row. */
export function storedSecret({ hash, operator, former_hash, former_until }: SecretRow): StoredSecret {
  const former = former_hash !== null && former_until !== null && { hash: former_hash, until: former_until };
  return { hash, operator: Boolean(operator), ...(former && { former }) };
}

/** Returns what a tenant's credentials have beside their records, by their addresses: of the given ones, or of all. */
export async function secretsOf(
  trx: Knex,
  tenant: string,
  addresses?: readonly string[],
): Promise<Map<string, StoredSecret>> {
  const secrets = new Map<string, StoredSecret>();
  const query = () =>
    trx('records')
      .join('secrets', 'secrets.record_pk', 'records.pk')
      .where('tenant_id', tenant)
      .whereIn('kind', CREDENTIAL_KINDS)
      .select('address', ...SECRET_COLUMNS);
  const take = (rows: (SecretRow & { address: string })[]) => {
    for (const row of rows) secrets.set(row.address, storedSecret(row));
  };
  if (addresses === undefined) take(await query());
  else await inParts(addresses, async (part) => take(await query().whereIn('address', part)));
  return secrets;
}
