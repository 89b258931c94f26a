import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';

/** One entry of a script, as `test/vectors/README.md` has it. */
export interface Step {
  expect?: {
    method?: string;
    path?: string;
    headers?: Record<string, string | null>;
    body?: unknown;
    form?: Record<string, string>;
  };
  reply: {
    /** A text can be a status that is no number of HTTP's. */
    status?: number | string;
    headers?: Record<string, string>;
    /** Statuses of answers before the answer. */
    interim?: number[];
    /** Bytes that are sent with the end of the answer. */
    after?: string;
    json?: unknown;
    text?: string;
    delayMs?: number;
    fault?: 'reset' | 'half' | 'silent' | 'slowHeader' | 'garbage';
  };
}

interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A request that arrived, and the step of the script that answered it. */
interface Exchange {
  request: Request;
  step: Step | undefined;
}

/** Answers from a script over plain sockets, so that it can also answer wrongly. */
export async function startVectorServer(script: readonly Step[], socketPath?: string) {
  const exchanges: Exchange[] = [];
  const sockets = new Set<Socket>();
  const left = [...script];
  let url = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (let taken = takeRequest(received); taken !== undefined; taken = takeRequest(received)) {
        received = taken.rest;
        const step = left.shift();
        exchanges.push({ request: taken.request, step });
        reply(socket, step?.reply ?? { status: 599, text: 'a request too many' }, url, taken.request);
      }
    });
  });
  await once(socketPath === undefined ? server.listen(0, '127.0.0.1') : server.listen(socketPath), 'listening');
  url =
    socketPath === undefined ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : `unix://${socketPath}`;
  return {
    url,
    exchanges,
    left,
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function takeRequest(received: Buffer): { request: Request; rest: Buffer } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  const headers = Object.fromEntries(
    lines.map((text) => {
      const colon = text.indexOf(':');
      return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()];
    }),
  );
  const until = end + 4 + Number(headers['content-length'] ?? 0);
  if (received.length < until) return undefined;
  const body = received.subarray(end + 4, until).toString('utf8');
  return { request: { method, path, headers, body }, rest: received.subarray(until) };
}

async function reply(
  socket: Socket,
  { fault, delayMs, ...answer }: Step['reply'],
  url: string,
  request: Request,
): Promise<void> {
  if (delayMs !== undefined) await later(delayMs);
  if (fault === 'reset') return void (url.startsWith('unix:') ? socket.destroy() : socket.resetAndDestroy());
  if (fault === 'half') return void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"decision":');
  if (fault === 'garbage') return void socket.end('\u0000\u0001 this is no HTTP\r\n\r\n');
  if (fault === 'silent') return;
  if (fault === 'slowHeader') {
    socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
    while (!socket.destroyed) {
      socket.write('a');
      await later(100);
    }
    return;
  }
  const text = answer.text ?? JSON.stringify(answer.json ?? {}).replaceAll('"BASE', `"${url}`);
  const requestId = request.headers['x-request-id'] ?? '';
  const head = Object.entries(answer.headers ?? {}).map(
    ([name, value]) => `${name}: ${value.replace('REQUEST_ID', requestId)}\r\n`,
  );
  for (const status of answer.interim ?? []) socket.write(`HTTP/1.1 ${status} Interim\r\nlink: </x>\r\n\r\n`);
  socket.write(
    `HTTP/1.1 ${answer.status ?? 200} Scripted\r\n${head.join('')}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}${answer.after ?? ''}`,
  );
}
