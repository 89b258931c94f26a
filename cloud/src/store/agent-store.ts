import type { AgentReport } from '@authz-service/pdp/contract/agent-report';
import type { AuditRow, TenantRow } from './store.js';

/** The part of the store that holds what agents have reported. Their times are milliseconds since the epoch. */
export interface AgentStore {
  /**
   * Keeps what agents have said last; what was heard earlier than what is kept is ignored, and so are tenants that are gone.
   * What is kept from a time that comes only long after `now` is replaced: it is of a clock that was ahead. Agents that are
   * new beyond the bounds are left out, which is noted of their tenants. What an agent has said by a credential that is gone is
   * removed, unless it was heard while another one with its id was.
   */
  noteAgents(rows: readonly AgentRow[], bounds: AgentBounds, now: number): Promise<NotedAgents>;
  /** Notes that agents that are not in the list have asked for the bundles of these tenants. */
  noteUnlisted(tenants: readonly string[], now: number): Promise<void>;
  /**
   * After the database was set back: every agent may have been heard since, and decide for its maximum age and this margin from
   * now on. Those that the database lacks are noted as unlisted of all tenants.
   */
  distrustAgents(since: { now: number; marginMs: number }): Promise<void>;
  /** How many agents of a tenant enforce a revision, and those that do the least, at most `limit`. */
  agents(tenant: string, asked: { revision: number; now: number; limit: number }): Promise<KeptAgents>;
  /** How many agents of a tenant do not enforce a revision and may decide. */
  agentsBehind(tenant: string, asked: { revision: number; now: number }): Promise<number>;
  /** Counts the agents of all tenants. */
  countAgents(): Promise<number>;
  /** Agents by the number of revisions that they are behind, null if unknown: of all tenants, without those that decide nothing. */
  agentsByLag(now: number): Promise<{ lag: number | null; count: number }[]>;
  /** The agents that may decide and do not enforce a revision that was committed at `before` or earlier. */
  stragglers(times: { before: number; now: number }): Promise<number>;
  /** The ids of the credentials with this id or name that agents of the tenant have reported by. */
  agentCredentials(tenant: string, credential: string): Promise<string[]>;
  /** The id of the credential that was the first to report this agent, of those that there still are; undefined if there is none. */
  agentOwner(tenant: string, agent: string): Promise<string | undefined>;
  /** Notes that a credential used the id of another one's agent. */
  noteRefusedAgent(
    tenant: Pick<TenantRow, 'id' | 'name'>,
    agent: string,
    by: Pick<AuditRow, 'at' | 'request_id' | 'credential'>,
  ): Promise<void>;
  /** Removes an agent, or all that have reported by a credential, from the list. Returns how many entries they had. */
  retireAgents(
    tenant: TenantRow,
    which: RetiredAgents,
    by: Pick<AuditRow, 'at' | 'request_id' | 'credential'>,
  ): Promise<number>;
  /** Removes the agents that have been unable to decide since before this time. */
  forgetAgents(before: number): Promise<void>;
}

/** The id of an agent, or that of the credential of several. */
export type RetiredAgents = { agent: string } | { credential: string };

export interface NotedAgents {
  /** Those of the rows that are kept now. */
  kept: ReadonlySet<AgentRow>;
  /** The agents that enforced an earlier revision by what was kept before. */
  advanced: ReadonlySet<AgentRow>;
  /** How many were left out. */
  refused: number;
}

export interface AgentBounds {
  perTenant: number;
  total: number;
}

/** The claim of an agent, the credential by which it was made, and when. */
export interface AgentRow {
  tenant: string;
  /** Its tenant is another one if it is an operator's. */
  credential: { tenant: string; id: string; name: string };
  report: AgentReport;
  /** The number of the tenant's revision that it serves; absent if it serves none, or if that is not known. */
  enforces?: number | undefined;
  /** Whether it claims a revision that the tenant never had. */
  diverged: boolean;
  seenAt: number;
  /** When its own maximum age has surely run out if it is not heard again; absent if it has none. */
  decidesUntil?: number | undefined;
}

export interface KeptAgents {
  total: number;
  enforcing: number;
  /** How many do not enforce it, and decide nothing either. */
  expired: number;
  /** How many publish bundles for readers that nobody knows. */
  publishers: number;
  /** When an agent that is not in the list last asked for the bundle; absent if none has. */
  unlistedAt?: number | undefined;
  /** Those first that may decide and enforce the earliest revision, or none. */
  rows: AgentRow[];
}
