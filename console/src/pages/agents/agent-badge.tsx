import type { ReportedAgent } from '@authz-service/sdk/wire';
import { agents as words } from '../../text/agents.js';
import { Badge } from '../../ui/badge.js';
import { stateOf, TONES } from './agent-state.js';

/** The state of an agent, and the code of its failure. */
export function AgentBadge({ agent }: { agent: ReportedAgent }) {
  const state = stateOf(agent);
  return (
    <span title={words.stateHints[state]}>
      <Badge tone={TONES[state]}>{words.states[state]}</Badge>
      {agent.error !== null && <> {agent.error}</>}
    </span>
  );
}
