/** The program whose log it is. */
export interface LogOrigin {
  /** `service.name` in OpenTelemetry, APP-NAME in syslog. */
  service: string;
  version: string;
  /** The process that writes: `service.instance.id`. */
  process: string;
}
