import { CREDENTIAL_KINDS } from '@authz-service/core/records/kinds';
import type { AgentReport } from '@authz-service/pdp/contract/agent-report';
import { PUBLISHER_PREFIX } from '@authz-service/pdp/contract/publisher-id';
import type { Knex } from 'knex';
import type { AgentRow, AgentStore } from './agent-store.js';
import { inParts, insertRows } from './batch.js';
import type { Dialect } from './dialect.js';
import { noteTenantEvent } from './tenant-events.js';

interface Row {
  tenant_id: string;
  credential_id: string;
  agent_id: string;
  credential_tenant: string;
  credential_name: string;
  report: string;
  first_seen_ms: number;
  enforces: number | null;
  diverged: number | boolean;
  seen_ms: number;
  decides_until_ms: number | null;
}

const KEY = ['tenant_id', 'credential_id', 'agent_id'] as const;
/** Columns that a later report replaces. */
const REPLACED = [
  'credential_tenant',
  'credential_name',
  'report',
  'enforces',
  'diverged',
  'seen_ms',
  'decides_until_ms',
] as const;
const COLUMNS = [...KEY, 'first_seen_ms', ...REPLACED];
const REPLACE = `on conflict (${KEY.join(',')}) do update set ${REPLACED.map((one) => `${one} = excluded.${one}`).join(',')}
  where excluded.seen_ms >= agents.seen_ms or agents.seen_ms > `;
/** By so much the clocks of replicas may differ; a time that is further ahead is of a clock that was set back since. */
const CLOCKS_DIFFER_MS = 10_000;

const BEHIND = '(enforces is null or enforces < ?)';
const DECIDES = '(decides_until_ms is null or decides_until_ms >= ?)';

/** The part of the store that holds what agents have reported. */
export function keptAgents({ reading, writing, lock }: Pick<Dialect, 'reading' | 'writing' | 'lock'>): AgentStore {
  return {
    noteAgents: (rows, bounds, now) =>
      writing(async (trx) => {
        const ids = [...new Set(rows.map(({ tenant }) => tenant))];
        const there = new Set<string>(await trx('tenants').whereIn('id', ids).pluck('id'));
        const known = rows.filter(({ tenant }) => there.has(tenant));
        const { admitted, refused } = await withinBounds(trx, known, bounds);
        // In one order everywhere, so that two that note the same agents wait for each other and not both.
        const before = new Map(
          (
            await heldBy(trx, admitted)
              .forUpdate()
              .orderBy([...KEY])
          ).map(readHeld),
        );
        const ordered = admitted.sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
        await insertRows(
          trx,
          'agents',
          COLUMNS,
          ordered.map(valuesOf),
          `${REPLACE}${Math.trunc(now) + CLOCKS_DIFFER_MS}`,
        );
        await dropWithoutCredential(trx, admitted);
        await noteUnlisted(trx, [...new Set(refused.map(({ tenant }) => tenant))], now);
        const after = new Map((await heldBy(trx, admitted)).map(readHeld));
        const kept = new Set(admitted.filter((row) => after.get(keyOf(row))?.seenAt === row.seenAt));
        const advanced = new Set([...kept].filter((row) => isAhead(row, before.get(keyOf(row)))));
        return { kept, advanced, refused: refused.length };
      }),

    noteUnlisted: (tenants, now) =>
      writing(async (trx) => noteUnlisted(trx, await trx('tenants').whereIn('id', tenants).pluck('id'), now)),

    distrustAgents: ({ now, marginMs }) =>
      writing(async (trx) => {
        const limited: Row[] = await trx('agents').whereNotNull('decides_until_ms').select('agent_id', 'report');
        const byMaxAge = new Map<number, Set<string>>();
        for (const { agent_id: id, report } of limited) {
          const { max_age: maxAge = 0 }: AgentReport = JSON.parse(report);
          byMaxAge.set(maxAge, (byMaxAge.get(maxAge) ?? new Set()).add(id));
        }
        for (const [maxAge, ids] of byMaxAge) {
          const until = now + maxAge * 1000 + marginMs;
          await inParts([...ids], async (part) => {
            const some = trx('agents').whereIn('agent_id', part);
            await some.where('decides_until_ms', '<', until).update({ decides_until_ms: until });
          });
        }
        await noteUnlisted(trx, await trx('tenants').pluck('id'), now);
      }),

    agents: (tenant, { revision, now, limit }) =>
      reading(async (db) => {
        const counts = await db('agents')
          .where('tenant_id', tenant)
          .select(
            db.raw('count(*) as total'),
            db.raw('coalesce(sum(case when enforces >= ? then 1 else 0 end), 0) as enforcing', [revision]),
            db.raw(`coalesce(sum(case when ${BEHIND} and decides_until_ms < ? then 1 else 0 end), 0) as expired`, [
              revision,
              now,
            ]),
            db.raw('coalesce(sum(case when agent_id like ? then 1 else 0 end), 0) as publishers', [
              `${PUBLISHER_PREFIX}%`,
            ]),
          )
          .first<Record<'total' | 'enforcing' | 'expired' | 'publishers', number>>();
        const rows: Row[] = await db('agents')
          .where('tenant_id', tenant)
          .orderByRaw(`case when ${DECIDES} then 0 else 1 end, coalesce(enforces, -1), seen_ms, agent_id`, [now])
          .limit(limit);
        const unlisted = await db('unlisted_agents')
          .where('tenant_id', tenant)
          .first<{ seen_ms: number } | undefined>();
        const { total, enforcing, expired, publishers } = counts;
        return {
          total: Number(total),
          enforcing: Number(enforcing),
          expired: Number(expired),
          publishers: Number(publishers),
          unlistedAt: unlisted && Number(unlisted.seen_ms),
          rows: rows.map(readRow),
        };
      }),

    agentsBehind: (tenant, { revision, now }) =>
      reading((db) =>
        countOf(db('agents').where('tenant_id', tenant).whereRaw(BEHIND, [revision]).whereRaw(DECIDES, [now])),
      ),

    countAgents: () => reading((db) => countOf(db('agents'))),

    agentsByLag: (now) =>
      reading(async (db) => {
        const rows: { lag: number | null; count: number }[] = await db('agents')
          .join('tenants', 'tenants.id', 'agents.tenant_id')
          .whereRaw(DECIDES, [now])
          .select(db.raw('revision - enforces as lag'), db.raw('count(*) as count'))
          .groupByRaw('revision - enforces');
        return rows.map(({ lag, count }) => ({ lag: lag === null ? null : Number(lag), count: Number(count) }));
      }),

    stragglers: ({ before, now }) =>
      reading((db) => {
        const later = db('revisions')
          .whereRaw('revisions.tenant_id = agents.tenant_id and revisions.number > agents.enforces')
          .andWhere('revisions.at', '<', new Date(before).toISOString());
        return countOf(
          db('agents')
            .whereRaw(DECIDES, [now])
            .where((late) =>
              late
                .whereExists(later)
                .orWhere((none) => none.whereNull('enforces').andWhere('first_seen_ms', '<', before)),
            ),
        );
      }),

    agentCredentials: (tenant, credential) =>
      reading((db) =>
        db('agents')
          .where('tenant_id', tenant)
          .andWhere((one) => one.where('credential_id', credential).orWhere('credential_name', credential))
          .distinct('credential_id')
          .orderBy('credential_id')
          .pluck('credential_id'),
      ),

    agentOwner: (tenant, agent) =>
      reading(async (db) => {
        const rows: { credential_id: string }[] = await db('agents')
          .where({ tenant_id: tenant, agent_id: agent })
          .whereExists(credentialOf(db))
          .orderBy('first_seen_ms')
          .orderBy('credential_id')
          .limit(1)
          .select('credential_id');
        return rows[0]?.credential_id;
      }),

    noteRefusedAgent: (tenant, agent, by) =>
      writing(async (trx) => {
        await lock(trx, 'operators');
        await noteTenantEvent(trx, 'refuse', tenant, by, { agent });
      }),

    retireAgents: ({ id: tenant, name }, which, by) =>
      writing(async (trx) => {
        await lock(trx, 'operators');
        const those = trx('agents').where('tenant_id', tenant);
        if ('agent' in which) {
          const retired = await those.where('agent_id', which.agent).delete();
          if (retired > 0) await noteTenantEvent(trx, 'retire', { id: tenant, name }, by, which);
          return retired;
        }
        those.where('credential_id', which.credential);
        const last = await those.clone().orderBy('seen_ms', 'desc').first<Row | undefined>();
        const retired = await those.delete();
        const about = { credentials: [last?.credential_name ?? which.credential] };
        if (retired > 0) await noteTenantEvent(trx, 'retire', { id: tenant, name }, by, about);
        return retired;
      }),

    forgetAgents: (before) =>
      writing(async (trx) => {
        await trx('agents').where('decides_until_ms', '<', before).delete();
      }),
  };
}

/** Leaves out those that nobody knows yet, where there are too many. Two at once may go beyond the bounds a little. */
async function withinBounds(trx: Knex, rows: readonly AgentRow[], bounds: { perTenant: number; total: number }) {
  const left = new Map<string, number>();
  let leftOfAll = bounds.total - (await countOf(trx('agents')));
  for (const { tenant } of rows)
    if (!left.has(tenant))
      left.set(tenant, bounds.perTenant - (await countOf(trx('agents').where('tenant_id', tenant))));
  const admitted: AgentRow[] = [];
  const refused: AgentRow[] = [];
  for (const row of rows) {
    const free = Math.min(left.get(row.tenant) ?? 0, leftOfAll);
    const isKept = free < rows.length && (await isThere(trx, row));
    if (!isKept && free <= 0) {
      refused.push(row);
      continue;
    }
    admitted.push(row);
    if (isKept) continue;
    left.set(row.tenant, (left.get(row.tenant) ?? 0) - 1);
    leftOfAll--;
  }
  return { admitted, refused };
}

/**
 * Removes, of the agents that have reported, what they said by a credential that is gone, if they have one now: a new key
 * follows the old one in time. What overlaps is of several machines with one id, of which each may still decide.
 */
async function dropWithoutCredential(trx: Knex, rows: readonly AgentRow[]): Promise<void> {
  const those = () =>
    trx('agents')
      .whereIn('tenant_id', [...new Set(rows.map(({ tenant }) => tenant))])
      .whereIn('agent_id', [...new Set(rows.map(({ report }) => report.id))]);
  const orphans: Spoken[] = await those()
    .whereNotExists(credentialOf(trx))
    .select(...SPOKEN);
  if (orphans.length === 0) return;
  const all: Spoken[] = await those().select(...SPOKEN);
  const gone = new Set(orphans.map((row) => JSON.stringify([row.tenant_id, row.credential_id])));
  const has = ({ tenant, credential }: AgentRow) => !gone.has(JSON.stringify([tenant, credential.id]));
  const present = new Set(rows.filter(has).map(({ tenant, report }) => JSON.stringify([tenant, report.id])));
  for (const orphan of orphans) {
    const others = all.filter((one) => agentOf(one) === agentOf(orphan) && one.credential_id !== orphan.credential_id);
    if (!present.has(agentOf(orphan)) || others.some((other) => overlap(orphan, other))) continue;
    const { tenant_id, credential_id, agent_id } = orphan;
    await trx('agents').where({ tenant_id, credential_id, agent_id }).delete();
  }
}

/** Selects the credential by which an agent has reported. */
function credentialOf(trx: Knex): Knex.QueryBuilder {
  return trx('records')
    .whereRaw('records.tenant_id = agents.credential_tenant and records.id = agents.credential_id')
    .whereIn('kind', CREDENTIAL_KINDS);
}

const SPOKEN = [...KEY, 'first_seen_ms', 'seen_ms'] as const;
type Spoken = Pick<Row, (typeof SPOKEN)[number]>;

function agentOf({ tenant_id, agent_id }: Spoken): string {
  return JSON.stringify([tenant_id, agent_id]);
}

/** Whether each was heard after the other was, by clocks that may differ. */
function overlap(one: Spoken, other: Spoken): boolean {
  const isAfter = (left: Spoken, right: Spoken) =>
    Number(left.seen_ms) > Number(right.first_seen_ms) + CLOCKS_DIFFER_MS;
  return isAfter(one, other) && isAfter(other, one);
}

async function noteUnlisted(trx: Knex, tenants: readonly string[], now: number): Promise<void> {
  const rows = tenants.toSorted().map((tenant) => [tenant, now]);
  const replace = 'on conflict (tenant_id) do update set seen_ms = excluded.seen_ms';
  await insertRows(trx, 'unlisted_agents', ['tenant_id', 'seen_ms'], rows, replace);
}

/** Selects what the table holds of the agents of these rows: how far they were, and when they were last heard. */
function heldBy(trx: Knex, rows: readonly AgentRow[]): Knex.QueryBuilder<Row, HeldRow[]> {
  return trx<Row, HeldRow[]>('agents')
    .select(...KEY, 'enforces', 'seen_ms')
    .whereIn('tenant_id', [...new Set(rows.map(({ tenant }) => tenant))])
    .whereIn('credential_id', [...new Set(rows.map(({ credential }) => credential.id))])
    .whereIn('agent_id', [...new Set(rows.map(({ report }) => report.id))]);
}

type HeldRow = Pick<Row, (typeof KEY)[number] | 'enforces' | 'seen_ms'>;

function readHeld({ tenant_id, credential_id, agent_id, enforces, seen_ms }: HeldRow): [string, Held] {
  // More than any revision for an agent that serves nothing, or what the tenant never had.
  const revision = enforces === null ? Number.POSITIVE_INFINITY : Number(enforces);
  return [`${tenant_id} ${credential_id} ${agent_id}`, { enforces: revision, seenAt: Number(seen_ms) }];
}

interface Held {
  enforces: number;
  seenAt: number;
}

/** Whether an agent that was known enforces more than before. */
function isAhead({ enforces = 0 }: AgentRow, before: Held | undefined): boolean {
  return before !== undefined && enforces > before.enforces;
}

async function isThere(trx: Knex, { tenant, credential, report }: AgentRow): Promise<boolean> {
  const key = { tenant_id: tenant, credential_id: credential.id, agent_id: report.id };
  return (await trx('agents').where(key).first('agent_id')) !== undefined;
}

async function countOf(query: Knex.QueryBuilder): Promise<number> {
  const row = await query.count({ count: '*' }).first<{ count: number | string }>();
  return Number(row?.count ?? 0);
}

function keyOf({ tenant, credential, report }: AgentRow): string {
  return `${tenant} ${credential.id} ${report.id}`;
}

function valuesOf(row: AgentRow): (string | number | boolean | null)[] {
  const { tenant, credential, report, enforces, diverged, seenAt, decidesUntil } = row;
  const replaced = [credential.tenant, credential.name, JSON.stringify(report), enforces ?? null, diverged];
  return [tenant, credential.id, report.id, seenAt, ...replaced, seenAt, decidesUntil ?? null];
}

function readRow(row: Row): AgentRow {
  return {
    tenant: row.tenant_id,
    credential: { tenant: row.credential_tenant, id: row.credential_id, name: row.credential_name },
    report: JSON.parse(row.report),
    enforces: row.enforces === null ? undefined : Number(row.enforces),
    diverged: Boolean(row.diverged),
    seenAt: Number(row.seen_ms),
    decidesUntil: row.decides_until_ms === null ? undefined : Number(row.decides_until_ms),
  };
}
