import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** A span as it arrived; its attributes by name. */
export interface CollectedSpan {
  service: string;
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  status: { code?: number };
  attributes: { [name: string]: unknown };
}

/** A collector that takes OTLP (logs and traces, JSON) and JSON lines, and that can go away and come back at its port. */
export class LogCollector {
  /** The lines that it took, in order. */
  readonly lines: string[] = [];
  readonly spans: CollectedSpan[] = [];
  /** The resources of OTLP, as they came with each request. */
  readonly resources: object[] = [];
  #server: Server | undefined;
  #port = 0;

  static async start(): Promise<LogCollector> {
    const collector = new LogCollector();
    await collector.listen();
    return collector;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async listen(): Promise<void> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
      if (request.url === '/v1/traces') this.#takeSpans(JSON.parse(body));
      else if (request.url === '/v1/logs') this.#takeOtlp(JSON.parse(body));
      else this.lines.push(...body.trimEnd().split('\n'));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  /** The lines as text, each with its line feed. */
  get text(): string {
    return this.lines.map((line) => `${line}\n`).join('');
  }

  get parsed(): { [field: string]: unknown }[] {
    return this.lines.map((line) => JSON.parse(line));
  }

  // biome-ignore lint/suspicious/noExplicitAny: what came over the network
  #takeSpans({ resourceSpans }: any): void {
    // biome-ignore lint/suspicious/noExplicitAny: what came over the network
    const named = (attributes: any[]) =>
      Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(named(resource.attributes)['service.name']);
      for (const { spans } of scopeSpans)
        for (const span of spans) this.spans.push({ ...span, service, attributes: named(span.attributes) });
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: what came over the network
  #takeOtlp({ resourceLogs }: any): void {
    for (const { resource, scopeLogs } of resourceLogs) {
      this.resources.push(resource);
      for (const { logRecords } of scopeLogs) {
        for (const { body, attributes, timeUnixNano } of logRecords) {
          const line = body.stringValue;
          const { id, time } = JSON.parse(line);
          // The id is also where receivers look for it, and the time is that of the line.
          const [uid] = attributes.filter(({ key }: { key: string }) => key === 'log.record.uid');
          if (uid?.value.stringValue !== id) throw new Error(`the record of ${id} has another uid`);
          if (BigInt(timeUnixNano) !== BigInt(Date.parse(time)) * 1_000_000n) throw new Error(`${id} has another time`);
          this.lines.push(line);
        }
      }
    }
  }
}
