/**
 * Unary gRPC over HTTP/2, as much of it as one Terraform process and its plugin need: no compression, no streaming.
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
import { constants } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { encodeHeaders, type Header } from './hpack.js';
import { type Exchange, serveHttp2 } from './http2.js';
import type { Reply } from './http2-outbox.js';

const STATUS = { ok: 0, unimplemented: 12, internal: 13 } as const;

/**
 * Takes a request message and gives the response message; null gives a status without a message. What is given to
 * `afterwards` runs when the answer has left, or cannot any more.
 */
export type UnaryMethod = (
  request: Buffer,
  afterwards: (run: () => void) => void,
) => Promise<Buffer | null> | Buffer | null;

/** Who the server is, and the only one that it serves: key and certificate in PEM, the client's certificate in DER. */
export interface Identity {
  key: string;
  cert: string;
  client: Buffer;
}

export interface GrpcServer {
  server: Server;
  /** Makes what encrypts, which takes 3 ms and else is done for the first connection. */
  prepare(): void;
}

/**
 * A server of these methods, by path (`/package.Service/Method`). With an identity it takes encrypted connections only,
 * and of those only the client's. A method that throws answers status INTERNAL with the error's message.
 */
export function grpcServer(methods: ReadonlyMap<string, UnaryMethod>, identity?: Identity): GrpcServer {
  const serve = (exchange: Exchange) => void answer(exchange, methods);
  if (identity === undefined) return { server: createServer((socket) => serveHttp2(socket, serve)), prepare() {} };
  let making: Promise<Server> | undefined;
  const prepare = () => {
    making ??= encrypting(identity, serve);
    return making;
  };
  return { server: createServer(async (socket) => (await prepare()).emit('connection', socket)), prepare };
}

/** What takes connections over and encrypts them. */
async function encrypting({ key, cert, client }: Identity, serve: (exchange: Exchange) => void): Promise<Server> {
  const { createServer: createSecureServer } = await import('node:tls');
  const options = {
    key,
    cert,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2'],
    secureOptions: constants.SSL_OP_NO_TICKET,
    requestCert: true,
    // The one certificate is compared, and nobody vouches for others. A list of authorities, be it of one, makes Node read
    // those of all the world first, for 20 ms.
    rejectUnauthorized: false,
    ca: [],
  } satisfies TlsOptions;
  return createSecureServer(options, (socket) => {
    const { raw } = socket.getPeerCertificate();
    if (raw?.equals(client)) serveHttp2(socket, serve);
    else socket.destroy();
  });
}

const HEAD: readonly Header[] = [
  [':status', '200'],
  ['content-type', 'application/grpc'],
];
const ENCODED_HEAD = encodeHeaders(HEAD);
const ENCODED_OK = encodeHeaders([['grpc-status', String(STATUS.ok)]]);

async function answer(exchange: Exchange, methods: ReadonlyMap<string, UnaryMethod>): Promise<void> {
  const path = exchange.headers.find(([name]) => name === ':path')?.[1] ?? '';
  const method = methods.get(path);
  if (method === undefined) {
    exchange.answer(statusOnly(STATUS.unimplemented, `unknown method ${path}`));
    return;
  }
  let left: (() => void) | undefined;
  let reply: Reply;
  try {
    const response = await method(unframe(exchange.body), (run) => {
      left = run;
    });
    reply =
      response === null ? statusOnly(STATUS.ok) : { head: ENCODED_HEAD, data: framed(response), trailers: ENCODED_OK };
  } catch (error) {
    reply = statusOnly(STATUS.internal, error instanceof Error ? error.message : String(error));
  }
  exchange.answer(reply, left);
}

/** A message is framed by a flag (compressed or not) and its length. */
function framed(message: Buffer): Buffer {
  const data = Buffer.allocUnsafe(5 + message.length);
  data[0] = 0;
  data.writeUInt32BE(message.length, 1);
  message.copy(data, 5);
  return data;
}

function unframe(body: Buffer): Buffer {
  if (body.length === 0) return body;
  if (body.length < 5 || body.length !== 5 + body.readUInt32BE(1)) throw new Error('malformed gRPC: not one message');
  if (body[0] !== 0) throw new Error('malformed gRPC: compressed messages were not agreed on');
  return body.subarray(5);
}

/** A status without a message: headers and trailers in one. The message is percent-encoded, as the protocol asks; what is no text becomes U+FFFD. */
function statusOnly(status: number, text = ''): Reply {
  const told: Header[] = [['grpc-status', String(status)]];
  if (text !== '') told.push(['grpc-message', encodeURIComponent(Buffer.from(text).toString())]);
  return { head: encodeHeaders([...HEAD, ...told]) };
}
