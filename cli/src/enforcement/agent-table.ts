import type { ReportedAgent } from '@authz-service/sdk/wire';
import { table } from '../output/table.js';
import type { Terminal } from '../output/terminal.js';

const HEADINGS = ['name', 'revision', 'behind', 'last seen', 'maximum age', 'error', 'version', 'key', 'id'];

/** Agents as they report themselves; undefined if there are none. */
export function agentTable(
  agents: readonly ReportedAgent[],
  on: Pick<Terminal, 'style' | 'columns'>,
): string | undefined {
  return agents.length === 0 ? undefined : table(HEADINGS, agents.map(cellsOf), on.style, on.columns);
}

function cellsOf(agent: ReportedAgent): string[] {
  const { id, name, version, credential, revision, max_age_seconds: maxAge, error, last_seen: seen } = agent;
  const age = maxAge === null ? '' : `${maxAge} s`;
  return [
    name ?? '-',
    revision ?? '',
    stateText(agent),
    seen,
    age,
    error ?? '',
    version ?? '',
    credential?.name ?? '-',
    id,
  ];
}

function stateText({ diverged, lag, expired, enforces, publishes }: ReportedAgent): string {
  if (publishes && !diverged)
    return lag === 0 ? 'its readers are unknown' : `${lag ?? 'all'}, and its readers are unknown`;
  if (expired && !enforces) return 'past its age';
  if (diverged) return 'not of this tenant';
  return lag === null ? 'serves nothing' : String(lag);
}
