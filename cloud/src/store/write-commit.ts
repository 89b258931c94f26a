import type { Knex } from 'knex';
import type { Dialect } from './dialect.js';
import { idempotencyKeys } from './idempotency-keys.js';
import { rowDigestAfter } from './row-digest-after.js';
import { type Commit, type CredentialRow, StaleStoreError } from './store.js';
import { writeRecords } from './write-records.js';

/**
 * Writes one revision. The first statement locks the tenant's row and finds out whether it still is at the revision that the
 * commit was judged on: then everything that was judged there still holds.
 */
export async function writeCommit(
  trx: Knex,
  dialect: Dialect,
  commit: Commit,
  operators: (trx: Knex) => Promise<CredentialRow[]>,
): Promise<void> {
  if (commit.judge) {
    await dialect.lock(trx, 'operators');
    commit.judge(await operators(trx));
  }
  const moved = await trx('tenants')
    .where({ id: commit.tenant, revision: commit.base })
    .update({ revision: commit.revision });
  if (moved !== 1) throw new StaleStoreError(commit.tenant, commit.base);
  const rowDigest = await rowDigestAfter(trx, commit);
  await writeRecords(trx, dialect, commit);
  const { audit } = commit;
  await trx('revisions').insert({
    tenant_id: commit.tenant,
    number: audit.revision,
    digest: audit.digest,
    row_digest: rowDigest,
    at: audit.at,
    request_id: audit.request_id,
    credential_kind: audit.credential.kind,
    credential_id: audit.credential.id,
    credential_name: audit.credential.name,
    stack: audit.stack ?? null,
    ...audit.counts,
    changes: JSON.stringify(audit.changes),
    truncated: audit.truncated,
  });
  if (commit.idempotency) await idempotencyKeys.save(trx, commit.idempotency);
  await dialect.tell(trx, commit.tenant, commit.revision);
}
