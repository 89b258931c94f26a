import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { destination, pino } from 'pino';
import { clientOf, senderOf } from '../config/connect.js';
import type { Connection } from '../config/connection.js';
import { readSyncConfig } from './config/sync-config.js';
import { Controller } from './controller.js';
import { holderName } from './lease.js';
import type { RunCommand } from './run-command.js';
import { SyncMetrics } from './sync-metrics.js';
import { startSyncServer } from './sync-server.js';

export interface SyncOptions {
  /** The file that names the stacks. */
  file: string;
  dataDir: string;
  connection: Connection;
  run: RunCommand;
  /** Absent: no HTTP. */
  listen: { host: string; port: number } | undefined;
  /** Called with the address once it listens. */
  onListening(url: string): Promise<void>;
}

/** Follows all stacks of a file until the signal aborts. Throws `invalid_config`. */
export async function runSync(options: SyncOptions, signal: AbortSignal): Promise<void> {
  const { file, dataDir, connection, run, listen, onListening } = options;
  const configs = await readSyncConfig(file);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const log = pino(
    {
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    },
    destination({ dest: 2, sync: true }),
  );
  const metrics = new SyncMetrics();
  const [client, sender, holder] = [await clientOf(connection), await senderOf(connection), holderName()];
  const shared = { holder, dataDir, run, client, sender, metrics, log };
  const controllers = configs.map((config) => new Controller({ config, ...shared }));
  const server = listen && (await startSyncServer(listen, { controllers, metrics, log }));
  if (server !== undefined) {
    const { address, port, family } = server.address() as AddressInfo;
    await onListening(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}`);
  }
  log.info({ holder, stacks: configs.map(({ name }) => name) }, 'following');
  try {
    await Promise.all(controllers.map((controller) => controller.follow(signal)));
  } finally {
    server?.close();
    server?.closeAllConnections();
  }
}
