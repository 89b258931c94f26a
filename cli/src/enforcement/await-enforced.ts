import { ProblemError } from '@authz-service/core/problem';
import { durationMs } from '@authz-service/core/values/duration';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { AgentList } from '@authz-service/sdk/wire';
import { UsageError } from '../errors/usage-error.js';
import { err } from '../output/terminal.js';
import { counted } from '../output/text.js';
import type { Outcome } from '../service-command.js';
import { agentTable } from './agent-table.js';

/** The exit code if some agents do not enforce a revision in time. */
const NOT_ENFORCED = 3;

/** A sentence about a list that is not complete. */
export const UNLISTED =
  'Either there are too many: retire those that are gone. Or the bundle was fetched in the last ten minutes without a readable ' +
  'report: update older agents, and let proxies pass the header Service-Agent on. Or the database was restored in that time.';

/** Says what a list with publishers in it means. */
export function publishing(publishers: number): string {
  const who = publishers === 1 ? 'One of them publishes' : `${publishers} of them publish`;
  return `${who} bundles as files: nobody knows which agents read those, nor what they enforce.`;
}

/** The result of waiting for the agents: members for the JSON document, a line, and the exit code. */
interface Enforcement {
  json: { enforced: boolean; agents?: number; publishers?: number; behind?: AgentList['agents']; unknown?: string };
  text: string;
  exitCode: number;
}

/** Reads the value of `--timeout`. Throws a usage error if it is not a duration. */
export function timeoutMs(text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  throw new UsageError(
    `--timeout "${text}" is not a duration: write numbers with units like "60s", "500ms" or "1h30m".`,
  );
}

/**
 * Waits until every agent enforces a revision, and shows on standard error those that do not in time. A failure to find that
 * out must not hide that the change was made.
 */
async function awaitEnforced(
  client: ServiceClient,
  revision: string,
  { timeout, signal, quiet }: { timeout: string; signal: AbortSignal; quiet: boolean },
): Promise<Enforcement> {
  let list: AgentList;
  try {
    list = await client.enforced(revision, { timeoutMs: timeoutMs(timeout), signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ProblemError)) throw error;
    const why = error.detail;
    return {
      json: { enforced: false, unknown: why },
      text: `It is not known who enforces it: ${why}`,
      exitCode: NOT_ENFORCED,
    };
  }
  const { enforced, total, expired, publishers, complete } = list;
  const json = { enforced, agents: total, ...(publishers > 0 && { publishers }) };
  if (enforced) {
    const gone = expired === 0 ? '' : ` (${expired} of them silent past their own maximum age)`;
    const text = total === 0 ? 'No agent is known.' : `Enforced by all ${counted(total, 'agent')}${gone}.`;
    return { json, text, exitCode: 0 };
  }
  const behind = list.agents.filter(({ enforces, expired: past }) => !enforces && !past);
  const count = total - list.enforcing - expired;
  if (!quiet) {
    const shown = agentTable(behind, err);
    if (shown !== undefined) await err.line(shown);
    if (count > 0) await err.line('Retire those that are gone for good with "servicectl agents retire ID".');
  }
  const readers = publishers === 0 ? '' : ` ${publishing(publishers)}`;
  const text = !complete
    ? `Not known to be enforced: there are agents beside the ${total} of the list. ${UNLISTED}${readers}`
    : count > 0
      ? `Not enforced within ${timeout}: ${count} of ${counted(total, 'agent')} may decide by an earlier revision.${readers}`
      : `Not known to be enforced everywhere: all ${counted(total, 'agent')} of the list have it.${readers}`;
  return { json: { ...json, behind }, text, exitCode: NOT_ENFORCED };
}

/** Adds to what was done whether every agent enforces it, if that is asked for. */
export async function withEnforcement(
  outcome: { json: object; text: string },
  revision: string,
  {
    client,
    flags: { wait, timeout, json },
    signal,
  }: {
    client: ServiceClient;
    flags: { wait?: 'enforced' | undefined; timeout: string; json: boolean };
    signal: AbortSignal;
  },
): Promise<Outcome> {
  if (wait === undefined) return outcome;
  const waited = await awaitEnforced(client, revision, { timeout, signal, quiet: json });
  return {
    json: { ...outcome.json, ...waited.json },
    text: `${outcome.text}\n${waited.text}`,
    exitCode: waited.exitCode,
  };
}
