import { type Logger, pino } from 'pino';
import type { LogLevel } from './config.js';

/**
 * JSON lines on standard error, because standard output carries only the line that says where the cloud listens. Lines
 * are written asynchronously, so that requests do not wait; `flush` waits for them.
 */
export function createLogger(level: LogLevel): { log: Logger; flush(): void } {
  const destination = pino.destination({ dest: 2, sync: false });
  const log = pino(
    {
      level,
      base: undefined,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    },
    destination,
  );
  return { log, flush: () => destination.flushSync() };
}
