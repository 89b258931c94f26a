import type { Knex } from 'knex';
import { RowDigest, type StoredSecret } from './row-digest.js';
import type { Commit } from './store.js';

/**
 * The digest of the rows after a commit, computed from the one `before`; a tenant's first commit has none. `held` are the
 * secrets of the credentials that it changes or removes, by their addresses.
 */
export async function rowDigestAfter(
  knex: Knex,
  { tenant, put, remove, secrets }: Commit,
  { before, held }: { before: string | undefined; held: ReadonlyMap<string, StoredSecret> },
): Promise<string> {
  const digest = new RowDigest(before);
  if (before === undefined)
    digest.addTenant(await knex('tenants').where('id', tenant).first<{ id: string; name: string }>());
  for (const record of [...remove, ...put.flatMap(({ previous }) => previous ?? [])])
    digest.toggle(record, held.get(record.address));
  const made = new Map(secrets.map((secret) => [`${secret.kind}/${secret.id}`, secret]));
  for (const { record, previous } of put) {
    const secretBefore = previous && held.get(previous.address);
    const secret = made.get(`${record.kind}/${record.id}`) ?? secretBefore;
    // A new secret makes nobody an operator, see `writeRecords`.
    digest.toggle(record, secret && { ...secret, operator: (secretBefore ?? secret).operator });
  }
  return digest.hex();
}
