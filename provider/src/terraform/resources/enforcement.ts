import { ProblemError } from '@authz-service/core/problem';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { AgentList, ReportedAgent } from '@authz-service/sdk/wire';
import { type Refusal, refuse } from '../framework/diagnostics.js';

/** The most agents that are named in one message. */
const NAMED_MAX = 20;

/**
 * Waits until every agent enforces what this run commits. Once some do not in time, later commits of the run are looked at
 * once: they are made, and nobody waits the whole time again for the same agents.
 */
export class Enforcement {
  /** By the revision that is waited for, or is enforced. */
  readonly #waits = new Map<string, Promise<void>>();
  #failed = false;

  constructor(
    private readonly client: Pick<ServiceClient, 'enforced'>,
    readonly timeout: { ms: number; text: string },
  ) {}

  /** Refuses, naming them, if some agents do not enforce the revision in time. */
  of(revision: string, signal: AbortSignal): Promise<void> {
    const begun = this.#waits.get(revision);
    if (begun !== undefined) return begun;
    const waiting = this.#wait(revision, signal);
    this.#waits.set(revision, waiting);
    waiting.catch(() => this.#waits.delete(revision));
    return waiting;
  }

  async #wait(revision: string, signal: AbortSignal): Promise<void> {
    let list: AgentList;
    try {
      list = await this.client.enforced(revision, { timeoutMs: this.#failed ? 0 : this.timeout.ms, signal });
    } catch (error) {
      this.#failed = true;
      if (signal.aborted) throw interruptedAfter(revision);
      if (error instanceof ProblemError) throw unknown(revision, error);
      throw error;
    }
    if (list.enforced) return;
    this.#failed = true;
    throw notEnforced(revision, this.timeout.text, list);
  }
}

const MADE = 'The change itself was made and is kept: once this is mended, apply again.';

function notEnforced(revision: string, timeout: string, list: AgentList): Refusal {
  const behind = list.agents.filter(({ enforces, expired }) => !enforces && !expired);
  const count = list.total - list.enforcing - list.expired;
  const lines = behind.slice(0, NAMED_MAX).map((agent) => `  - ${named(agent)}`);
  if (count > lines.length) lines.push(`  - and ${count - lines.length} more: "servicectl agents" lists them`);
  const readers = list.publishers === 0 ? '' : ` ${publishing(list.publishers)}`;
  const cause = !list.complete
    ? 'no agent of the list may decide by an earlier one, but there are others that are not listed. Either there are too many: retire those that are gone. Or the bundle was fetched in the last ten minutes without a readable report: update older agents, and let proxies pass the header Service-Agent on. Or the database was restored in that time.'
    : 'every agent of the list has it.';
  const who =
    count === 0
      ? cause
      : `${count} of ${list.total} agents may decide by an earlier one:\n${lines.join('\n')}\nSee what they report as their error, and retire those that are gone for good: servicectl agents retire ID.`;
  return refuse(
    'Not enforced by all agents',
    `wait_for = "enforced": revision ${revision} was not enforced everywhere within ${timeout}; ${who}${readers}\n${MADE}`,
  );
}

/** Says what a list with publishers in it means, and what helps. */
function publishing(publishers: number): string {
  const who = publishers === 1 ? 'One of them publishes' : `${publishers} of them publish`;
  return `${who} bundles as files: nobody knows which agents read those, nor what they enforce. Do without wait_for while files are published, and retire publishers that are gone for good.`;
}

function named({ id, name, revision, error, last_seen: seen }: ReportedAgent): string {
  const serves = revision === null ? 'serves nothing' : `serves ${revision}`;
  return `${name ?? 'an agent of an operator'} (${id}) ${serves}, last seen ${seen}${error === null ? '' : `, error ${error}`}`;
}

function unknown(revision: string, { detail }: ProblemError): Refusal {
  return refuse(
    'Not known to be enforced',
    `wait_for = "enforced": it could not be found out who enforces revision ${revision}. ${detail}\n${MADE}`,
  );
}

function interruptedAfter(revision: string): Refusal {
  return refuse(
    'Interrupted',
    `Terraform was interrupted while it waited for agents to enforce revision ${revision}: the change was made, and who enforces it is not known.`,
  );
}
