import type { ReportedAgent } from '@authz-service/sdk/wire';
import type { agents } from '../../text/agents.js';

/** The state of an agent that matters first, by its last report. */
export type AgentState = keyof typeof agents.states;

export const TONES: { readonly [S in AgentState]: 'good' | 'warn' | 'bad' | 'plain' } = {
  newest: 'good',
  behind: 'warn',
  failing: 'warn',
  nothing: 'bad',
  expired: 'bad',
  diverged: 'bad',
  publishes: 'plain',
};

type Report = Pick<ReportedAgent, 'expired' | 'diverged' | 'lag' | 'error' | 'publishes'>;

export function stateOf({ expired, diverged, lag, error, publishes }: Report): AgentState {
  if (expired) return 'expired';
  if (diverged) return 'diverged';
  if (lag === null) return 'nothing';
  if (lag > 0) return 'behind';
  if (error !== null) return 'failing';
  return publishes ? 'publishes' : 'newest';
}
