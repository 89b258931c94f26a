import type { Knex } from 'knex';
import { listAudit } from './audit-trail.js';
import { consoleSessions } from './console-sessions.js';
import { credentialSwitch } from './credential-switch.js';
import { credentialUses } from './credential-uses.js';
import type { Dialect } from './dialect.js';
import { epochStore } from './epoch-store.js';
import { eraseHistory } from './erase-history.js';
import { idempotencyKeys } from './idempotency-keys.js';
import { keptAgents } from './kept-agents.js';
import { loadTenant } from './load-tenant.js';
import { commitsSince, credentialRows, credentialsSince } from './news.js';
import { pruneAudit, pruneHistory } from './prune.js';
import { noteOrigins, readOrigins } from './record-origins.js';
import { findRevision, historyStart, newestCommits, readPast } from './record-versions.js';
import { signOffs } from './sign-offs.js';
import {
  type BundleKeyRow,
  type JudgeOperators,
  type SigningKeyRow,
  type Store,
  TakenNameError,
  type TenantRow,
  type TenantStore,
} from './store.js';
import { listTenantEvents, lostTenants, noteTenantEvent, tenantEventsAfter } from './tenant-events.js';
import { tenantUse } from './tenant-use.js';
import { writeCommit } from './write-commit.js';

/** What a database of its own does in its own way. */
type Apart = 'writability' | 'listen' | 'position';

/** The store on a migrated database that knex connects to. `release` is called when everything is closed. */
export function knexStore(knex: Knex, dialect: Dialect, release: () => Promise<void>): Omit<Store, Apart> {
  const { reading, snapshot, writing } = dialect;
  /** Runs a transaction in which no operator's credential changes otherwise. */
  const judged = <T>(judge: JudgeOperators | undefined, work: (trx: Knex) => Promise<T>): Promise<T> =>
    writing(async (trx) => {
      await dialect.lock(trx, 'operators');
      judge?.(await operators(trx));
      return await work(trx);
    });

  return {
    shared: dialect.shared,

    ...tenantStore(knex, dialect),

    commit: (commit) => writing((trx) => writeCommit(trx, dialect, commit, operators)),

    noteOrigins: (note) => writing((trx) => noteOrigins(trx, note)),

    saveIdempotent: (row) => writing((trx) => idempotencyKeys.save(trx, row)),

    locked: (tenant, { judged: touchesOperators }, work) =>
      writing(async (trx) => {
        // Everybody who takes both locks takes this one first.
        if (touchesOperators) await dialect.lock(trx, 'operators');
        await dialect.lockTenant(trx, tenant);
        return await work(tenantStore(trx, { ...dialect, snapshot: (read) => read(trx) }));
      }),

    alone: (work) =>
      dialect.shared
        ? writing(async (trx) => {
            await dialect.lock(trx, 'start');
            return await work();
          })
        : work(),

    tenants: () =>
      reading(async (db) => await db<TenantRow>('tenants').select('id', 'name', 'created_at').orderBy('name')),

    lostTenants: () => reading(lostTenants),

    createTenant: (tenant, first, judge) =>
      judged(judge, async (trx) => {
        if ((await trx('tenants').where('name', tenant.name).first('id')) !== undefined)
          throw new TakenNameError(tenant.name);
        await trx('tenants').insert({ ...tenant, revision: first.base, history_start: first.revision });
        await writeCommit(trx, dialect, first, operators);
        await noteTenantEvent(trx, 'create', tenant, first.audit);
      }),

    deleteTenant: ({ id, name }, by, judge) =>
      judged(judge, async (trx) => {
        await dialect.lockTenant(trx, id);
        const own = trx('records').select('pk').where('tenant_id', id);
        await trx('record_references').whereIn('from_pk', own).delete();
        await trx('records').where('tenant_id', id).delete();
        const deleted = await trx('tenants').where('id', id).delete();
        if (deleted === 0) return false;
        await noteTenantEvent(trx, 'delete', { id, name }, by);
        await dialect.tell(trx, id, 0);
        return true;
      }),

    tenantEvents: (page) => reading((db) => listTenantEvents(db, page)),

    tenantEventsAfter: (known) => reading((db) => tenantEventsAfter(db, known)),

    load: (tenant, take) => reading((db) => loadTenant(db, dialect.json, tenant, take)),

    origins: (tenant, addresses) => reading((db) => readOrigins(db, tenant, addresses)),

    audit: (tenant, page) => reading((db) => listAudit(db, tenant, page)),

    historyStart: (tenant) => reading((db) => historyStart(db, tenant)),

    findRevision: (tenant, wanted) => reading((db) => findRevision(db, tenant, wanted)),

    readPast: (tenant, revision, after) => reading((db) => readPast(db, tenant, revision, after)),

    newestCommits: (tenant, bounds) => snapshot((trx) => newestCommits(trx, tenant, bounds)),

    eraseHistory: (erasure) => eraseHistory(dialect, erasure),

    pruneHistory: (before) => pruneHistory(dialect, before),
    pruneAudit: (before) => pruneAudit(dialect, before),

    credentials: () => reading((db) => credentialRows(db)),

    purgeIdempotent: (before) => writing((trx) => idempotencyKeys.purge(trx, before)),

    signingKeys: () => reading(async (db) => await db<SigningKeyRow>('signing_keys').orderBy('created_at')),

    addSigningKey: (row) =>
      writing(async (trx) => {
        await trx('signing_keys').insert(row);
      }),

    ...consoleSessions(dialect),
    ...credentialSwitch(dialect, judged),
    ...credentialUses(dialect),
    ...signOffs(dialect),
    ...tenantUse(dialect),

    ...keptAgents(dialect),
    ...epochStore(dialect),

    bundleKeys: () => reading(async (db) => await db<BundleKeyRow>('bundle_keys').orderBy('version')),

    addBundleKey: (row) =>
      writing(async (trx) => {
        await trx('bundle_keys').insert(row);
      }),

    close: async () => {
      await knex.destroy();
      await release();
    },
  };
}

/** What commits to one tenant need, on a connection of its own or in a transaction. */
function tenantStore(knex: Knex, dialect: Dialect): TenantStore {
  return {
    commit: (commit) => writeCommit(knex, dialect, commit, operators),
    commitsSince: (tenant, known) => commitsSince(knex, dialect.snapshot, tenant, known),
    credentialsSince: (tenants) => dialect.snapshot((trx) => credentialsSince(trx, tenants)),
    noteOrigins: (note) => noteOrigins(knex, note),
    findIdempotent: (key) => idempotencyKeys.find(knex, key),
    saveIdempotent: (row) => idempotencyKeys.save(knex, row),
  };
}

function operators(trx: Knex): ReturnType<typeof credentialRows> {
  return credentialRows(trx, (query) => query.where('operator', true));
}
