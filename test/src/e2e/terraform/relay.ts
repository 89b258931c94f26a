import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The handling of a request: it is passed on, answered here, or passed on with its answer lost. */
export type Handling = 'pass' | 'busy' | 'refuse' | 'lose' | 'reset';

/** Sits between the provider and a cloud, counts requests, and can interfere. */
export class Relay {
  readonly seen: string[] = [];
  /** Decides on each request; it may take its time. */
  handling: (line: string) => Handling | Promise<Handling> = () => 'pass';

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(target: string): Promise<Relay> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const relay = new Relay(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (incoming, answer) => {
      relay.serve(target, incoming, answer).catch(() => answer.destroy());
    });
    return relay;
  }

  /** How many requests with this method and path have arrived. */
  count(line: string): number {
    return this.seen.filter((seen) => seen === line).length;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(target: string, incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const line = `${incoming.method} ${incoming.url}`;
    this.seen.push(line);
    const body: Buffer[] = [];
    for await (const chunk of incoming) body.push(chunk);
    const handling = await this.handling(line);
    if (handling === 'reset') {
      incoming.socket.destroy();
      return;
    }
    if (handling === 'busy' || handling === 'refuse') {
      const [status, code] = handling === 'busy' ? [503, 'not_ready'] : [403, 'forbidden'];
      answer.writeHead(status as number, { 'content-type': 'application/problem+json' });
      answer.end(JSON.stringify({ code, detail: handling }));
      return;
    }
    const { method, headers, url = '/' } = incoming;
    const outgoing = request(new URL(url, target), { ...(method !== undefined && { method }), headers });
    outgoing.end(Buffer.concat(body));
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of reply) chunks.push(chunk);
    if (handling === 'lose') {
      incoming.socket.destroy();
      return;
    }
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    answer.end(Buffer.concat(chunks));
  }
}
