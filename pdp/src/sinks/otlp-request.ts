import { JsonLogsSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { fieldsOf } from './log-line.js';
import type { LogOrigin } from './log-origin.js';

/** Numbers of OpenTelemetry's log data model. */
const SEVERITY = { info: 9, warn: 13 };

/** The body of a request for OTLP's logs, in JSON: each line is the body of a record, and its id `log.record.uid`. */
export function otlpRequest(lines: readonly string[], { service, version, process }: LogOrigin): string {
  const attributes = { 'service.name': service, 'service.version': version, 'service.instance.id': process };
  const resource = { attributes } as unknown as ReadableLogRecord['resource'];
  const instrumentationScope = { name: service, version };
  const records = lines.map((line): ReadableLogRecord => {
    const { time, level, msg, id } = fieldsOf(line);
    const ms = Date.parse(String(time));
    const hrTime: [number, number] = [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
    return {
      hrTime,
      hrTimeObserved: hrTime,
      severityText: String(level),
      severityNumber: level === 'WARN' ? SEVERITY.warn : SEVERITY.info,
      eventName: `authz.${msg}`,
      body: line,
      resource,
      instrumentationScope,
      attributes: id === undefined ? {} : { 'log.record.uid': String(id) },
      droppedAttributesCount: 0,
    };
  });
  return new TextDecoder().decode(JsonLogsSerializer.serializeRequest(records));
}
