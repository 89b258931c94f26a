import { isCredential } from '@authz-service/core/records/kinds';
import type { Knex } from 'knex';
import { listAudit } from './audit-trail.js';
import { consoleSessions } from './console-sessions.js';
import { credentialSwitch } from './credential-switch.js';
import { credentialUses } from './credential-uses.js';
import type { Dialect } from './dialect.js';
import { epochStore } from './epoch-store.js';
import { eraseHistory } from './erase-history.js';
import { type Footing, readFooting, type Standing, standingAfter } from './footing.js';
import { idempotencyKeys } from './idempotency-keys.js';
import { keptAgents } from './kept-agents.js';
import { keyStore } from './key-store.js';
import { loadTenant } from './load-tenant.js';
import { commitsSince, credentialRows, credentialsSince } from './news.js';
import { pruneAudit, pruneHistory } from './prune.js';
import { noteOrigins, readOrigins } from './record-origins.js';
import { findRevision, historyStart, newestCommits, readPast } from './record-versions.js';
import { signOffs } from './sign-offs.js';
import { sendInTurn } from './statement.js';
import {
  type Commit,
  type JudgeOperators,
  type Store,
  TakenNameError,
  type TenantRow,
  type TenantStore,
  type Told,
} from './store.js';
import type { StoreOfAll } from './store-of-all.js';
import { listTenantEvents, lostTenants, noteTenantEvent, tenantEventsAfter } from './tenant-events.js';
import { tenantUse } from './tenant-use.js';
import { writeCommit } from './write-commit.js';

/** Methods that each database has in its own way. */
type Apart = 'writability' | 'listen' | 'position';

/** The store on a migrated database that knex connects to. `release` is called when everything is closed. */
export function knexStore(knex: Knex, dialect: Dialect, release: () => Promise<void>): Omit<Store, Apart> {
  const { reading, snapshot, writing } = dialect;
  const standings = new Map<string, Standing>();
  /** Runs a transaction and tells others of it; `tell` is what it may add to that. */
  const told = async <T>(work: (trx: Knex, tell: (told: Told) => void) => Promise<T>): Promise<T> => {
    let all: Told[] = [];
    const result = await writing((trx) => {
      all = [];
      return work(trx, (one) => void all.push(one));
    });
    dialect.tell(all);
    return result;
  };
  /** Runs a transaction in which no operator's credential changes otherwise. */
  const judged = <T>(
    judge: JudgeOperators | undefined,
    work: (trx: Knex, tell: (told: Told) => void) => Promise<T>,
  ): Promise<T> =>
    told(async (trx, tell) => {
      await dialect.lock(trx, 'operators');
      judge?.(await operators(trx));
      return await work(trx, tell);
    });
  /** The parts that concern all tenants, in a transaction. */
  const ofAll = (trx: Knex, tell: (told: Told) => void): StoreOfAll => {
    const here = <T>(work: (trx: Knex) => Promise<T>): Promise<T> => work(trx);
    const within = { ...dialect, reading: here, snapshot: here, writing: here };
    const judgedHere: typeof judged = async (judge, work) => {
      judge?.(await operators(trx));
      return await work(trx, tell);
    };
    return {
      ...consoleSessions(within),
      ...credentialSwitch(within, judgedHere),
      ...keptAgents(within),
      ...epochStore(within),
      ...keyStore(within),
    };
  };
  const write = async (trx: Knex, commit: Commit, ready?: Footing): Promise<void> => {
    const footing = ready ?? (await readFooting(trx, dialect, commit, standings.get(commit.tenant)));
    await writeCommit(trx, dialect, { commit, footing }, operators);
    standings.set(commit.tenant, standingAfter(commit, footing));
  };
  /** Returns what commits to one tenant need, on a connection of its own or in a transaction. */
  const tenantStore = (db: Knex, commit: TenantStore['commit'], read: Dialect['snapshot'] = snapshot): TenantStore => ({
    commit: (wanted) =>
      commit(wanted).catch((error: unknown) => {
        // It may have been refused because of what was remembered.
        standings.delete(wanted.tenant);
        throw error;
      }),
    commitsSince: async (tenant, known) => {
      const { news, standing } = await commitsSince(db, tenant, known);
      standings.set(tenant, standing);
      return news;
    },
    credentialsSince: (tenants) => read((trx) => credentialsSince(trx, tenants)),
    noteOrigins: (note) => noteOrigins(db, note),
    findIdempotent: (key) => idempotencyKeys.find(db, key),
    saveIdempotent: (row) => sendInTurn(db, idempotencyKeys.saving(row)),
  });
  const storeCommit: TenantStore['commit'] = async (commit) => {
    // Others wait only for what must be done under the lock. A process that is alone counts its keys in the transaction.
    const footing = dialect.shared ? await readFooting(knex, dialect, commit, standings.get(commit.tenant)) : undefined;
    await told(async (trx, tell) => {
      await write(trx, commit, footing);
      tell(toldOf(commit));
    });
  };

  return {
    shared: dialect.shared,

    ...tenantStore(knex, storeCommit),

    noteOrigins: (note) => writing((trx) => noteOrigins(trx, note)),

    saveIdempotent: (row) => writing((trx) => sendInTurn(trx, idempotencyKeys.saving(row))),

    locked: (tenant, { judged: touchesOperators }, work) =>
      told(async (trx, tell) => {
        // Everybody who takes both locks takes this one first.
        if (touchesOperators) await dialect.lock(trx, 'operators');
        await dialect.lockTenant(trx, tenant);
        const commit = async (wanted: Commit) => {
          await write(trx, wanted);
          tell(toldOf(wanted));
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

    atOnce: (work) => judged(undefined, (trx, tell) => work(ofAll(trx, tell))),

    tenants: () =>
      reading(async (db) => await db<TenantRow>('tenants').select('id', 'name', 'created_at').orderBy('name')),

    lostTenants: () => reading(lostTenants),

    createTenant: (tenant, first, judge) =>
      judged(judge, async (trx, tell) => {
        if ((await trx('tenants').where('name', tenant.name).first('id')) !== undefined)
          throw new TakenNameError(tenant.name);
        await trx('tenants').insert({ ...tenant, revision: first.base, history_start: first.revision });
        await write(trx, first);
        await noteTenantEvent(trx, 'create', tenant, first.audit);
        tell({ ...toldOf(first), atLarge: true });
      }),

    deleteTenant: ({ id, name }, by, judge) =>
      judged(judge, async (trx, tell) => {
        await dialect.lockTenant(trx, id);
        const own = trx('records').select('pk').where('tenant_id', id);
        await trx('record_references').whereIn('from_pk', own).delete();
        await trx('records').where('tenant_id', id).delete();
        const deleted = await trx('tenants').where('id', id).delete();
        if (deleted === 0) return false;
        await noteTenantEvent(trx, 'delete', { id, name }, by);
        standings.delete(id);
        tell({ tenant: id, revision: 0, atLarge: true });
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
    ...signOffs(dialect),
    ...tenantUse(dialect),

    ...keptAgents(dialect),
    ...epochStore(dialect),

    ...keyStore({
      ...dialect,
      // Others must hear of a key as soon as it signs.
      writing: (work) =>
        told((trx, tell) => {
          tell({ tenant: '', revision: 0, atLarge: true });
          return work(trx);
        }),
    }),

    close: async () => {
      await knex.destroy();
      await release();
    },
  };
}

function toldOf({ tenant, revision, put, remove }: Commit): Told {
  const touched = [...put.map(({ record }) => record), ...remove];
  return { tenant, revision, atLarge: touched.some(({ kind }) => isCredential(kind)) };
}

function operators(trx: Knex): ReturnType<typeof credentialRows> {
  return credentialRows(trx, (query) => query.where('operator', true));
}
