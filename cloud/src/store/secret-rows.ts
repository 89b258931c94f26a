import { CREDENTIAL_KINDS } from '@authz-service/core/records/kinds';
import type { Knex } from 'knex';
import { inParts } from './batch.js';
import type { StoredSecret } from './row-digest.js';

export interface SecretRow {
  hash: string;
  operator: number | boolean;
}

/** What a tenant's credentials have beside their records, by their addresses: of the given ones, or of all. */
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
      .select('address', 'hash', 'operator');
  const take = (rows: (SecretRow & { address: string })[]) => {
    for (const { address, hash, operator } of rows) secrets.set(address, { hash, operator: Boolean(operator) });
  };
  if (addresses === undefined) take(await query());
  else await inParts(addresses, async (part) => take(await query().whereIn('address', part)));
  return secrets;
}
