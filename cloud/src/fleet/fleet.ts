import { findRevisionNumber, splitToken } from '@authz-service/core/state/revision';
import { type AgentReport, readReport } from '@authz-service/pdp/contract/agent-report';
import { isPublisher } from '@authz-service/pdp/contract/publisher-id';
import type { Credential } from '../auth/credential.js';
import { within } from '../concurrency/within.js';
import { revisionTime } from '../history/revision-time.js';
import type { OutageLog } from '../outages/outage-log.js';
import type { AgentRow, RetiredAgents } from '../store/agent-store.js';
import type { Store, TenantRow } from '../store/store.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Tenant } from '../tenants/tenant.js';

/** The agents that are kept of each tenant, and of all. */
export const AGENTS_MAX = { perTenant: 20_000, total: 200_000 };
/** Reports that change something are written together after so long. */
const GATHER_MS = 200;
/** In one transaction, since commits wait for it where there is one connection. */
const ROWS_MAX = 100;
/** The time for which it is not written again that an agent was heard. */
const NOTED_EVERY_MS = 60_000;
/**
 * After its last poll, an agent is surely past its maximum age only so much later: polls are written with a delay, and the
 * clocks of replicas differ.
 */
export const SILENCE_MARGIN_MS = 2 * 60_000;
/** The time for which a list counts as incomplete after an agent that it lacks asked for the bundle. */
export const UNLISTED_MS = 10 * 60_000;
/** The time that an agent waits for the database. */
export const PATIENCE_MS = 2000;
/** The time after which others may miss what cannot be written. */
const UNWRITTEN_MAX_MS = 30_000;
/** The revisions of each tenant of which it is remembered when they were committed. */
const REVISIONS_MAX = 256;

interface HeardAgent {
  row: AgentRow;
  /** When it was last written; not a number if it has not been. */
  writtenAt: number;
  /** The place of the report among all, since one that the database is asked about may be overtaken. */
  place: number;
  /** From the commit of its revision until the agent first reported that here; undefined if nobody enforces it. */
  delayMs: number | undefined;
}

/** The state of the revision that an agent says it serves. */
type ReportedRevision = Pick<AgentRow, 'enforces' | 'diverged'> & { committedAt?: number };

/** When revisions were committed. */
type Committed = Map<string, ReturnType<typeof revisionTime>>;

/**
 * Takes the reports of the agents that poll this process, and writes what matters of them to the database, where all
 * processes read them. They are claims: nothing is decided by them.
 */
export class Fleet {
  /** Agents that this process has heard lately, longest ago first. */
  readonly #heard = new Map<string, HeardAgent>();
  readonly #unwritten = new Map<string, HeardAgent>();
  /** The tenants of agents that no list has, and when they asked: what is not written yet, and what was last. */
  readonly #unlisted = { unwritten: new Map<string, number>(), written: new Map<string, number>() };
  readonly #committed = new Map<string, Committed>();
  #reports = 0;
  /** When those were last forgotten that are heard no more. */
  #forgotAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** The next write, which begins once the present one has ended. */
  #next: Promise<void> | undefined;
  /** Since when what was heard could not be written. */
  #failingSince: number | undefined;
  #closed = false;

  constructor(
    private readonly store: Pick<Store, 'findRevision' | 'historyStart' | 'noteAgents' | 'noteUnlisted'>,
    private readonly metrics: Pick<Metrics, 'enforced'>,
    private readonly outages: OutageLog,
    private readonly now: () => number,
    private readonly bounds = AGENTS_MAX,
  ) {}

  /** Whether others may miss what agents have reported here. */
  get isUnwritten(): boolean {
    return this.#failingSince !== undefined && this.now() - this.#failingSince > UNWRITTEN_MAX_MS;
  }

  /**
   * Takes what the one says who asks for the bundle of these tenants; without a report, or about one that cannot be read now,
   * it is noted as unlisted. Never throws.
   */
  async asked(
    report: AgentReport | undefined,
    { tenants, unreadable }: { tenants: readonly Tenant[]; unreadable: readonly TenantRow[] },
    credential: AgentRow['credential'],
  ): Promise<void> {
    const isMeant = ({ id, name }: TenantRow) =>
      report?.tenant === undefined || report.tenant === id || report.tenant === name;
    await this.unlisted(unreadable.filter(isMeant));
    if (report === undefined) await this.unlisted(tenants);
    else await this.heard(report, tenants, credential, unreadable.length > 0);
  }

  /**
   * Takes a report about a tenant that the credential may fetch. An agent that is new here, or may decide for longer than it
   * said before, is written before this resolves, so that no list lacks it. If it does not say which of several tenants it will
   * serve, and there are more of them if `hasMore`, it is noted as unlisted. Never throws.
   */
  async heard(
    report: AgentReport,
    tenants: readonly Tenant[],
    credential: AgentRow['credential'],
    hasMore = false,
  ): Promise<void> {
    const tenant = meantTenant(report, tenants, hasMore);
    if (tenant === undefined) return report.tenant === undefined ? await this.unlisted(tenants) : undefined;
    const key = `${tenant.id} ${credential.id} ${report.id}`;
    const before = this.#heard.get(key);
    const seenAt = this.now();
    const place = ++this.#reports;
    const changed = before?.row.report.revision !== report.revision;
    const reported: ReportedRevision =
      changed || before?.row.enforces === undefined ? await this.#reportedRevision(tenant, report) : before.row;
    if ((this.#heard.get(key)?.place ?? 0) > place || this.#closed) return;
    const delayMs = changed ? delayOf(report, reported, seenAt) : before?.delayMs;
    const { enforces, diverged } = reported;
    const decidesUntil = report.max_age === undefined ? undefined : seenAt + report.max_age * 1000 + SILENCE_MARGIN_MS;
    const { id, tenant: own, name } = credential;
    const row = {
      ...{ tenant: tenant.id, credential: { id, tenant: own, name }, report },
      ...{ enforces, diverged, seenAt, decidesUntil },
    };
    const heard = { row, place, writtenAt: before?.writtenAt ?? Number.NaN, delayMs };
    this.#heard.delete(key);
    this.#heard.set(key, heard);
    this.#forgetSome();
    if (before && saysNothingNew(row, before.row) && Math.abs(seenAt - heard.writtenAt) < NOTED_EVERY_MS) return;
    this.#unwritten.set(key, heard);
    if (before === undefined || isLonger(report, before.row.report)) await within(PATIENCE_MS, this.written());
    else this.#schedule(GATHER_MS);
  }

  /**
   * Notes that somebody who is not in the lists asks for the bundles of these tenants: an agent that does not report itself, or
   * whose report was lost on its way. The first note in a minute is written before this resolves. Never throws.
   */
  async unlisted(tenants: readonly Pick<TenantRow, 'id'>[]): Promise<void> {
    const now = this.now();
    const { unwritten, written } = this.#unlisted;
    const isNoted = ({ id }: Pick<TenantRow, 'id'>) => Math.abs(now - (written.get(id) ?? Number.NaN)) < NOTED_EVERY_MS;
    const news = tenants.filter((tenant) => !isNoted(tenant));
    if (news.length === 0 || this.#closed) return;
    for (const { id } of news) unwritten.set(id, now);
    await within(PATIENCE_MS, this.written());
  }

  /** Resolves once everything that was heard before the call is written, or could not be. */
  written(): Promise<void> {
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined;
      this.#writing = this.#write();
      return this.#writing;
    });
    return this.#next;
  }

  /** When an agent was last heard, as far as this process knows: later than what is written of it. */
  seenAt({ tenant, credential, report, seenAt }: AgentRow): number {
    return Math.max(seenAt, this.#heard.get(`${tenant} ${credential.id} ${report.id}`)?.row.seenAt ?? 0);
  }

  /** Takes retired agents for new ones if they are heard again. */
  forget(tenant: string, which: RetiredAgents): void {
    const isMeant = ({ report, credential }: AgentRow) =>
      'agent' in which ? report.id === which.agent : credential.id === which.credential;
    for (const [key, { row }] of this.#heard)
      if (row.tenant === tenant && isMeant(row)) {
        this.#heard.delete(key);
        this.#unwritten.delete(key);
      }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.written();
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.written();
    }, ms);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    const { unwritten, written } = this.#unlisted;
    while (this.#unwritten.size > 0 || unwritten.size > 0) {
      const unlisted = [...unwritten];
      const some = [...this.#unwritten].slice(0, ROWS_MAX);
      try {
        if (unlisted.length > 0) {
          const ids = unlisted.map(([id]) => id);
          await this.store.noteUnlisted(ids, this.now());
        }
        const rows = some.map(([, { row }]) => row);
        const { kept, advanced, refused } = await this.store.noteAgents(rows, this.bounds, this.now());
        for (const [key, heard] of some) {
          // What the database knew before tells whether this is news: the agent may have told another process.
          if (heard.delayMs !== undefined && advanced.has(heard.row))
            this.metrics.enforced.observe(heard.delayMs / 1000);
          // What is not kept is written again with the next poll: it is not known which of two reports was the later one.
          heard.writtenAt = kept.has(heard.row) ? heard.row.seenAt : Number.NaN;
          if (this.#unwritten.get(key) === heard) this.#unwritten.delete(key);
        }
        if (refused > 0)
          this.outages.failed('agents are not listed, since there are too many: retire old ones', { refused });
      } catch (err) {
        this.#failingSince ??= this.now();
        this.outages.failed('what agents report cannot be written', { err });
        this.#schedule(GATHER_MS * 5);
        return;
      }
      for (const [id, at] of unlisted) {
        written.set(id, at);
        if (unwritten.get(id) === at) unwritten.delete(id);
      }
    }
    this.#failingSince = undefined;
  }

  #forgetSome(): void {
    const now = this.now();
    const isTime = Math.abs(now - this.#forgotAt) >= NOTED_EVERY_MS;
    // To find the oldest, all that have been taken out before it are passed over: too much for each report.
    if (!isTime && this.#heard.size <= this.bounds.total) return;
    this.#forgotAt = now;
    const longAgo = now - 10 * NOTED_EVERY_MS;
    for (const [key, { row }] of this.#heard) {
      if (row.seenAt > longAgo && this.#heard.size <= this.bounds.total) return;
      this.#heard.delete(key);
      this.#unwritten.delete(key);
    }
  }

  async #reportedRevision(tenant: Tenant, { revision: token }: AgentReport): Promise<ReportedRevision> {
    if (token === undefined) return { diverged: false };
    const { revision } = splitToken(token);
    const number = findRevisionNumber(revision);
    if (number === undefined) return { diverged: true };
    try {
      const committedAt = await this.#committedAt(tenant, revision);
      if (typeof committedAt === 'string') return { diverged: committedAt === 'never' };
      return { enforces: number, diverged: false, committedAt };
    } catch (err) {
      this.outages.failed('it is not known whether the tenant had the revision that an agent reports', { err });
      return { diverged: false };
    }
  }

  /** See `stoodAt`. */
  async #committedAt(tenant: Tenant, revision: string): ReturnType<typeof revisionTime> {
    if (revision === tenant.revision) return tenant.committedAt;
    const committed: Committed = this.#committed.get(tenant.id) ?? new Map();
    this.#committed.set(tenant.id, committed);
    let found = committed.get(revision);
    if (found === undefined) {
      found = revisionTime(this.store, tenant.id, revision);
      committed.set(revision, found);
      const [oldest] = committed.keys();
      if (committed.size > REVISIONS_MAX && oldest !== undefined) committed.delete(oldest);
    }
    try {
      const at = await found;
      // The number may be given to a commit yet.
      if (at === 'never') committed.delete(revision);
      return at;
    } catch (error) {
      committed.delete(revision);
      throw error;
    }
  }
}

/** Returns the tenant that an agent serves, of those that it may fetch; undefined if that is not known. */
export function meantTenant({ tenant }: AgentReport, tenants: readonly Tenant[], hasMore: boolean): Tenant | undefined {
  const [only, another] = tenants;
  const named = tenants.find(({ id }) => id === tenant) ?? tenants.find(({ name }) => name === tenant);
  return named ?? (another === undefined && !hasMore ? only : undefined);
}

/** The report in a header; undefined if there is none or it is malformed. */
export function reportIn(header: unknown): AgentReport | undefined {
  return typeof header === 'string' ? readReport(header) : undefined;
}

/** How a credential is named beside the reports that came with it. */
export function reporterOf({ tenant, id, name }: Credential): AgentRow['credential'] {
  return { tenant, id, name };
}

/** How long an agent took to enforce a revision. Nobody enforces what is only published. */
function delayOf({ id }: AgentReport, reported: ReportedRevision, seenAt: number): number | undefined {
  if (isPublisher(id) || reported.committedAt === undefined) return undefined;
  return Math.max(0, seenAt - reported.committedAt);
}

/** Whether all is the same that matters in a list of agents, but for the times. */
function saysNothingNew(now: AgentRow, before: AgentRow): boolean {
  const { report, credential, enforces, diverged } = before;
  if (now.enforces !== enforces || now.diverged !== diverged || now.credential.name !== credential.name) return false;
  return REPORTED.every((member) => now.report[member] === report[member]);
}

/** All but the age of what it knows, which rises from poll to poll. */
const REPORTED = [
  'id',
  'name',
  'version',
  'tenant',
  'revision',
  'max_age',
  'error',
] as const satisfies (keyof AgentReport)[];

/** Whether an agent may decide without being heard for longer than it said before. */
function isLonger({ max_age: now }: AgentReport, { max_age: before }: AgentReport): boolean {
  return before !== undefined && (now === undefined || now > before);
}
