import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { BundleState } from '@authz-service/embedded/bundle/bundle-state';
import type { MinRevision } from '@authz-service/pdp/revision/min-revision';
import { RevisionWaits } from '@authz-service/pdp/revision/revision-waits';
import { LineWriter } from '@authz-service/pdp/sinks/line-writer';
import { readSinks } from '@authz-service/pdp/sinks/sink-settings';
import { DecisionLog } from '../src/decision-log.js';
import { createAgentServer } from '../src/http/server.js';
import { createLog } from '../src/log.js';
import { AgentMetrics } from '../src/metrics.js';

/** An agent's HTTP server on a free port, without a sync: the test sets its state. Its output is kept line by line. */
export interface ServedAgent {
  port: number;
  url: string;
  metrics: AgentMetrics;
  state: BundleState;
  logged: string[];
  decisions: string[];
  close(): void;
}

export async function serveAgent(publicUrl = ''): Promise<ServedAgent> {
  const logged: string[] = [];
  const decisions: string[] = [];
  const metrics = new AgentMetrics();
  const state = new BundleState(metrics);
  state.started();
  const log = createLog('info', into(logged));
  const decisionLog = new DecisionLog({ sinks: readSinks('stdout', '/'), folder: '', stdout: into(decisions), log });
  const waits = new RevisionWaits((outcome) => metrics.waited(outcome), { waitMs: 50 });
  const served = () => state.served?.revision;
  const reach = (wanted: MinRevision, gone: AbortSignal) =>
    waits.reach(wanted, { served, changed: (ms) => state.changed(ms, gone), exists: async () => undefined });
  const server: Server = createAgentServer({
    state,
    metrics,
    log,
    decisionLog,
    reach,
    publicUrl: () => publicUrl,
    isDraining: () => false,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port, url: `http://127.0.0.1:${port}`, metrics, state, logged, decisions, close };
}

function into(lines: string[]): LineWriter {
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    lines.push(String(chunk));
    done();
  };
  return new LineWriter(new Writable({ decodeStrings: false, write }));
}
