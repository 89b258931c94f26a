import { type Logger, pino } from 'pino';
import type { LogLevel } from './config.js';

/** JSON lines on standard error: standard output belongs to the line that says where the cloud listens. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
