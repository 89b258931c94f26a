import { referencesOf, type StoredRecord } from '@authz-service/core/records/registry';
import type { Knex } from 'knex';
import { inParts, insertRows } from './batch.js';
import type { Dialect } from './dialect.js';
import { writeOrigins } from './record-origins.js';
import { known, pksOf } from './record-pks.js';
import { keepVersions } from './record-versions.js';
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
const RENEW = 'on conflict (record_pk) do update set hash = excluded.hash, off_since = null';

/**
 * Writes the records, references and secrets of a commit, in a number of statements that does not grow with each
 * record.
 */
export async function writeRecords(trx: Knex, dialect: Dialect, commit: Commit): Promise<void> {
  const before = [...commit.remove, ...commit.put.flatMap(({ previous }) => (previous ? [previous] : []))];
  const pks = await pksOf(
    trx,
    commit.tenant,
    before.map((record) => record.address),
  );
  const pkBefore = (record: StoredRecord): number => known(pks, record.address);

  await keepVersions(trx, before.map(pkBefore), commit.revision);
  await inParts(before.map(pkBefore), async (part) => {
    await trx('record_references').whereIn('from_pk', part).delete();
  });
  await park(trx, [...commit.remove, ...moved(commit)].map(pkBefore));

  const created = commit.put.filter(({ previous }) => previous === undefined).length;
  const fresh = (created > 0 ? await dialect.newPks(trx, created) : []).values();
  const now = new Map<string, number>();
  const rows = commit.put.map(({ record, previous }) => {
    const pk = previous ? pkBefore(previous) : (fresh.next().value as number);
    now.set(record.address, pk);
    return [pk, commit.tenant, ...columnsOf(record)];
  });
  await insertRows(trx, 'records', COLUMNS, rows, REPLACE);

  // A reference to an address leads to whatever is there now, even if the commit does not touch the referring record.
  for (const record of commit.remove) {
    const successor = now.get(record.address);
    if (successor === undefined) continue;
    await trx('record_references').where('to_pk', pkBefore(record)).update({ to_pk: successor });
  }
  await inParts(commit.remove.map(pkBefore), async (part) => {
    await trx('records').whereIn('pk', part).delete();
  });
  await writeReferences(trx, commit, now);
  await writeSecrets(trx, commit, now);
  await writeOrigins(trx, commit, now);
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
async function park(trx: Knex, pks: number[]): Promise<void> {
  await inParts(pks, async (part) => {
    await trx('records')
      .whereIn('pk', part)
      .update({ address: trx.raw("'~' || pk"), id: trx.raw("'~' || pk") });
  });
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

async function writeReferences(trx: Knex, commit: Commit, now: Map<string, number>): Promise<void> {
  const wanted = commit.put.map(({ record }) => ({
    from: known(now, record.address),
    targets: new Set(referencesOf(record.kind, record.fields).map((reference) => reference.target)),
  }));
  const elsewhere = new Set<string>();
  for (const { targets } of wanted) for (const target of targets) if (!now.has(target)) elsewhere.add(target);
  const pks = await pksOf(trx, commit.tenant, [...elsewhere]);
  const rows = wanted.flatMap(({ from, targets }) =>
    [...targets].map((target) => [from, now.get(target) ?? known(pks, target)]),
  );
  await insertRows(trx, 'record_references', ['from_pk', 'to_pk'], rows);
}

async function writeSecrets(trx: Knex, commit: Commit, now: Map<string, number>): Promise<void> {
  const addressOfId = new Map(commit.put.map(({ record }) => [`${record.kind}/${record.id}`, record.address]));
  const rows = commit.secrets.map((secret) => {
    const address = addressOfId.get(`${secret.kind}/${secret.id}`) ?? '';
    return [known(now, address), secret.hash, secret.operator];
  });
  await insertRows(trx, 'secrets', ['record_pk', 'hash', 'operator'], rows, RENEW);
}
