/** The program's own log, as sinks use it. */
export interface SinkLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
