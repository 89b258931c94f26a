import { revisionNumber } from '@authz-service/core/state/revision';
import { AGENT_LAGS, type AgentLag } from '../metrics.js';
import type { Tenant } from '../tenants/tenant.js';
import type { Tenants } from '../tenants/tenants.js';
import type { Fleet, KnownAgent } from './fleet.js';

/** An agent that is behind for less long is on its way. */
const ON_ITS_WAY_MS = 60_000;
/** So long a poll may be held and its answer travel. */
const HELD_MS = 2 * 60_000;
/** An agent that is silent for longer is taken to be gone. */
const GONE_MS = 24 * 60 * 60_000;

/** By how many revisions an agent is behind; undefined if it serves nothing, or what is not known to be the tenant's. */
export function lagOf({ report, diverged }: KnownAgent, tenant: Pick<Tenant, 'revisionNumber'>): number | undefined {
  if (report.revision === undefined || diverged !== false) return undefined;
  return Math.max(0, tenant.revisionNumber - revisionNumber(report.revision));
}

export function agentsByLag(fleet: Fleet, tenants: Tenants): Record<AgentLag, number> {
  const counts = Object.fromEntries(AGENT_LAGS.map((lag) => [lag, 0])) as Record<AgentLag, number>;
  for (const [agent, tenant] of everyAgent(fleet, tenants)) counts[labelOf(lagOf(agent, tenant))]++;
  return counts;
}

/**
 * The agents that have been behind for more than a minute, however often the tenant changes meanwhile: it is noted at
 * each call who is. Those that are gone, or too old by their own maximum age to decide anything, do not count.
 */
export function stragglers(fleet: Fleet, tenants: Tenants, now: number): number {
  let count = 0;
  for (const [agent, tenant] of everyAgent(fleet, tenants)) {
    if (lagOf(agent, tenant) === 0) {
      delete agent.behindSince;
      continue;
    }
    agent.behindSince ??= tenant.committedAt;
    const { max_age: maxAge } = agent.report;
    const silentMs = now - agent.seenAt;
    if (silentMs > GONE_MS || (maxAge !== undefined && silentMs > maxAge * 1000 + HELD_MS)) continue;
    if (now - agent.behindSince > ON_ITS_WAY_MS) count++;
  }
  return count;
}

function* everyAgent(fleet: Fleet, tenants: Tenants): Generator<[KnownAgent, Tenant]> {
  fleet.keepOnly((id) => tenants.rows(id).length > 0);
  for (const tenant of tenants.loaded()) for (const agent of fleet.of(tenant.id)) yield [agent, tenant];
}

function labelOf(lag: number | undefined): AgentLag {
  if (lag === undefined) return 'unknown';
  if (lag <= 1) return lag === 0 ? '0' : '1';
  return lag <= 10 ? '2-10' : 'more';
}
