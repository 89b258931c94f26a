import { type Logger, pino } from 'pino';
import type { LogLevel } from './log-levels.js';

/** Lines are joined up to so much, anew for each line: the whole of a large text would be copied each time. */
const WRITE_BYTES = 4096;

/**
 * JSON lines on standard error, because standard output carries only the line that says where the cloud listens. Lines
 * are written asynchronously, so that requests do not wait; `flush` waits for them.
 */
export function createLogger(level: LogLevel): { log: Logger; flush(): void } {
  const destination = pino.destination({ dest: 2, sync: false, maxWrite: WRITE_BYTES });
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
