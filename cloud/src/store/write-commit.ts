import type { Knex } from 'knex';
import type { CommitBasis } from './commit-basis.js';
import type { Dialect } from './dialect.js';
import { idempotencyKeys } from './idempotency-keys.js';
import type { Statement } from './statement.js';
import { type Commit, type CredentialRow, StaleStoreError } from './store.js';
import { recordStatements } from './write-records.js';

/**
 * Writes one revision. The first statement locks the tenant's row and finds out whether it still is at the revision that the
 * commit was judged on: then everything that was judged there still holds, and so does its basis.
 */
export async function writeCommit(
  trx: Knex,
  dialect: Dialect,
  { commit, basis }: { commit: Commit; basis: CommitBasis },
  operators: (trx: Knex) => Promise<CredentialRow[]>,
): Promise<void> {
  if (commit.judge) {
    await dialect.lock(trx, 'operators');
    commit.judge(await operators(trx));
  }
  await dialect.sendAll(trx, statementsOf(commit, basis));
}

function* statementsOf(commit: Commit, basis: CommitBasis): Generator<Statement> {
  yield move(commit, basis);
  yield* recordStatements(commit, basis);
  yield revision(commit, basis);
  if (commit.idempotency) yield* idempotencyKeys.saving(commit.idempotency);
}

/** Numbers are given again where a database has lost its latest commits, so the digests have to be the same, too. */
function move({ tenant, base, baseDigest, revision: next }: Commit, { rowDigestBefore }: CommitBasis): Statement {
  const sql = 'update tenants set revision = ? where id = ? and revision = ?';
  const same = 'exists (select 1 from revisions where tenant_id = ? and number = ? and digest = ? and row_digest = ?)';
  const otherwise = () => new StaleStoreError(tenant, base);
  if (rowDigestBefore === undefined) return { sql: `${sql} returning id`, values: [next, tenant, base], otherwise };
  return {
    sql: `${sql} and ${same} returning id`,
    values: [next, tenant, base, tenant, base, baseDigest, rowDigestBefore],
    otherwise,
  };
}

function revision({ tenant, audit, losses }: Commit, { rowDigest }: CommitBasis): Statement {
  const row = {
    tenant_id: tenant,
    number: audit.revision,
    digest: audit.digest,
    row_digest: rowDigest,
    at: audit.at,
    request_id: audit.request_id,
    credential_kind: audit.credential.kind,
    credential_id: audit.credential.id,
    credential_name: audit.credential.name,
    stack: audit.stack ?? null,
    source: audit.source === undefined ? null : JSON.stringify(audit.source),
    ...audit.counts,
    changes: JSON.stringify(audit.changes),
    truncated: audit.truncated,
    losses: losses === undefined ? null : JSON.stringify(losses),
  };
  const columns = Object.keys(row);
  return {
    sql: `insert into revisions (${columns.join(',')}) values (${columns.map(() => '?').join(',')})`,
    values: Object.values(row),
  };
}
