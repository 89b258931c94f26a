import { startTracing } from '@authz-service/pdp/tracing/tracing';
import { drained, stopSignal } from '@authz-service/pdp/transport/stop-signal';
import type { CloudConfig } from './config/config.js';
import { type StartOptions, startCloud } from './main.js';

export interface RunOptions extends StartOptions {
  /** Called with the address once requests are answered. */
  onListening(url: string): Promise<void>;
  /** The environment, of which OpenTelemetry's variables are read here. */
  env: NodeJS.ProcessEnv;
  version: string;
}

/** Runs the cloud in this process until SIGTERM or SIGINT. Throws as `startCloud` does. */
export async function runCloud(
  config: CloudConfig,
  { onListening, env, version, ...options }: Omit<RunOptions, 'tracing'>,
): Promise<void> {
  const stopped = stopSignal();
  const tracing = await startTracing(env, {
    name: 'service-cloud',
    version,
    onFailure: (error) => process.stderr.write(`${JSON.stringify(lostSpans(error))}\n`),
  });
  const cloud = await startCloud(config, { ...options, tracing });
  await onListening(cloud.url);
  await drained(await stopped, config.drainMs, () => cloud.drain());
  await cloud.close();
  const late = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_MS).unref());
  await Promise.race([late, tracing?.close().catch(() => undefined)]);
}

/** The last spans may take so long to arrive. */
const FLUSH_MS = 2_000;

/** A line of the log. */
function lostSpans(error: string): object {
  const msg = 'spans are lost: the receiver of traces does not take them';
  return { level: 'WARN', time: new Date().toISOString(), error, msg };
}
