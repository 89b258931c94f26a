import { ProblemError } from '@authz-service/core/problem';
import { isLoopbackHost } from '@authz-service/core/values/loopback';
import { LineWriter } from '@authz-service/pdp/sinks/line-writer';
import { startTracing } from '@authz-service/pdp/tracing/tracing';
import { drained, stopSignal } from '@authz-service/pdp/transport/stop-signal';
import { startAgent } from './agent.js';
import { addressText } from './config/listen-addr.js';
import type { AgentConfig } from './config/settings.js';
import { type LoadedConfig, loadConfig } from './config.js';
import { createLog, type Logger } from './log.js';
import { FULL_VERSION } from './version.js';

export interface RunOptions {
  /** The YAML file of `--config`. */
  configPath?: string | undefined;
  env: NodeJS.ProcessEnv;
}

/** How long the last log lines may take to reach their reader. */
const DRAIN_MS = 1_000;

/**
 * Runs the agent in this process until SIGTERM or SIGINT, and resolves with the exit code: 0 after a stop, 1 if it
 * could not start. Logs go to standard error, decision lines to standard output.
 */
export async function runAgent({ configPath, env }: RunOptions): Promise<number> {
  const decisions = new LineWriter(process.stdout);
  const errors = new LineWriter(process.stderr);
  try {
    return await run(loadConfig({ configPath, env, cwd: process.cwd() }), env, decisions, errors);
  } finally {
    await Promise.all([decisions.drained(DRAIN_MS), errors.drained(DRAIN_MS)]);
  }
}

async function run(
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
  decisions: LineWriter,
  errors: LineWriter,
): Promise<number> {
  const { config, faults, warnings, path } = loaded;
  const log = createLog(config?.logLevel ?? 'info', errors);
  for (const warning of warnings) log.warn(warning);
  if (config === undefined) {
    log.fatal({ faults }, `failed to load config: ${faults.join('; ')}`);
    return 1;
  }
  log.debug({ ...config, file: path }, 'configuration loaded');
  warnOfPlainText(config, log);

  const stopped = stopSignal();
  try {
    const tracing = await startTracing(env, {
      name: 'service-agent',
      version: FULL_VERSION,
      onFailure: (error) => log.warn({ error }, 'spans are lost: the receiver of traces does not take them'),
    });
    const agent = await startAgent(config, { log, decisions, tracing });
    const signal = await stopped;
    await drained(signal, config.drainMs, () => agent.drain());
    log.info({ signal }, 'agent is stopping');
    await agent.stop();
    return 0;
  } catch (error) {
    const knownCause = startFault(error, config);
    if (knownCause === undefined) log.fatal({ err: error }, 'failed to start');
    else log.fatal(`failed to start: ${knownCause}`);
    return 1;
  }
}

/** Why the agent cannot start and what to do about it, for known causes. */
function startFault(error: unknown, { listenAddr }: AgentConfig): string | undefined {
  if (error instanceof ProblemError && error.code === 'invalid_config') return error.message;
  const { code, syscall } = error as NodeJS.ErrnoException;
  const address = addressText(listenAddr);
  if (code === 'EADDRINUSE') {
    return `${address} is in use by another program: stop it or set SERVICE_LISTEN_ADDR`;
  }
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return `cannot listen on ${address} (${code}): set SERVICE_LISTEN_ADDR`;
  }
  return undefined;
}

function warnOfPlainText({ cloudUrl, bundleUrl, bundleHeader }: AgentConfig, log: Logger): void {
  const { protocol, hostname, href } = bundleUrl ?? cloudUrl;
  if (protocol !== 'http:' || isLoopbackHost(hostname)) return;
  if (bundleUrl === undefined) {
    log.warn({ cloud_url: href }, 'the API key crosses the network unencrypted: use an https cloud URL');
  } else {
    const what = bundleHeader === undefined ? 'the records' : 'the records and SERVICE_BUNDLE_HEADER';
    log.warn({ bundle_url: href }, `${what} cross the network unencrypted: use an https bundle URL`);
  }
}
