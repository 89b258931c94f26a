import { CREDENTIAL_KINDS } from '@authz-service/core/records/kinds';
import type { Knex } from 'knex';
import { inParts } from './batch.js';
import type { TenantRevision } from './commit-basis.js';
import { type RecordRow, storedRecord } from './load-tenant.js';
import { fillCommits, keptCommits } from './record-versions.js';
import { SECRET_COLUMNS, type SecretRow, storedSecret } from './secret-rows.js';
import { rowsOf } from './statement.js';
import {
  type ChangesSince,
  type CredentialKind,
  type CredentialRow,
  NoTenantError,
  type RevisionPoint,
  type StorePosition,
  type TenantCredentials,
  type TenantEvent,
} from './store.js';
import { eventPoint, NO_EVENT } from './tenant-events.js';

/** The most commits and changes that are listed one by one. */
const LISTED_MAX = { commits: 1000, changes: 10_000 };

interface Row {
  id: string | null;
  revision: number;
  row_digest: string | null;
  number: number | null;
  op: TenantEvent['op'];
  at: string;
  tenant_id: string;
  request_id: string;
  version: number | null;
  token_keys: number | null;
  epoch: number | null;
}

/** See `Store.position`: one statement, so that it sees one state. */
export async function position(knex: Knex): Promise<StorePosition> {
  const rows: Row[] = await knex
    .from(knex.raw('(select 1 as one) as one'))
    .joinRaw('left join tenants on 1 = 1')
    .leftJoin('revisions', { 'revisions.tenant_id': 'tenants.id', 'revisions.number': 'tenants.revision' })
    .leftJoin('tenant_events', 'tenant_events.number', knex.raw('(select max(number) from tenant_events)'))
    .select(
      'tenants.id',
      'tenants.revision',
      'revisions.row_digest',
      'tenant_events.number',
      'tenant_events.op',
      'tenant_events.at',
      'tenant_events.tenant_id',
      'tenant_events.request_id',
      knex.raw('(select max(version) from bundle_keys) as version'),
      knex.raw('(select max(version) from signing_keys) as token_keys'),
      knex.raw('(select max(number) from epochs) as epoch'),
    );
  const [first] = rows;
  return {
    revisions: new Map(rows.flatMap(({ id, revision }) => (id === null ? [] : [[id, Number(revision)]]))),
    rowDigests: new Map(rows.flatMap(({ id, row_digest }) => (id === null ? [] : [[id, row_digest ?? '']]))),
    event: first?.number ? eventPoint({ ...first, number: first.number }) : NO_EVENT,
    bundleKeys: Number(first?.version ?? 0),
    tokenKeys: Number(first?.token_keys ?? 0),
    epoch: Number(first?.epoch ?? 0),
  };
}

/**
 * Selects what is committed after a revision, in one statement, so that it sees one state: where the tenant stands, and, if
 * that is later and history goes back so far, the records since, the versions that they replaced, and the commits from
 * there on.
 */
const SINCE = `
  with newest as (
    select tenants.revision, history_start, digest, row_digest, at
    from tenants join revisions on tenant_id = id and number = tenants.revision where id = :tenant
  ), later as (
    select 1 from newest where history_start <= :since and :since < revision
  )
  select 'newest' as part, revision as number, digest, row_digest, at,
    null as kind, null as id, null as address, null as fields, null as managed_by, null as created_at, null as updated_at,
    history_start as revision from newest
  union all
  select 'record', null, null, null, null, kind, id, address, fields, managed_by, created_at, updated_at, revision
    from records where tenant_id = :tenant and revision > :since and exists (select 1 from later)
  union all
  select case when erased then 'erased' else 'version' end, until, null, null, null,
    kind, id, address, fields, managed_by, created_at, updated_at, revision
    from record_versions where tenant_id = :tenant and until > :since and exists (select 1 from later)
  union all
  select 'commit', number, digest, null, null, null, null, null, null, null, null, null, added + changed + removed
    from revisions where tenant_id = :tenant and number >= :since and exists (select 1 from later)`;

interface SinceRow extends RecordRow {
  part: 'newest' | 'record' | 'erased' | 'version' | 'commit';
  number: number;
  digest: string;
  row_digest: string;
  at: string;
}

/** See `TenantStore.commitsSince`; with the present revision of the tenant. */
export async function commitsSince(
  knex: Knex,
  tenant: string,
  { revision: since, digest }: Pick<RevisionPoint, 'revision' | 'digest'>,
): Promise<{ changes: ChangesSince | undefined; current: TenantRevision }> {
  const rows = await rowsOf<SinceRow>(knex, SINCE, { tenant, since });
  const of = (...parts: SinceRow['part'][]) => rows.filter(({ part }) => parts.includes(part));
  const [newest] = of('newest');
  if (newest === undefined) throw new NoTenantError(tenant);
  const revision = Number(newest.number);
  const current = { revision, digest: newest.digest, rowDigest: newest.row_digest };
  const at = newest.at;
  if (revision === since) {
    const nothing = { revision, digest, at: '', put: [], gone: [], commits: [] };
    return { changes: newest.digest === digest ? nothing : undefined, current };
  }
  if (since < Number(newest.revision)) return { changes: undefined, current };
  const record = (row: SinceRow) => storedRecord(row, tenant);
  const put = of('record').map(record);
  const versions = of('version', 'erased').map((row) => ({ until: Number(row.number), record: record(row) }));
  const there = new Set(put.map(({ address }) => address));
  const gone = new Set(versions.flatMap(({ record: { address } }) => (there.has(address) ? [] : [address])));
  const kept = keptCommits(
    of('commit').map((row) => ({ number: Number(row.number), digest: row.digest, changes: Number(row.revision) })),
    LISTED_MAX,
  );
  fillCommits(kept, { put, versions });
  const complete = of('erased').length === 0 && kept.length === revision - since;
  return {
    changes: { revision, digest: newest.digest, at, put, gone: [...gone], commits: complete ? kept : undefined },
    current,
  };
}

/** See `TenantStore.credentialsSince`. `trx` sees one state. */
export async function credentialsSince(
  trx: Knex,
  tenants: readonly { tenant: string; since: number }[],
): Promise<TenantCredentials[]> {
  const asked = new Map(tenants.map(({ tenant, since }) => [tenant, since]));
  const found: TenantCredentials[] = [];
  await inParts([...asked.keys()], async (ids) => {
    const rows: { id: string; revision: number; history_start: number }[] = await trx('tenants')
      .whereIn('id', ids)
      .select('id', 'revision', 'history_start');
    const last = await lastChanges(trx, ids);
    const changed = new Set(
      rows.flatMap(({ id, history_start }) => {
        const since = asked.get(id) ?? 0;
        return since < Number(history_start) || since < (last.get(id) ?? 0) ? [id] : [];
      }),
    );
    const credentials =
      changed.size === 0 ? [] : await credentialRows(trx, (query) => query.whereIn('tenant_id', [...changed]));
    for (const { id, revision } of rows)
      found.push({
        tenant: id,
        revision: Number(revision),
        rows: changed.has(id) ? credentials.filter(({ tenant }) => tenant === id) : undefined,
      });
  });
  return found;
}

/** The latest revision of each tenant in which a credential was written or removed, as far as history tells. */
async function lastChanges(trx: Knex, tenants: readonly string[]): Promise<Map<string, number>> {
  const last = new Map<string, number>();
  for (const [table, column] of [
    ['records', 'revision'],
    ['record_versions', 'until'],
  ] as const) {
    const rows: { tenant_id: string; last: number }[] = await trx(table)
      .whereIn('tenant_id', tenants)
      .whereIn('kind', CREDENTIAL_KINDS)
      .groupBy('tenant_id')
      .select('tenant_id')
      .max(`${column} as last`);
    for (const row of rows) last.set(row.tenant_id, Math.max(last.get(row.tenant_id) ?? 0, Number(row.last)));
  }
  return last;
}

/** Credentials with the hashes of their secrets. */
export async function credentialRows(
  knex: Knex,
  where: (query: Knex.QueryBuilder) => Knex.QueryBuilder = (query) => query,
): Promise<CredentialRow[]> {
  const rows: (RecordRow & SecretRow & { off_since: string | null })[] = await where(
    knex('records').join('secrets', 'secrets.record_pk', 'records.pk'),
  ).select('records.*', ...SECRET_COLUMNS, 'secrets.off_since');
  return rows.map((row) => ({
    tenant: row.tenant_id,
    kind: row.kind as CredentialKind,
    id: row.id,
    fields: JSON.parse(row.fields),
    ...storedSecret(row),
    ...(row.off_since !== null && { off_since: row.off_since }),
  }));
}
