import { referencesOf, type StoredRecord } from '@authz-service/core/records/registry';
import { forParts, insertions } from './batch.js';
import type { CommitBasis } from './commit-basis.js';
import { originStatements } from './record-origins.js';
import { known } from './record-pks.js';
import { keepVersions } from './record-versions.js';
import { SECRET_COLUMNS } from './secret-rows.js';
import type { Statement } from './statement.js';
import type { Commit } from './store.js';

const COLUMNS = [
  'pk',
  'tenant_id',
  'kind',
  'id',
  'address',
  'fields',
  'managed_by',
  'created_at',
  'updated_at',
  'revision',
  'entity',
] as const;

const REPLACE = `on conflict (pk) do update set ${COLUMNS.slice(2)
  .map((column) => `${column} = excluded.${column}`)
  .join(', ')}`;

/** A credential that already has a secret gets another one, which nobody can have kept from before a restore. */
const RENEW =
  'on conflict (record_pk) do update set hash = excluded.hash, former_hash = excluded.former_hash, former_until = excluded.former_until, off_since = null';

/** Writes the records, references and secrets of a commit, in a number of statements that does not grow with each record. */
export function* recordStatements(commit: Commit, { pks, fresh }: CommitBasis): Generator<Statement> {
  const { tenant } = commit;
  const pkBefore = (record: StoredRecord): number => known(pks, record.address);
  const before = [...commit.remove, ...commit.put.flatMap(({ previous }) => previous ?? [])].map(pkBefore);
  const removed = commit.remove.map(pkBefore);

  yield* keepVersions(before, commit.revision);
  yield* forParts(before, (list) => `delete from record_references where from_pk in ${list}`);
  yield* park(moved(commit).map(pkBefore), removed);

  const unused = fresh.values();
  const now = new Map<string, number>();
  const rows = commit.put.map(({ record, previous }) => {
    const pk = previous ? pkBefore(previous) : (unused.next().value as number);
    now.set(record.address, pk);
    return [pk, tenant, ...columnsOf(record)];
  });
  yield* insertions('records', COLUMNS, rows, REPLACE);

  // A reference to an address leads to whatever is there now, even if the commit does not touch the referring record.
  for (const record of commit.remove) {
    const successor = now.get(record.address);
    if (successor === undefined) continue;
    yield { sql: 'update record_references set to_pk = ? where to_pk = ?', values: [successor, pkBefore(record)] };
  }
  yield* forParts(removed, (list) => `delete from records where pk in ${list}`);
  const pk = (address: string): number => now.get(address) ?? known(pks, address);
  yield* references(commit, pk);
  yield* secretRows(commit, pk);
  yield* originStatements(commit, pk);
}

/** The former rows of records that get another address or id. */
function moved(commit: Commit): StoredRecord[] {
  return commit.put.flatMap(({ record, previous }) =>
    previous && (previous.address !== record.address || previous.id !== record.id) ? [previous] : [],
  );
}

/**
 * Frees addresses and ids for other records, because unique constraints check every single row, and moves may form
 * circles.
 */
function park(moved: readonly number[], removed: readonly number[]): Generator<Statement> {
  return forParts(
    [...removed, ...moved],
    (list) => `update records set address = '~' || pk, id = '~' || pk where pk in ${list}`,
  );
}

function columnsOf(record: StoredRecord): (string | number | null)[] {
  return [
    record.kind,
    record.id,
    record.address,
    JSON.stringify(record.fields),
    record.managed_by,
    record.created_at,
    record.updated_at,
    record.revision,
    entityOf(record),
  ];
}

/** The address of the subject, group or role that a link belongs to. */
function entityOf({ fields }: StoredRecord): string | null {
  return 'entity' in fields ? `${fields.entity_type}/${fields.entity}` : null;
}

function references({ put }: Commit, pk: (address: string) => number): Generator<Statement> {
  const rows = put.flatMap(({ record }) => {
    const targets = new Set(referencesOf(record.kind, record.fields).map(({ target }) => target));
    return [...targets].map((target) => [pk(record.address), pk(target)]);
  });
  return insertions('record_references', ['from_pk', 'to_pk'], rows);
}

function secretRows({ put, secrets }: Commit, pk: (address: string) => number): Generator<Statement> {
  const addressOfId = new Map(put.map(({ record }) => [`${record.kind}/${record.id}`, record.address]));
  const rows = secrets.map((secret) => {
    const address = addressOfId.get(`${secret.kind}/${secret.id}`) ?? '';
    return [pk(address), secret.hash, secret.operator, secret.former?.hash ?? null, secret.former?.until ?? null];
  });
  return insertions('secrets', ['record_pk', ...SECRET_COLUMNS], rows, RENEW);
}
