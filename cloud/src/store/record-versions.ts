import { isDistributed } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { StoredChange } from '@authz-service/core/state/record-changes';
import type { Knex } from 'knex';
import { forParts } from './batch.js';
import { type RecordRow, storedRecord } from './load-tenant.js';
import type { Statement } from './statement.js';
import type { HistoryStart, KeptCommit, PastPage, PastPosition, RevisionPoint } from './store.js';

/** Some milliseconds of parsing. */
const PAGE_ROWS = 1000;

const COLUMNS = ['kind', 'id', 'fields', 'managed_by', 'created_at', 'updated_at', 'revision'];

/** Keeps the records with these keys as they are before a commit changes or removes them. */
export function keepVersions(pks: readonly number[], until: number): Generator<Statement> {
  const copied = `tenant_id, address, entity, ${COLUMNS.join(', ')}`;
  return forParts(
    pks,
    (list) =>
      `insert into record_versions (until, ${copied}) select ${until}, ${copied} from records where pk in ${list}`,
  );
}

/** The oldest revision that can be rebuilt, with the newest one, and the times of both. */
export async function historyStart(knex: Knex, tenant: string): Promise<HistoryStart> {
  const row = await knex('tenants')
    .where('id', tenant)
    .first<{ history_start: number; revision: number } | undefined>();
  const oldest = row && (await pointOf(knex, tenant, (query) => query.where('number', row.history_start)));
  const newest = row && (await pointOf(knex, tenant, (query) => query.where('number', row.revision)));
  if (oldest === undefined || newest === undefined) throw new Error(`the store holds no revisions of tenant ${tenant}`);
  return { oldest, newest };
}

/** A revision by its number, or the newest one that was committed at a time or before. */
export async function findRevision(
  knex: Knex,
  tenant: string,
  wanted: { number: number } | { at: string },
): Promise<RevisionPoint | undefined> {
  return await pointOf(knex, tenant, (query) =>
    'number' in wanted ? query.where('number', wanted.number) : query.where('at', '<=', wanted.at),
  );
}

async function pointOf(
  knex: Knex,
  tenant: string,
  where: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
): Promise<RevisionPoint | undefined> {
  const row = await where(knex('revisions').where('tenant_id', tenant))
    .orderBy([
      { column: 'at', order: 'desc' },
      { column: 'number', order: 'desc' },
    ])
    .select('number', 'digest', 'at')
    .first<{ number: number; digest: string; at: string } | undefined>();
  return row && { revision: Number(row.number), digest: row.digest, at: row.at };
}

/**
 * A page of the records at a past revision: first those that are still as they were, then the kept versions. A commit
 * between two pages may turn one into the other, so that an address can be on two pages, with the same record; none is
 * left out.
 */
export async function readPast(knex: Knex, tenant: string, revision: number, after?: PastPosition): Promise<PastPage> {
  if (after === undefined || 'record' in after) {
    const rows: RecordRow[] = await knex('records')
      .where('tenant_id', tenant)
      .andWhere('address', '>', after?.record ?? '')
      .andWhere('revision', '<=', revision)
      .orderBy('address')
      .limit(PAGE_ROWS);
    const last = rows.length === PAGE_ROWS ? rows.at(-1) : undefined;
    return {
      records: recordsOf(rows),
      erased: 0,
      next: last ? { record: last.address } : { until: revision, version: '' },
    };
  }
  const rows: (RecordRow & { until: number; erased: number | boolean })[] = await knex('record_versions')
    .where('tenant_id', tenant)
    .andWhereRaw('(until, address) > (?, ?)', [after.until, after.version])
    .andWhere('until', '>', revision)
    .andWhere('revision', '<=', revision)
    .orderBy(['until', 'address'])
    .limit(PAGE_ROWS);
  const last = rows.length === PAGE_ROWS ? rows.at(-1) : undefined;
  return {
    records: recordsOf(rows),
    erased: rows.filter(({ erased }) => Boolean(erased)).length,
    ...(last && { next: { until: Number(last.until), version: last.address } }),
  };
}

/**
 * The newest commits with the records before and after them, oldest first: as many as have no more changes than
 * `changes`, and no more commits than `commits`, and have lost no values. Kinds that no bundle contains are left out.
 */
export async function newestCommits(
  knex: Knex,
  tenant: string,
  bounds: { commits: number; changes: number },
): Promise<KeptCommit[]> {
  const { oldest } = await historyStart(knex, tenant);
  const lost = await knex('record_versions')
    .where('tenant_id', tenant)
    .whereRaw('erased')
    .max<{ until: number | null }>('until as until')
    .first();
  const rows: { number: number; digest: string; changes: number }[] = await knex('revisions')
    .where('tenant_id', tenant)
    .andWhere('number', '>=', Math.max(oldest.revision, Number(lost?.until ?? 0)))
    .orderBy('number', 'desc')
    .limit(bounds.commits + 1)
    .select('number', 'digest', knex.raw('added + changed + removed as changes'));
  const kept = keptCommits(
    rows.map((row) => ({ number: Number(row.number), digest: row.digest, changes: Number(row.changes) })),
    bounds,
  );
  const [first] = kept;
  if (first === undefined) return kept;
  const ended: (RecordRow & { until: number })[] = await knex('record_versions')
    .where('tenant_id', tenant)
    .andWhere('until', '>=', first.revision);
  const present: RecordRow[] = await knex('records')
    .where('tenant_id', tenant)
    .andWhere('revision', '>=', first.revision);
  fillCommits(kept, {
    put: recordsOf(present),
    versions: ended.map((row) => ({ until: Number(row.until), record: storedRecord(row, tenant) })),
  });
  return kept;
}

/** The newest of these commits, oldest first, without their changes: as many as the bounds allow, and have one before them. */
export function keptCommits(
  rows: { number: number; digest: string; changes: number }[],
  bounds: { commits: number; changes: number },
): KeptCommit[] {
  const sorted = rows.toSorted((left, right) => right.number - left.number).slice(0, bounds.commits + 1);
  const kept: KeptCommit[] = [];
  let left = bounds.changes;
  for (const [index, { number, changes }] of sorted.entries()) {
    const base = sorted[index + 1];
    left -= changes;
    if (base === undefined || left < 0) break;
    kept.unshift({ base: { revision: base.number, digest: base.digest }, revision: number, changes: [] });
  }
  return kept;
}

/** Puts into commits what they changed: `put` are the records that they have left, and `versions` those that they ended. */
export function fillCommits(
  commits: readonly KeptCommit[],
  { put, versions }: { put: readonly StoredRecord[]; versions: readonly { until: number; record: StoredRecord }[] },
): void {
  const byRevision = new Map(commits.map((commit) => [commit.revision, new Map<string, StoredChange>()]));
  const note = (revision: number, side: keyof StoredChange, record: StoredRecord) => {
    if (!isDistributed(record)) return;
    const changes = byRevision.get(revision);
    changes?.set(record.address, { ...changes.get(record.address), [side]: record });
  };
  for (const { until, record } of versions) note(until, 'before', record);
  for (const { record } of versions) note(record.revision, 'after', record);
  for (const record of put) note(record.revision, 'after', record);
  for (const commit of commits) commit.changes = [...(byRevision.get(commit.revision)?.values() ?? [])];
}

function recordsOf(rows: readonly RecordRow[]): StoredRecord[] {
  return rows.map((row) => storedRecord(row, row.tenant_id));
}
