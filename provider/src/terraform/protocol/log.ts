/** The levels of hclog, from the most verbose to the least. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'off'] as const;
export type Level = (typeof LEVELS)[number];

/**
 * Writes log records to standard error the way Terraform reads them from plugins: one JSON object a line, whose
 * `@timestamp` has six fractional digits and whose `@message` is always a string (another type makes Terraform panic).
 */
export class Log {
  private readonly threshold: number;

  constructor(
    level: Level,
    private readonly module = 'provider',
    private readonly write: (line: string) => void = (line) => process.stderr.write(line),
  ) {
    this.threshold = LEVELS.indexOf(level);
  }

  enabled(level: Exclude<Level, 'off'>): boolean {
    return LEVELS.indexOf(level) >= this.threshold;
  }

  log(level: Exclude<Level, 'off'>, text: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (!this.enabled(level)) return;
    const record = {
      ...fields,
      '@level': level,
      '@message': text,
      '@module': this.module,
      '@timestamp': `${new Date().toISOString().slice(0, -1)}000Z`,
    };
    this.write(`${JSON.stringify(record)}\n`);
  }
}

/**
 * The level in `TF_LOG_PROVIDER`, or else in `TF_LOG`; without either, only errors are logged. `JSON` is a format and
 * means trace.
 */
export function levelFrom(env: NodeJS.ProcessEnv): Level {
  const text = (env.TF_LOG_PROVIDER || env.TF_LOG || 'error').toLowerCase();
  if (text === 'json') return 'trace';
  return LEVELS.find((level) => level === text) ?? 'trace';
}
