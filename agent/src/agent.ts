import type { Server } from 'node:http';
import { join } from 'node:path';
import { Synchronization } from '@authz-service/embedded/synchronization';
import type { MinRevision } from '@authz-service/pdp/revision/min-revision';
import { RevisionWaits } from '@authz-service/pdp/revision/revision-waits';
import type { LineWriter } from '@authz-service/pdp/sinks/line-writer';
import type { Tracing } from '@authz-service/pdp/tracing/tracing';
import { addressText, reachableUrl } from './config/listen-addr.js';
import type { AgentConfig } from './config/settings.js';
import { DecisionLog } from './decision-log.js';
import { listen } from './http/listen.js';
import { createAgentServer } from './http/server.js';
import type { Logger } from './log.js';
import { AgentMetrics } from './metrics.js';

/** How long running work may take to end once the agent is told to stop. */
const STOP_MS = 5_000;
/** How long the last decision lines may take to reach their receivers; the others stay in the queue on disk. */
const FLUSH_MS = 2_000;

export interface RunningAgent {
  /** The URL under which callers on this machine reach the agent, with the actual port. */
  url: string;
  /** From now on, `/readyz` refuses and connections end with their next answer; all else is answered as before. */
  drain(): void;
  /** Stops polling, answers the requests that have arrived, and closes the port. */
  stop(): Promise<void>;
}

export interface AgentOutputs {
  log: Logger;
  /** The writer of decision lines, if the configuration enables them. */
  decisions: LineWriter;
  /** Absent unless requests are traced. */
  tracing?: Tracing | undefined;
}

/**
 * Starts the agent: binds the port, serves what the cache holds, and only then contacts the cloud. Throws if the port
 * cannot be bound.
 */
export async function startAgent(
  config: AgentConfig,
  { log, decisions, tracing }: AgentOutputs,
): Promise<RunningAgent> {
  const metrics = new AgentMetrics();
  const sync = new Synchronization(config, log, metrics);
  const { state } = sync;
  const decisionLog = config.decisionLog ? openDecisionLog(config, { log, decisions }) : undefined;
  metrics.logsTo(decisionLog?.sinks ?? []);
  let url = '';
  let draining = false;
  const publicUrl = () => config.publicUrl ?? (url.startsWith('unix:') ? 'http://localhost' : url);
  metrics.takesFrom(state.syncing.source.kind);
  const waits = new RevisionWaits((outcome) => metrics.waited(outcome));
  const reach = (wanted: MinRevision, gone: AbortSignal) =>
    waits.reach(wanted, {
      served: () => state.servedToken,
      changed: (ms) => state.changed(ms, gone),
      exists: (asked) => sync.exists(asked),
    });
  const isDraining = () => draining;
  const server = createAgentServer({ state, metrics, log, decisionLog, reach, publicUrl, isDraining, tracing });
  const address = await listen(server, config.listenAddr);
  url = reachableUrl(address);
  await sync.start();
  log.info({ url, address: addressText(address), state: state.phase }, 'agent is listening');
  return {
    url,
    drain: () => {
      draining = true;
      log.info('agent is draining');
    },
    stop: async () => {
      const { polls, ended } = sync.stop();
      const deadline = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref());
      await Promise.race([Promise.all([polls, close(server)]), deadline]);
      server.closeAllConnections();
      await ended();
      await Promise.all([decisionLog?.close(FLUSH_MS), within(FLUSH_MS, tracing?.close())]);
    },
  };
}

function openDecisionLog(config: AgentConfig, { log, decisions }: AgentOutputs): DecisionLog {
  const { decisionLogSinks, decisionLogInputs, decisionLogMask, cacheDir } = config;
  return new DecisionLog({
    sinks: decisionLogSinks,
    folder: join(cacheDir, 'decision-log'),
    stdout: decisions,
    log,
    masks: decisionLogInputs ? decisionLogMask : undefined,
  });
}

/** Waits so long at most for what may fail. */
async function within(ms: number, work: Promise<void> | undefined): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
  await Promise.race([late, work?.catch(() => undefined)]);
}

/** Idle connections end at once, busy ones after their answer. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
