import { CREDENTIAL_KINDS } from '@authz-service/core/records/kinds';
import type { Knex } from 'knex';
import { type RecordRow, storedRecord } from './load-tenant.js';
import { findRevision, newestCommits } from './record-versions.js';
import type { SecretRow } from './secret-rows.js';
import {
  type CredentialKind,
  type CredentialRow,
  type News,
  NoTenantError,
  type RevisionPoint,
  type StorePosition,
  type TenantCredentials,
  type TenantEvent,
} from './store.js';
import { eventPoint, NO_EVENT } from './tenant-events.js';

/** The most commits and changes that are told one by one. */
const TOLD = { commits: 1000, changes: 10_000 };

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
      knex.raw('(select max(number) from epochs) as epoch'),
    );
  const [first] = rows;
  return {
    revisions: new Map(rows.flatMap(({ id, revision }) => (id === null ? [] : [[id, Number(revision)]]))),
    rowDigests: new Map(rows.flatMap(({ id, row_digest }) => (id === null ? [] : [[id, row_digest ?? '']]))),
    event: first?.number ? eventPoint({ ...first, number: first.number }) : NO_EVENT,
    bundleKeys: Number(first?.version ?? 0),
    epoch: Number(first?.epoch ?? 0),
  };
}

/** See `TenantStore.commitsSince`. `snapshot` reads one state. */
export async function commitsSince(
  knex: Knex,
  snapshot: <T>(work: (trx: Knex) => Promise<T>) => Promise<T>,
  tenant: string,
  known: Pick<RevisionPoint, 'revision' | 'digest'>,
): Promise<News | undefined> {
  const now = await standing(knex, tenant);
  const { revision: since, digest } = known;
  if (now.revision === since) return now.digest === digest ? { ...NOTHING, ...known } : undefined;
  return await snapshot(async (trx) => {
    const { revision, history_start } = await standing(trx, tenant);
    const newest = await findRevision(trx, tenant, { number: Number(revision) });
    if (newest === undefined || since < Number(history_start)) return undefined;
    const present: RecordRow[] = await trx('records').where('tenant_id', tenant).andWhere('revision', '>', since);
    const ended: { address: string }[] = await trx('record_versions')
      .where('tenant_id', tenant)
      .andWhere('until', '>', since)
      .distinct('address');
    const put = present.map((row) => storedRecord(row, tenant));
    const there = new Set(put.map(({ address }) => address));
    const commits = await newestCommits(trx, tenant, { ...TOLD, since });
    return {
      ...newest,
      put,
      gone: ended.flatMap(({ address }) => (there.has(address) ? [] : [address])),
      commits: commits.length === newest.revision - since ? commits : undefined,
    };
  });
}

const NOTHING = { at: '', put: [], gone: [], commits: [] };

interface Standing {
  revision: number;
  history_start: number;
  digest: string;
}

async function standing(knex: Knex, tenant: string): Promise<Standing> {
  const row = await knex('tenants')
    .join('revisions', { 'revisions.tenant_id': 'tenants.id', 'revisions.number': 'tenants.revision' })
    .where('tenants.id', tenant)
    .first<Standing | undefined>('tenants.revision', 'tenants.history_start', 'revisions.digest');
  if (row === undefined) throw new NoTenantError(tenant);
  return { ...row, revision: Number(row.revision), history_start: Number(row.history_start) };
}

/** See `TenantStore.credentialsSince`. `trx` sees one state. */
export async function credentialsSince(
  trx: Knex,
  tenants: readonly { tenant: string; since: number }[],
): Promise<TenantCredentials[]> {
  const found: TenantCredentials[] = [];
  for (const { tenant, since } of tenants) {
    const row = await trx('tenants')
      .where('id', tenant)
      .first<{ revision: number; history_start: number } | undefined>('revision', 'history_start');
    if (row === undefined) continue;
    const changed = since < Number(row.history_start) || (await haveChanged(trx, tenant, since));
    const rows = changed ? await credentialRows(trx, (query) => query.where('tenant_id', tenant)) : undefined;
    found.push({ tenant, revision: Number(row.revision), rows });
  }
  return found;
}

async function haveChanged(trx: Knex, tenant: string, since: number): Promise<boolean> {
  const own = (table: string, column: string) =>
    trx(table).where('tenant_id', tenant).whereIn('kind', CREDENTIAL_KINDS).andWhere(column, '>', since).first('kind');
  return (await own('records', 'revision')) !== undefined || (await own('record_versions', 'until')) !== undefined;
}

/** Credentials with the hashes of their secrets. */
export async function credentialRows(
  knex: Knex,
  where: (query: Knex.QueryBuilder) => Knex.QueryBuilder = (query) => query,
): Promise<CredentialRow[]> {
  const rows: (RecordRow & SecretRow & { off_since: string | null })[] = await where(
    knex('records').join('secrets', 'secrets.record_pk', 'records.pk'),
  ).select('records.*', 'secrets.hash', 'secrets.operator', 'secrets.off_since');
  return rows.map((row) => ({
    tenant: row.tenant_id,
    kind: row.kind as CredentialKind,
    id: row.id,
    fields: JSON.parse(row.fields),
    hash: row.hash,
    operator: Boolean(row.operator),
    ...(row.off_since !== null && { off_since: row.off_since }),
  }));
}
