import type { LineWriter } from '@authz-service/pdp/sinks/line-writer';
import { type Logger, pino } from 'pino';
import type { LogLevel } from './config/settings.js';

export type { Logger } from 'pino';

/**
 * The agent's own log: one JSON line per record with `time` (ISO 8601, UTC), `level` in capitals and `msg`. It goes to
 * standard error, so that standard output carries only decision lines, whatever the log level.
 */
export function createLog(level: LogLevel, writer: LineWriter): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    },
    writer,
  );
}
