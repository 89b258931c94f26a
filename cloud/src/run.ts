import { drained, stopSignal } from '@authz-service/pdp/transport/stop-signal';
import type { CloudConfig } from './config/config.js';
import { type StartOptions, startCloud } from './main.js';

export interface RunOptions extends StartOptions {
  /** Called with the address once requests are answered. */
  onListening(url: string): Promise<void>;
}

/** Runs the cloud in this process until SIGTERM or SIGINT. Throws as `startCloud` does. */
export async function runCloud(config: CloudConfig, { onListening, ...options }: RunOptions): Promise<void> {
  const stopped = stopSignal();
  const cloud = await startCloud(config, options);
  await onListening(cloud.url);
  await drained(await stopped, config.drainMs, () => cloud.drain());
  await cloud.close();
}
