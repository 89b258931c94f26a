import type { Knex } from 'knex';
import type { AuditedChange, AuditFilter, AuditRow } from './store.js';

interface RevisionRow {
  tenant_id: string;
  number: number;
  digest: string;
  at: string;
  request_id: string;
  credential_kind: AuditRow['credential']['kind'];
  credential_id: string;
  credential_name: string;
  stack: string | null;
  source: string | null;
  added: number;
  changed: number;
  removed: number;
  changes: string;
  truncated: number | boolean;
}

type Sought = { record: string } | { subject: string };

/** Commits, newest first. If only those of a record or a subject are sought, each lists all its changes to that, and no other. */
export async function listAudit(
  knex: Knex,
  tenant: string,
  { before, limit, since, until, actor, ...sought }: AuditFilter & { before?: number; limit: number },
): Promise<AuditRow[]> {
  const query = knex<RevisionRow>('revisions').where('tenant_id', tenant).orderBy('number', 'desc').limit(limit);
  if (before !== undefined) query.where('number', '<', before);
  if (since !== undefined) query.where('at', '>=', since);
  if (until !== undefined) query.where('at', '<=', until);
  // A person chooses their name at the provider, and could be found by another's.
  if (actor !== undefined)
    query.where((by) =>
      by
        .where('credential_id', actor)
        .orWhere((named) => named.where('credential_name', actor).whereNot('credential_kind', 'person')),
    );
  const filters = soughtIn(sought);
  for (const filter of filters) query.whereIn('number', numbersOf(knex, tenant, filter));
  const rows = (await query).map(auditRow);
  if (filters.length === 0) return rows;
  return await Promise.all(rows.map((row) => onlyOf(knex, tenant, row, filters)));
}

function soughtIn({ record, subject }: AuditFilter): Sought[] {
  return [...(record === undefined ? [] : [{ record }]), ...(subject === undefined ? [] : [{ subject }])];
}

/** The revisions that changed what is sought, as far as history goes back. */
function numbersOf(knex: Knex, tenant: string, filter: Sought): Knex.QueryBuilder {
  return presentOf(knex, tenant, filter)
    .select('revision')
    .union([versionsOf(knex, tenant, filter).select('revision'), versionsOf(knex, tenant, filter).select('until')]);
}

function versionsOf(knex: Knex, tenant: string, filter: Sought): Knex.QueryBuilder {
  const versions = knex('record_versions').where('tenant_id', tenant);
  if ('record' in filter) return versions.where('address', filter.record);
  const subject = `subject/${filter.subject}`;
  return versions.where((either) => either.where('address', subject).orWhere('entity', subject));
}

function presentOf(knex: Knex, tenant: string, filter: Sought): Knex.QueryBuilder {
  const records = knex('records').where('tenant_id', tenant);
  if ('record' in filter) return records.where('address', filter.record);
  const subject = `subject/${filter.subject}`;
  const own = knex('records').where({ tenant_id: tenant, address: subject }).select('pk');
  const links = knex('record_references').whereIn('to_pk', own).select('from_pk');
  return records.where((either) => either.where('address', subject).orWhereIn('pk', links));
}

/** The row with its changes to what is sought; of a large commit, whose changes are not all listed, from history. */
async function onlyOf(knex: Knex, tenant: string, row: AuditRow, filters: readonly Sought[]): Promise<AuditRow> {
  const listed = row.truncated ? await changesAt(knex, tenant, row.revision, filters) : row.changes;
  const changes = listed.filter(({ address, from }) =>
    filters.every((filter) => isSought(address, filter) || (from !== undefined && isSought(from, filter))),
  );
  return { ...row, changes, truncated: false };
}

function isSought(address: string, filter: Sought): boolean {
  if ('record' in filter) return address === filter.record;
  const subject = `subject/${filter.subject}`;
  return address === subject || `${address}//`.includes(`//${subject}//`);
}

async function changesAt(
  knex: Knex,
  tenant: string,
  revision: number,
  [filter]: readonly Sought[],
): Promise<AuditedChange[]> {
  if (filter === undefined) return [];
  const addresses = async (query: Knex.QueryBuilder, where: object) =>
    ((await query.where(where).select('address')) as { address: string }[]).map(({ address }) => address);
  const begun = new Set([
    ...(await addresses(presentOf(knex, tenant, filter), { revision })),
    ...(await addresses(versionsOf(knex, tenant, filter), { revision })),
  ]);
  const ended = new Set(await addresses(versionsOf(knex, tenant, filter), { until: revision }));
  return [...new Set([...begun, ...ended])].sort().map((address) => ({
    op: begun.has(address) ? (ended.has(address) ? 'update' : 'create') : 'delete',
    address,
  }));
}

function auditRow(row: RevisionRow): AuditRow {
  return {
    revision: Number(row.number),
    digest: row.digest,
    at: row.at,
    request_id: row.request_id,
    credential: { kind: row.credential_kind, id: row.credential_id, name: row.credential_name },
    ...(row.stack === null ? {} : { stack: row.stack }),
    ...(row.source === null ? {} : { source: JSON.parse(row.source) }),
    counts: { added: row.added, changed: row.changed, removed: row.removed },
    changes: JSON.parse(row.changes),
    truncated: Boolean(row.truncated),
  };
}
