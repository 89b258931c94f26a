import { isCredential } from '@authz-service/core/records/kinds';
import type { Knex } from 'knex';
import { listAudit } from './audit-trail.js';
import { commitsSince, credentialRows, credentialsSince } from './changes-since.js';
import { type CommitBasis, readCommitBasis, revisionAfter, type TenantRevision } from './commit-basis.js';
import { consoleSessions } from './console-sessions.js';
import { credentialSwitch } from './credential-switch.js';
import { credentialUses } from './credential-uses.js';
import type { Dialect } from './dialect.js';
import { directoryBrakes } from './directory-brakes.js';
import { epochStore } from './epoch-store.js';
import { eraseHistory } from './erase-history.js';
import { idempotencyKeys } from './idempotency-keys.js';
import { keptAgents } from './kept-agents.js';
import { keyStore } from './key-store.js';
import { loadTenant } from './load-tenant.js';
import { pruneAudit, pruneHistory } from './prune.js';
import { noteOrigins, readOrigins } from './record-origins.js';
import { findRevision, historyStart, newestCommits, readPast } from './record-versions.js';
import { signOffs } from './sign-offs.js';
import { sendInTurn } from './statement.js';
import {
  type Commit,
  type CommitNotice,
  type JudgeOperators,
  type Store,
  TakenNameError,
  type TenantRow,
  type TenantStore,
} from './store.js';
import type { StoreOfAll } from './store-of-all.js';
import { syncLeases } from './sync-leases.js';
import { listTenantEvents, lostTenants, noteTenantEvent, tenantEventsAfter } from './tenant-events.js';
import { tenantUse } from './tenant-use.js';
import { writeCommit } from './write-commit.js';

/** Methods that each database has in its own way. */
type Apart = 'writability' | 'listen' | 'position';

/** The store on a migrated database that knex connects to. `release` is called when everything is closed. */
export function knexStore(knex: Knex, dialect: Dialect, release: () => Promise<void>): Omit<Store, Apart> {
  const { reading, snapshot, writing } = dialect;
  const revisions = new Map<string, TenantRevision>();
  /** Runs a transaction and notifies others of it; `notify` adds to that. */
  const notifying = async <T>(work: (trx: Knex, notify: (notice: CommitNotice) => void) => Promise<T>): Promise<T> => {
    let all: CommitNotice[] = [];
    const result = await writing((trx) => {
      all = [];
      return work(trx, (one) => void all.push(one));
    });
    dialect.notify(all);
    return result;
  };
  /** Runs a transaction in which no operator's credential changes otherwise. */
  const judged = <T>(
    judge: JudgeOperators | undefined,
    work: (trx: Knex, notify: (notice: CommitNotice) => void) => Promise<T>,
  ): Promise<T> =>
    notifying(async (trx, notify) => {
      await dialect.lock(trx, 'operators');
      judge?.(await operators(trx));
      return await work(trx, notify);
    });
  /** The parts that concern all tenants, in a transaction. */
  const ofAll = (trx: Knex, notify: (notice: CommitNotice) => void): StoreOfAll => {
    const here = <T>(work: (trx: Knex) => Promise<T>): Promise<T> => work(trx);
    const within = { ...dialect, reading: here, snapshot: here, writing: here };
    const judgedHere: typeof judged = async (judge, work) => {
      judge?.(await operators(trx));
      return await work(trx, notify);
    };
    return {
      ...consoleSessions(within),
      ...credentialSwitch(within, judgedHere),
      ...keptAgents(within),
      ...epochStore(within),
      ...keyStore(within),
    };
  };
  const write = async (trx: Knex, commit: Commit, ready?: CommitBasis): Promise<void> => {
    const basis = ready ?? (await readCommitBasis(trx, dialect, commit, revisions.get(commit.tenant)));
    await writeCommit(trx, dialect, { commit, basis }, operators);
    revisions.set(commit.tenant, revisionAfter(commit, basis));
  };
  /** Returns what commits to one tenant need, on a connection of its own or in a transaction. */
  const tenantStore = (db: Knex, commit: TenantStore['commit'], read: Dialect['snapshot'] = snapshot): TenantStore => ({
    commit: (wanted) =>
      commit(wanted).catch((error: unknown) => {
        // It may have been refused because of what was remembered.
        revisions.delete(wanted.tenant);
        throw error;
      }),
    commitsSince: async (tenant, known) => {
      const { changes, current } = await commitsSince(db, tenant, known);
      revisions.set(tenant, current);
      return changes;
    },
    credentialsSince: (tenants) => read((trx) => credentialsSince(trx, tenants)),
    noteOrigins: (note) => noteOrigins(db, note),
    findIdempotent: (key) => idempotencyKeys.find(db, key),
    saveIdempotent: (row) => sendInTurn(db, idempotencyKeys.saving(row)),
  });
  const storeCommit: TenantStore['commit'] = async (commit) => {
    // Others wait only for what must be done under the lock. A process that is alone counts its keys in the transaction.
    const basis = dialect.shared
      ? await readCommitBasis(knex, dialect, commit, revisions.get(commit.tenant))
      : undefined;
    await notifying(async (trx, notify) => {
      await write(trx, commit, basis);
      notify(noticeOf(commit));
    });
  };

  return {
    shared: dialect.shared,

    ...tenantStore(knex, storeCommit),

    noteOrigins: (note) => writing((trx) => noteOrigins(trx, note)),

    saveIdempotent: (row) => writing((trx) => sendInTurn(trx, idempotencyKeys.saving(row))),

    locked: (tenant, { judged: touchesOperators }, work) =>
      notifying(async (trx, notify) => {
        // Everybody who takes both locks takes this one first.
        if (touchesOperators) await dialect.lock(trx, 'operators');
        await dialect.lockTenant(trx, tenant);
        const commit = async (wanted: Commit) => {
          await write(trx, wanted);
          notify(noticeOf(wanted));
        };
        return await work(tenantStore(trx, commit, (read) => read(trx)));
      }),

    alone: (work) =>
      dialect.shared
        ? writing(async (trx) => {
            await dialect.lock(trx, 'start');
            return await work();
          })
        : work(),

    atOnce: (work) => judged(undefined, (trx, notify) => work(ofAll(trx, notify))),

    tenants: () =>
      reading(async (db) => await db<TenantRow>('tenants').select('id', 'name', 'created_at').orderBy('name')),

    lostTenants: () => reading(lostTenants),

    createTenant: (tenant, first, judge) =>
      judged(judge, async (trx, notify) => {
        if ((await trx('tenants').where('name', tenant.name).first('id')) !== undefined)
          throw new TakenNameError(tenant.name);
        await trx('tenants').insert({ ...tenant, revision: first.base, history_start: first.revision });
        await write(trx, first);
        await noteTenantEvent(trx, 'create', tenant, first.audit);
        notify({ ...noticeOf(first), atLarge: true });
      }),

    deleteTenant: ({ id, name }, by, judge) =>
      judged(judge, async (trx, notify) => {
        await dialect.lockTenant(trx, id);
        const own = trx('records').select('pk').where('tenant_id', id);
        await trx('record_references').whereIn('from_pk', own).delete();
        await trx('records').where('tenant_id', id).delete();
        const deleted = await trx('tenants').where('id', id).delete();
        if (deleted === 0) return false;
        await noteTenantEvent(trx, 'delete', { id, name }, by);
        revisions.delete(id);
        notify({ tenant: id, revision: 0, atLarge: true });
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

    ...consoleSessions(dialect),
    ...credentialSwitch(dialect, judged),
    ...credentialUses(dialect),
    ...directoryBrakes(dialect),
    ...signOffs(dialect),
    ...syncLeases(dialect),
    ...tenantUse(dialect),

    ...keptAgents(dialect),
    ...epochStore(dialect),

    ...keyStore({
      ...dialect,
      // Others must learn of a key as soon as it signs.
      writing: (work) =>
        notifying((trx, notify) => {
          notify({ tenant: '', revision: 0, atLarge: true });
          return work(trx);
        }),
    }),

    close: async () => {
      await knex.destroy();
      await release();
    },
  };
}

function noticeOf({ tenant, revision, put, remove }: Commit): CommitNotice {
  const touched = [...put.map(({ record }) => record), ...remove];
  return { tenant, revision, atLarge: touched.some(({ kind }) => isCredential(kind)) };
}

function operators(trx: Knex): ReturnType<typeof credentialRows> {
  return credentialRows(trx, (query) => query.where('operator', true));
}
