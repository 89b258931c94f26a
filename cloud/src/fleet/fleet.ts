import { findRevisionNumber, revisionText } from '@authz-service/core/state/revision';
import { type AgentReport, readReport } from '@authz-service/pdp/contract/agent-report';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.js';
import type { Store } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';

/** The agents that are remembered of each tenant. */
const AGENTS_MAX = 20_000;
/** The revisions of each tenant of which it is remembered when they were committed. */
const REVISIONS_MAX = 256;

/** What an agent has claimed, by which credential, and when. */
export interface KnownAgent {
  report: AgentReport;
  credential: { id: string; name: string };
  /** Whether it claims a revision that the tenant never had; undefined if that is not known. */
  diverged: boolean | undefined;
  /** Since when it is known to be behind, in milliseconds since the epoch. */
  behindSince?: number;
  /** Milliseconds since the epoch. */
  seenAt: number;
  /** The place of the report among all, since one that the database is asked about may be overtaken. */
  place: number;
}

interface TenantFleet {
  /** By credential and id, the one that was heard longest ago first. */
  agents: Map<string, KnownAgent>;
  /** When revisions were committed. */
  committed: Map<string, Promise<number | undefined>>;
}

/**
 * The agents that this process has heard of. Their reports are claims: nothing is decided by them. They are held in
 * memory alone, so that a restart forgets them until their next poll.
 */
export class Fleet {
  readonly #tenants = new Map<string, TenantFleet>();
  #reports = 0;

  constructor(
    private readonly store: Pick<Store, 'findRevision'>,
    private readonly metrics: Pick<Metrics, 'enforced'>,
    private readonly log: Logger,
    private readonly now: () => number,
  ) {}

  /** Takes the report in a header, if there is a valid one about a tenant that the credential may fetch. Never throws. */
  async heard(header: unknown, tenants: readonly Tenant[], { id, name }: KnownAgent['credential']): Promise<void> {
    const report = typeof header === 'string' ? readReport(header) : undefined;
    if (report === undefined) return;
    const [only, another] = tenants;
    const tenant = tenants.find((one) => one.id === report.tenant) ?? (another === undefined ? only : undefined);
    if (tenant === undefined) return;
    const fleet = this.#of(tenant.id);
    const key = `${id} ${report.id}`;
    const before = fleet.agents.get(key);
    const seenAt = this.now();
    const place = ++this.#reports;
    const changed = before?.report.revision !== report.revision;
    const judged = !changed && before?.diverged === false;
    const committedAt = judged ? undefined : await this.#committedAt(fleet, tenant, report.revision);
    const diverged = judged ? false : divergedBy(report.revision, committedAt);
    if ((fleet.agents.get(key)?.place ?? 0) > place) return;
    // An agent that is heard of for the first time may have served the revision for long.
    if (changed && before !== undefined && committedAt !== undefined && Number.isFinite(committedAt)) {
      this.metrics.enforced.observe(Math.max(0, seenAt - committedAt) / 1000);
    }
    fleet.agents.delete(key);
    const since = before?.behindSince !== undefined && { behindSince: before.behindSince };
    fleet.agents.set(key, { report, credential: { id, name }, diverged, seenAt, place, ...since });
    const [oldest] = fleet.agents.keys();
    if (fleet.agents.size > AGENTS_MAX && oldest !== undefined) fleet.agents.delete(oldest);
  }

  /** The agents of a tenant. */
  of(tenant: string): KnownAgent[] {
    return [...(this.#tenants.get(tenant)?.agents.values() ?? [])];
  }

  /** Forgets the tenants that are no longer there. */
  keepOnly(exists: (tenant: string) => boolean): void {
    for (const id of this.#tenants.keys()) if (!exists(id)) this.#tenants.delete(id);
  }

  #of(id: string): TenantFleet {
    let fleet = this.#tenants.get(id);
    if (fleet === undefined) {
      fleet = { agents: new Map(), committed: new Map() };
      this.#tenants.set(id, fleet);
    }
    return fleet;
  }

  /** Undefined if there was no such revision; not a number if that is not known. */
  async #committedAt({ committed }: TenantFleet, tenant: Tenant, revision: string | undefined) {
    const number = revision === undefined ? undefined : findRevisionNumber(revision);
    if (revision === undefined || number === undefined) return undefined;
    if (revision === tenant.revision) return tenant.committedAt;
    let found = committed.get(revision);
    if (found === undefined) {
      found = this.store
        .findRevision(tenant.id, { number })
        .then((point) =>
          point && revisionText(point.revision, point.digest) === revision ? Date.parse(point.at) : undefined,
        );
      committed.set(revision, found);
      const [oldest] = committed.keys();
      if (committed.size > REVISIONS_MAX && oldest !== undefined) committed.delete(oldest);
    }
    try {
      const at = await found;
      // The number may be given to a commit yet.
      if (at === undefined) committed.delete(revision);
      return at;
    } catch (error) {
      committed.delete(revision);
      this.log.warn({ err: error }, 'it is not known whether the tenant had the revision that an agent reports');
      return Number.NaN;
    }
  }
}

/** `committedAt` is undefined if there was no such revision, and not a number if that is not known. */
function divergedBy(revision: string | undefined, committedAt: number | undefined): boolean | undefined {
  if (revision === undefined) return false;
  if (committedAt === undefined) return true;
  return Number.isNaN(committedAt) ? undefined : false;
}
