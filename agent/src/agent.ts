import type { Server } from 'node:http';
import { BUNDLE_LIMITS } from '@authz-service/core/bundle/limits';
import { Secret } from '@authz-service/core/values/secret';
import { reportText } from '@authz-service/pdp/contract/agent-report';
import type { MinRevision } from '@authz-service/pdp/revision/min-revision';
import { RevisionWaits } from '@authz-service/pdp/revision/revision-waits';
import { agentId, reportOf } from './agent-identity.js';
import { AgentState, type Syncing } from './bundle/agent-state.js';
import { Budgets } from './bundle/budgets.js';
import { CloudSync } from './bundle/cloud-sync.js';
import { Intake, type IntakeParts } from './bundle/intake.js';
import { KnownRevisions } from './bundle/known-revisions.js';
import { Poller } from './bundle/poller.js';
import { Saver } from './bundle/saver.js';
import { StaticSync } from './bundle/static-sync.js';
import { SyncLog } from './bundle/sync-log.js';
import { keptKeys, warmStart } from './bundle/warm-start.js';
import { Attempts } from './cache/attempts.js';
import { BundleCache } from './cache/cache.js';
import { KeptMaxAge } from './cache/kept-max-age.js';
import { addressText, reachableUrl } from './config/listen-addr.js';
import type { AgentConfig } from './config/settings.js';
import { DecisionLog } from './decision-log.js';
import { listen } from './http/listen.js';
import { createAgentServer } from './http/server.js';
import type { LineWriter } from './line-writer.js';
import type { Logger } from './log.js';
import { AgentMetrics } from './metrics.js';
import { type CloudSource, fetchKeys } from './source/cloud-source.js';
import type { FetchBounds } from './source/fetching.js';
import { fetchKeysFile } from './source/static-source.js';

const BOUNDS: FetchBounds = { ...BUNDLE_LIMITS, idleMs: 10_000, totalMs: 60_000 };

/** How long running work may take to end once the agent is told to stop. */
const STOP_MS = 5_000;

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
}

/**
 * Starts the agent: binds the port, serves what the cache holds, and only then contacts the cloud. Throws if the port
 * cannot be bound.
 */
export async function startAgent(config: AgentConfig, { log, decisions }: AgentOutputs): Promise<RunningAgent> {
  const metrics = new AgentMetrics();
  const state = new AgentState(metrics, config.maxAgeMs, new Budgets(config.pollIntervalMs));
  const decisionLog = config.decisionLog
    ? new DecisionLog(decisions, log, config.decisionLogInputs ? config.decisionLogMask : undefined)
    : undefined;
  let url = '';
  const publicUrl = () => config.publicUrl ?? (url.startsWith('unix:') ? 'http://localhost' : url);
  // A cache is told by the key that fetched it (`apiKeyHash`); of published files, their address stands in for it.
  const { bundleUrl, apiKey = new Secret(bundleUrl?.href ?? '') } = config;
  const cloud = { cloudUrl: config.cloudUrl, apiKey };
  state.syncing.source = sourceOf(config);
  metrics.takesFrom(state.syncing.source.kind);
  const known = bundleUrl === undefined ? new KnownRevisions(cloud, state) : undefined;
  const waits = new RevisionWaits((outcome) => metrics.waited(outcome));
  const reach = (wanted: MinRevision, gone: AbortSignal) =>
    waits.reach(wanted, {
      served: () => state.servedToken,
      changed: (ms) => state.changed(ms, gone),
      // Files say nothing of revisions to come.
      exists: async (asked) => known?.has(asked),
    });
  const server = createAgentServer({ state, metrics, log, decisionLog, reach, publicUrl });
  const address = await listen(server, config.listenAddr);
  url = reachableUrl(address);

  const cache = new BundleCache(config.cacheDir, BOUNDS.unpacked);
  const attempts = new Attempts(config.cacheDir);
  const trust = await keptKeys(config.bundleJwks, { cache, log });
  state.syncing.trust = trust;
  const keptMaxAge = new KeptMaxAge(config.cacheDir, log);
  state.formerMaxAgeMs = await keptMaxAge.begin(config.maxAgeMs);
  await warmStart({ ...config, apiKey }, { cache, state, log });
  const syncLog = new SyncLog(state, log);
  syncLog.logBudgets();
  log.info({ url, address: addressText(address), state: state.phase }, 'agent is listening');

  const saver = new Saver(cache, apiKey, trust, log);
  const parts = { state, cache, saver, attempts, log };
  const sync = bundleUrl === undefined ? await cloudSync(config, cloud, parts) : staticSync(config, bundleUrl, parts);
  const poll = async (waitSeconds: number, stop: AbortSignal) => {
    if (state.answered) await keptMaxAge.keep(config.maxAgeMs);
    return await sync.poll(waitSeconds, stop);
  };
  const asking = { pollIntervalMs: config.pollIntervalMs, isStatic: bundleUrl !== undefined, poll };
  const poller = new Poller(asking, state, syncLog);
  poller.start();
  return {
    url,
    drain: () => {
      state.drain();
      log.info('agent is draining');
    },
    stop: async () => {
      state.stop();
      const deadline = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref());
      await Promise.race([Promise.all([poller.stop(), close(server)]), deadline]);
      server.closeAllConnections();
      await attempts.end();
    },
  };
}

function sourceOf({ bundleUrl, cloudUrl }: AgentConfig): Syncing['source'] {
  return bundleUrl === undefined ? { kind: 'cloud', url: cloudUrl.href } : { kind: 'static', url: bundleUrl.href };
}

async function cloudSync(config: AgentConfig, cloud: CloudSource, parts: IntakeParts): Promise<CloudSync> {
  const id = await agentId(config.cacheDir, parts.log);
  const report = () => reportText(reportOf(id, parts.state, config.tenantId));
  const keys = (stop: AbortSignal) => fetchKeys(cloud.cloudUrl, BOUNDS, stop);
  return new CloudSync({ ...cloud, report }, new Intake({ ...config, bounds: BOUNDS, fetchKeys: keys }, parts), parts);
}

function staticSync(config: AgentConfig, bundleUrl: URL, parts: IntakeParts): StaticSync {
  const { tenantId = '', bundleHeader } = config;
  const source = { tenantId, bundleUrl, ...(bundleHeader && { bundleHeader }) };
  const keys = (stop: AbortSignal) => fetchKeysFile(source, { bounds: BOUNDS, stop });
  return new StaticSync(source, new Intake({ ...config, bounds: BOUNDS, fetchKeys: keys }, parts), parts);
}

/** Idle connections end at once, busy ones after their answer. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
