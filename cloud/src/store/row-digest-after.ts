import { isCredential } from '@authz-service/core/records/kinds';
import type { Knex } from 'knex';
import { RowDigest } from './row-digest.js';
import { secretsOf } from './secret-rows.js';
import { type Commit, StaleStoreError } from './store.js';

/** The digest of the rows after a commit, computed from the one after the previous commit. Call it before writing. */
export async function rowDigestAfter(trx: Knex, commit: Commit): Promise<string> {
  const { put, remove, secrets } = commit;
  const digest = await digestBefore(trx, commit);
  const gone = [...remove, ...put.flatMap(({ previous }) => previous ?? [])];
  const credentials = gone.filter(({ kind }) => isCredential(kind));
  const held = await secretsOf(
    trx,
    commit.tenant,
    credentials.map(({ address }) => address),
  );
  for (const record of gone) digest.toggle(record, held.get(record.address));
  const made = new Map(secrets.map((secret) => [`${secret.kind}/${secret.id}`, secret]));
  for (const { record, previous } of put) {
    const before = previous && held.get(previous.address);
    const secret = made.get(`${record.kind}/${record.id}`) ?? before;
    // A new secret makes nobody an operator, see `writeRecords`.
    digest.toggle(record, secret && { hash: secret.hash, operator: (before ?? secret).operator });
  }
  return digest.hex();
}

async function digestBefore(trx: Knex, { tenant, base, baseDigest }: Commit): Promise<RowDigest> {
  if (base === 0) {
    const digest = new RowDigest();
    digest.addTenant(await trx('tenants').where('id', tenant).first<{ id: string; name: string }>());
    return digest;
  }
  const row = await trx('revisions')
    .select('digest', 'row_digest')
    .where({ tenant_id: tenant, number: base })
    .first<{ digest: string; row_digest: string } | undefined>();
  if (row?.digest !== baseDigest) throw new StaleStoreError(tenant, base);
  return new RowDigest(row.row_digest);
}
