import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  /** `POST /v1/authorize?limit=1` */
  line: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** The reaction of the server to a request: it answers, resets the connection (`reset`), or never answers (`hang`). */
export type Reply =
  | { status?: number; json?: unknown; text?: string; headers?: Record<string, string> }
  | 'reset'
  | 'hang'
  | ((response: ServerResponse) => void);

export interface ScriptedServer {
  url: string;
  received: Received[];
  /** The replies to `POST /v1/authorize`, in order; the last one goes on. */
  script(line: string, ...replies: Reply[]): void;
  /** How many requests had this line. */
  count(line: string): number;
  close(): Promise<void>;
}

/** A real HTTP server on a free port that answers as it is told, and remembers what it was asked. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const received: Received[] = [];
  const scripts = new Map<string, Reply[]>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const line = `${request.method} ${request.url}`;
    received.push({ line, headers: request.headers, body: Buffer.concat(chunks).toString() });
    const replies = scripts.get(line) ?? [];
    reply(
      response,
      (replies.length > 1 ? replies.shift() : replies[0]) ?? { status: 404, json: { code: 'not_found' } },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    script: (line, ...replies) => void scripts.set(line, replies),
    count: (line) => received.filter((request) => request.line === line).length,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function reply(response: ServerResponse, what: Reply): void {
  if (what === 'hang') return;
  if (what === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (typeof what === 'function') {
    what(response);
    return;
  }
  const type = what.text !== undefined ? 'text/html' : 'application/json';
  response.writeHead(what.status ?? 200, { 'content-type': type, ...what.headers });
  response.end(what.text ?? (what.json === undefined ? undefined : JSON.stringify(what.json)));
}
