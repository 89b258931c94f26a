import type { RecordOrigin } from '@authz-service/core/origin/record-origin';
import type { Knex } from 'knex';
import { forParts, insertions, insertRows } from './batch.js';
import { known, pksOf } from './record-pks.js';
import type { Statement, Value } from './statement.js';
import { type Commit, type Origins, StaleStoreError } from './store.js';

const COLUMNS = ['record_pk', 'repository', 'git_commit', 'path', 'line', 'uncommitted'] as const;

const REPLACE = `on conflict (record_pk) do update set ${COLUMNS.slice(1)
  .map((column) => `${column} = excluded.${column}`)
  .join(', ')}`;

interface OriginRow {
  address: string;
  repository: string | null;
  git_commit: string | null;
  path: string | null;
  line: number | null;
  uncommitted: boolean | 0 | 1;
}

/**
 * Writes where the records of a commit stand. What is known of a changed record was true of its former fields, so it is
 * forgotten; not of one that only followed a rename, for its text has stayed.
 */
export function* originStatements({ put, origins }: Commit, pk: (address: string) => number): Generator<Statement> {
  const changed = put.filter(({ previous, follows }) => previous !== undefined && !follows);
  const pks = changed.map(({ record }) => pk(record.address));
  yield* forParts(pks, (list) => `delete from record_origins where record_pk in ${list}`);
  yield* insertions('record_origins', COLUMNS, rowsOf(origins, pk), REPLACE);
}

/** Notes where records stand that no commit changes, so that this makes no revision. */
export async function noteOrigins(
  trx: Knex,
  { tenant, base, origins }: { tenant: string; base: number; origins: Origins },
): Promise<void> {
  // Whoever commits meanwhile waits for this row, or has been faster.
  const same = await trx('tenants').where({ id: tenant, revision: base }).update({ revision: base });
  if (same !== 1) throw new StaleStoreError(tenant, base);
  const pks = await pksOf(trx, tenant, [...origins.keys()]);
  await insertRows(
    trx,
    'record_origins',
    COLUMNS,
    rowsOf(origins, (address) => known(pks, address)),
    REPLACE,
  );
}

function rowsOf(origins: Origins, pk: (address: string) => number): Value[][] {
  return [...origins].map(([address, origin]) => [
    pk(address),
    origin.repository ?? null,
    origin.commit ?? null,
    origin.path ?? null,
    origin.line ?? null,
    origin.uncommitted ?? false,
  ]);
}

export async function readOrigins(
  db: Knex,
  tenant: string,
  addresses: readonly string[],
): Promise<Map<string, RecordOrigin>> {
  const rows: OriginRow[] = await db('records')
    .join('record_origins', 'record_pk', 'pk')
    .select('address', 'repository', 'git_commit', 'path', 'line', 'uncommitted')
    .where('tenant_id', tenant)
    .whereIn('address', [...addresses]);
  return new Map(rows.map((row) => [row.address, originOf(row)]));
}

function originOf({ repository, git_commit, path, line, uncommitted }: OriginRow): RecordOrigin {
  return {
    ...(repository !== null && { repository }),
    ...(git_commit !== null && { commit: git_commit }),
    ...(path !== null && { path }),
    ...(line !== null && { line }),
    ...(uncommitted && { uncommitted: true }),
  };
}
