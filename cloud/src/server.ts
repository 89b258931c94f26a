import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ProblemError } from '@authz-service/core/problem';

const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 65_000;
const HEADER_BYTES_MAX = 16 * 1024;
/** How long running requests may take to end once the server stops. */
const DRAIN_MS = 10_000;
const IDLE_CHECK_MS = 50;
/** A fleet comes back at once: who finds the queue full tries again after a second, then two, and so on. */
const BACKLOG = 4096;

export interface Listening {
  port: number;
  /** Begins to answer, also what has come before. */
  open(): void;
  /** Accepts no more connections, lets running requests end, and cuts those that take too long. */
  stop(): Promise<void>;
}

/**
 * Takes the address, so that a start fails before anything is made if it cannot be had. What comes before `open` waits for it:
 * nobody is answered by what is not complete yet.
 */
export async function listen(
  at: { host: string; port: number },
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Listening> {
  let isOpen = false;
  const early: Parameters<typeof listener>[] = [];
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
    },
    (request, response) => (isOpen ? listener(request, response) : void early.push([request, response])),
  );
  server.on('clientError', refuse);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(at, error)));
    server.listen(at.port, at.host, BACKLOG, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    open: () => {
      isOpen = true;
      for (const one of early.splice(0)) listener(...one);
    },
    stop: () => {
      if (!isOpen) server.closeAllConnections();
      return stop(server);
    },
  };
}

function cannotListen({ host, port }: { host: string; port: number }, error: NodeJS.ErrnoException): ProblemError {
  return new ProblemError(
    'invalid_config',
    `Cannot listen on ${host}:${port} (${error.code}): choose another listen address, or port 0 for a free one.`,
    [],
    { cause: error },
  );
}

const UNREADABLE: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Bytes that are not an HTTP request reach no route: the answer says so, and the connection is closed. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = UNREADABLE[error.code ?? ''] ?? 400;
  const title = STATUS_CODES[status] ?? '';
  // The request id, if there is one, cannot be read.
  const id = randomUUID();
  const body = JSON.stringify({ type: 'about:blank', title, status, code: 'invalid_request', request_id: id });
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `X-Request-ID: ${id}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection becomes idle when its request ends; it would stay open as long as its client wants.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  server.closeIdleConnections();
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
