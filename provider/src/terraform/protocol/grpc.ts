/**
 * Unary gRPC over `node:http2`, limited to what one Terraform process and its plugin need: no compression, no
 * streaming. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
import { constants } from 'node:crypto';
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';

const STATUS = { ok: 0, unimplemented: 12, internal: 13 } as const;

/** Terraform sends as many concurrent calls as it has resources to read, and messages of any size. */
const OPTIONS: ServerOptions = {
  settings: { maxConcurrentStreams: 1024, initialWindowSize: 2 ** 20 },
  maxSessionMemory: 1024,
};

/**
 * Takes a request message and returns the response message; null stands for a status without a message. What is passed
 * to `afterwards` runs once the answer has been sent or can no longer be sent.
 */
export type UnaryMethod = (
  request: Buffer,
  afterwards: (run: () => void) => void,
) => Promise<Uint8Array | null> | Uint8Array | null;

/** The server's identity and its only client: key and certificate in PEM, the client's certificate in DER. */
export interface Identity {
  key: string;
  cert: string;
  client: Buffer;
}

/**
 * A server of these methods, by path (`/package.Service/Method`). With an identity it accepts only encrypted
 * connections from that one client. If a method throws, the status is INTERNAL with the error's message.
 */
export function grpcServer(methods: ReadonlyMap<string, UnaryMethod>, identity?: Identity): Http2Server {
  const server = identity === undefined ? createServer(OPTIONS) : encrypted(identity);
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    // A caller that gives up resets its stream, and nobody waits for the answer any more.
    stream.on('error', () => {});
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const path = headers[':path'] ?? '';
      void answer(stream, methods.get(path) ?? unknown(path), chunks);
    });
  });
  return server;
}

function encrypted({ key, cert, client }: Identity): Http2Server {
  const server = createSecureServer({
    ...OPTIONS,
    key,
    cert,
    minVersion: 'TLSv1.2',
    secureOptions: constants.SSL_OP_NO_TICKET,
    requestCert: true,
    // The client's certificate is compared with the expected one instead of being verified against authorities: any
    // list of authorities makes Node load all the root certificates, which takes 20 ms.
    rejectUnauthorized: false,
    ca: [],
  });
  server.on('session', (session) => {
    const { raw } = (session.socket as TLSSocket).getPeerCertificate();
    if (!raw?.equals(client)) session.destroy();
  });
  return server;
}

class Unimplemented extends Error {}

function unknown(path: string): UnaryMethod {
  return () => {
    throw new Unimplemented(`unknown method ${path}`);
  };
}

async function answer(stream: ServerHttp2Stream, method: UnaryMethod, chunks: Buffer[]): Promise<void> {
  let response: Uint8Array | null;
  try {
    response = await method(unframed(chunks), (run) => stream.once('close', run));
  } catch (error) {
    const status = error instanceof Unimplemented ? STATUS.unimplemented : STATUS.internal;
    respond(stream, statusHeaders(status, error instanceof Error ? error.message : String(error)));
    return;
  }
  respond(stream, statusHeaders(STATUS.ok), response);
}

/** Without a message, headers and trailers are sent as one. */
function respond(stream: ServerHttp2Stream, status: OutgoingHttpHeaders, message: Uint8Array | null = null): void {
  if (stream.destroyed || stream.closed) return;
  const head = { ':status': 200, 'content-type': 'application/grpc' };
  if (message === null) {
    stream.respond({ ...head, ...status }, { endStream: true });
    return;
  }
  stream.once('wantTrailers', () => stream.sendTrailers(status));
  stream.respond(head, { waitForTrailers: true });
  stream.end(framed(message));
}

/** A message is framed by a flag (compressed or not) and its length. */
function framed(message: Uint8Array): Buffer {
  const data = Buffer.allocUnsafe(5 + message.length);
  data[0] = 0;
  data.writeUInt32BE(message.length, 1);
  data.set(message, 5);
  return data;
}

function unframed(chunks: Buffer[]): Buffer {
  const body = Buffer.concat(chunks);
  if (body.length === 0) return body;
  if (body.length < 5 || body.length !== 5 + body.readUInt32BE(1)) throw new Error('malformed gRPC: not one message');
  if (body[0] !== 0) throw new Error('malformed gRPC: compressed messages were not agreed on');
  return body.subarray(5);
}

/** The protocol requires the message to be percent-encoded; characters that are not valid text become U+FFFD. */
function statusHeaders(status: number, text = ''): OutgoingHttpHeaders {
  return {
    'grpc-status': String(status),
    ...(text !== '' && { 'grpc-message': encodeURIComponent(Buffer.from(text).toString()) }),
  };
}
