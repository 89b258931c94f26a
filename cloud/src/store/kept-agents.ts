import type { Knex } from 'knex';
import type { AgentRow, AgentStore } from './agent-store.js';
import { insertRows } from './batch.js';
import type { Dialect } from './dialect.js';
import { noteTenantEvent } from './tenant-events.js';

interface Row {
  tenant_id: string;
  credential_id: string;
  agent_id: string;
  credential_tenant: string;
  credential_name: string;
  report: string;
  enforces: number | null;
  diverged: number | boolean;
  seen_ms: number;
  decides_until_ms: number | null;
}

const KEY = ['tenant_id', 'credential_id', 'agent_id'] as const;
/** What a later report replaces. */
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
        const ordered = admitted.sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
        await insertRows(
          trx,
          'agents',
          COLUMNS,
          ordered.map(valuesOf),
          `${REPLACE}${Math.trunc(now) + CLOCKS_DIFFER_MS}`,
        );
        await noteUnlisted(trx, [...new Set(refused.map(({ tenant }) => tenant))], now);
        return { kept: await keptOf(trx, admitted), refused: refused.length };
      }),

    noteUnlisted: (tenants, now) =>
      writing(async (trx) => noteUnlisted(trx, await trx('tenants').whereIn('id', tenants).pluck('id'), now)),

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
          )
          .first<Record<'total' | 'enforcing' | 'expired', number>>();
        const rows: Row[] = await db('agents')
          .where('tenant_id', tenant)
          .orderByRaw(`case when ${DECIDES} then 0 else 1 end, coalesce(enforces, -1), seen_ms, agent_id`, [now])
          .limit(limit);
        const unlisted = await db('unlisted_agents')
          .where('tenant_id', tenant)
          .first<{ seen_ms: number } | undefined>();
        const { total, enforcing, expired } = counts;
        return {
          total: Number(total),
          enforcing: Number(enforcing),
          expired: Number(expired),
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

    retireAgent: ({ id: tenant, name }, agent, by) =>
      writing(async (trx) => {
        await lock(trx, 'operators');
        const retired = await trx('agents').where({ tenant_id: tenant, agent_id: agent }).delete();
        if (retired > 0) await noteTenantEvent(trx, 'retire', { id: tenant, name }, by, { agent });
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

async function noteUnlisted(trx: Knex, tenants: readonly string[], now: number): Promise<void> {
  const rows = tenants.toSorted().map((tenant) => [tenant, now]);
  const replace = 'on conflict (tenant_id) do update set seen_ms = excluded.seen_ms';
  await insertRows(trx, 'unlisted_agents', ['tenant_id', 'seen_ms'], rows, replace);
}

/** Those of the rows that the table holds, and nothing later instead. */
async function keptOf(trx: Knex, rows: readonly AgentRow[]): Promise<Set<AgentRow>> {
  const held: Row[] = await trx('agents')
    .whereIn('tenant_id', [...new Set(rows.map(({ tenant }) => tenant))])
    .whereIn('credential_id', [...new Set(rows.map(({ credential }) => credential.id))])
    .whereIn('agent_id', [...new Set(rows.map(({ report }) => report.id))]);
  const times = new Map(held.map(readRow).map((row) => [keyOf(row), row.seenAt]));
  return new Set(rows.filter((row) => times.get(keyOf(row)) === row.seenAt));
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
