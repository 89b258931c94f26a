import { ProblemError } from '@authz-service/core/problem';
import type { AgentReport } from '@authz-service/pdp/contract/agent-report';
import { isPublisher } from '@authz-service/pdp/contract/publisher-id';
import type { Logger } from 'pino';
import type { Credential } from '../auth/credential.js';
import { within } from '../concurrency/within.js';
import type { OutageLog } from '../outages/outage-log.js';
import type { Store } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';
import { type Fleet, meantTenant, PATIENCE_MS } from './fleet.js';

/** The time for which it is remembered that a credential owns an id. */
const OWNED_MS = 60_000;
/** A refused agent asks again and again: an entry of the audit trail each hour is enough. */
const AUDITED_EVERY_MS = 60 * 60_000;
/** More ids than this are not remembered at a time. */
const IDS_MAX = 100_000;

/** A request that an agent makes. */
interface AgentCall {
  credential: Credential;
  requestId: string;
  now: number;
}

/**
 * Binds the id of each agent to the credential that used it first, as long as there is that credential. Publishers choose their
 * ids by hand, and may share them.
 */
export class AgentOwners {
  readonly #owned = new Map<string, number>();
  readonly #audited = new Map<string, number>();

  constructor(
    private readonly store: Pick<Store, 'agentOwner' | 'noteRefusedAgent'>,
    private readonly fleet: Pick<Fleet, 'unlisted'>,
    private readonly log: Logger,
    private readonly outages: OutageLog,
  ) {}

  /**
   * Throws `conflict` where the id of the agent belongs to another credential, which the audit trail tells. While the database
   * cannot tell, nobody is refused: nothing is decided by reports. `hasMore` says that the credential may fetch other tenants.
   */
  async assertOwn(report: AgentReport, tenants: readonly Tenant[], hasMore: boolean, call: AgentCall): Promise<void> {
    const { id } = report;
    const tenant = isPublisher(id) ? undefined : meantTenant(report, tenants, hasMore);
    if (tenant === undefined) return;
    const key = `${tenant.id} ${call.credential.id} ${id}`;
    if (holds(this.#owned, key, call.now)) return;
    const owner = await this.#ownerOf(tenant, id);
    if (owner === 'unknown') return;
    // What nobody owns belongs to this one once its report is written.
    if (owner === undefined || owner === call.credential.id) return keep(this.#owned, key, call.now + OWNED_MS);
    await this.#audit(tenant, id, call);
    await this.fleet.unlisted([tenant]);
    throw new ProblemError(
      'conflict',
      `The agent id "${id}" belongs to the credential that used it first: give each agent a cache folder and a key of its own. ` +
        `If the key of this agent was replaced, delete the former one, or have an operator run "servicectl agents retire ${id}".`,
    );
  }

  /** Asks the database anew, since agents were retired. */
  forget(): void {
    this.#owned.clear();
  }

  /** The id of the credential that used an agent's id first, as far as the database tells in time. */
  async #ownerOf(tenant: Tenant, agent: string): Promise<string | undefined | 'unknown'> {
    const asked = this.store.agentOwner(tenant.id, agent).then((owner) => ({ owner }));
    const failed = (err: unknown) =>
      this.outages.failed('which credential an agent belongs to cannot be read', { err });
    asked.catch(failed);
    const answer = await within(PATIENCE_MS, asked).catch(() => undefined);
    return answer === undefined ? 'unknown' : answer.owner;
  }

  async #audit({ id, name }: Tenant, agent: string, { credential, requestId, now }: AgentCall): Promise<void> {
    const key = `${id} ${credential.id} ${agent}`;
    if (holds(this.#audited, key, now)) return;
    this.log.warn(
      { tenant_name: name, agent, credential: credential.id },
      'an agent was refused, since its id belongs to another credential',
    );
    const by = {
      at: new Date(now).toISOString(),
      request_id: requestId,
      credential: { kind: credential.kind, id: credential.id, name: credential.name },
    };
    await this.store.noteRefusedAgent({ id, name }, agent, by).then(
      () => keep(this.#audited, key, now + AUDITED_EVERY_MS),
      (err: unknown) => this.outages.failed('which agents were refused cannot be written', { err }),
    );
  }
}

function holds(until: ReadonlyMap<string, number>, key: string, now: number): boolean {
  return (until.get(key) ?? Number.NEGATIVE_INFINITY) > now;
}

function keep(until: Map<string, number>, key: string, end: number): void {
  until.delete(key);
  until.set(key, end);
  const [oldest] = until.keys();
  if (until.size > IDS_MAX && oldest !== undefined) until.delete(oldest);
}
