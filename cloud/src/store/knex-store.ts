import type { Knex } from 'knex';
import { listAudit } from './audit-trail.js';
import { consoleSessions } from './console-sessions.js';
import { eraseHistory } from './erase-history.js';
import { loadTenant, type RecordRow } from './load-tenant.js';
import { findRevision, historyStart, newestCommits, pruneHistory, readPast } from './record-versions.js';
import { rowDigestAfter } from './row-digest-after.js';
import type { SecretRow } from './secret-rows.js';
import {
  type BundleKeyRow,
  type Commit,
  type CredentialKind,
  type CredentialRow,
  type IdempotencyKey,
  type IdempotencyRow,
  type SigningKeyRow,
  StaleStoreError,
  type Store,
  type TenantRow,
} from './store.js';
import { listTenantEvents, lostTenants, noteTenantEvent } from './tenant-events.js';
import { writeRecords } from './write-records.js';

/** The store on a migrated database that knex connects to. `release` is called when everything is closed. */
export function knexStore(knex: Knex, release: () => Promise<void>): Omit<Store, 'writability'> {
  return {
    tenants: async () => await knex<TenantRow>('tenants').select('id', 'name', 'created_at').orderBy('name'),

    lostTenants: () => lostTenants(knex),

    createTenant: (tenant, first) =>
      knex.transaction(async (trx) => {
        await trx('tenants').insert({ ...tenant, revision: first.base, history_start: first.revision });
        await write(trx, first);
        await noteTenantEvent(trx, 'create', tenant, first.audit);
      }),

    deleteTenant: ({ id, name }, by) =>
      knex.transaction(async (trx) => {
        await noteTenantEvent(trx, 'delete', { id, name }, by);
        const own = trx('records').select('pk').where('tenant_id', id);
        await trx('record_references').whereIn('from_pk', own).delete();
        await trx('records').where('tenant_id', id).delete();
        await trx('tenants').where('id', id).delete();
      }),

    tenantEvents: (page) => listTenantEvents(knex, page),

    load: (tenant) => knex.transaction((trx) => loadTenant(trx, tenant)),

    commit: (commit) => knex.transaction((trx) => write(trx, commit)),

    audit: (tenant, page) => listAudit(knex, tenant, page),

    historyStart: (tenant) => historyStart(knex, tenant),

    findRevision: (tenant, wanted) => findRevision(knex, tenant, wanted),

    readPast: (tenant, revision, after) => readPast(knex, tenant, revision, after),

    newestCommits: (tenant, bounds) => newestCommits(knex, tenant, bounds),

    eraseHistory: (erasure) => eraseHistory(knex, erasure),

    pruneHistory: (before) => pruneHistory(knex, before),

    credentials: async () => {
      const rows: (RecordRow & SecretRow)[] = await knex('records')
        .join('secrets', 'secrets.record_pk', 'records.pk')
        .select('records.*', 'secrets.hash', 'secrets.operator');
      return rows.map(credentialRow);
    },

    findIdempotent: async ({ tenant, credential, key }) => {
      const row = await knex('idempotency_keys')
        .where({ tenant_id: tenant, credential_id: credential, key })
        .first<IdempotencyRow | undefined>();
      return row && { tenant, credential, key, ...pickResponse(row) };
    },

    saveIdempotent: (row) => saveIdempotent(knex, row),

    purgeIdempotent: async (before) => {
      await knex('idempotency_keys').where('created_at', '<', before).delete();
    },

    ...consoleSessions(knex),

    signingKeys: async () => await knex<SigningKeyRow>('signing_keys').orderBy('created_at'),

    addSigningKey: async (row) => {
      await knex('signing_keys').insert(row);
    },

    bundleKeys: async () => await knex<BundleKeyRow>('bundle_keys').orderBy('version'),

    addBundleKey: async (row) => {
      await knex('bundle_keys').insert(row);
    },

    close: async () => {
      await knex.destroy();
      await release();
    },
  };
}

async function write(trx: Knex, commit: Commit): Promise<void> {
  const moved = await trx('tenants')
    .where({ id: commit.tenant, revision: commit.base })
    .update({ revision: commit.revision });
  if (moved !== 1) throw new StaleStoreError(commit.tenant, commit.base);
  const rowDigest = await rowDigestAfter(trx, commit);
  await writeRecords(trx, commit);
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
  if (commit.idempotency) await saveIdempotent(trx, commit.idempotency);
}

async function saveIdempotent(knex: Knex, row: IdempotencyRow): Promise<void> {
  const { tenant, credential, ...rest } = row;
  await knex('idempotency_keys')
    .insert({ tenant_id: tenant, credential_id: credential, ...rest })
    .onConflict(['tenant_id', 'credential_id', 'key'])
    .merge();
}

function credentialRow(row: RecordRow & SecretRow): CredentialRow {
  return {
    tenant: row.tenant_id,
    kind: row.kind as CredentialKind,
    id: row.id,
    fields: JSON.parse(row.fields),
    hash: row.hash,
    operator: Boolean(row.operator),
  };
}

function pickResponse(row: IdempotencyRow): Omit<IdempotencyRow, keyof IdempotencyKey> {
  return { request_hash: row.request_hash, response: row.response, created_at: row.created_at };
}
