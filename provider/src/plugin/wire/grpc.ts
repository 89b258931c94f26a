/**
 * Unary gRPC over HTTP/2, as much of it as one Terraform process and its plugin need: no compression, no streaming.
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
import {
  constants,
  createSecureServer,
  createServer,
  type Http2Server,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';

const STATUS = { ok: 0, unimplemented: 12, internal: 13 } as const;

/** Large, so that the answer to a thousand resources or a schema is not held up by window updates. */
const WINDOW_BYTES = 8 * 1024 * 1024;
const SESSION_MEMORY_MIB = 512;

/**
 * Takes a request message and gives the response message; null gives a status without a message. `replied` resolves
 * when the answer has left, or cannot any more.
 */
export type UnaryMethod = (request: Buffer, replied: Promise<void>) => Promise<Buffer | null> | Buffer | null;

const SETTINGS: ServerOptions = {
  settings: { initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: 1024 },
  maxSessionMemory: SESSION_MEMORY_MIB,
};

/**
 * A server of these methods, by path (`/package.Service/Method`). With `tls` it takes encrypted connections only.
 * A method that throws answers status INTERNAL with the error's message.
 */
export function grpcServer(methods: ReadonlyMap<string, UnaryMethod>, tls?: SecureServerOptions): Http2Server {
  const server = tls === undefined ? createServer(SETTINGS) : createSecureServer({ ...SETTINGS, ...tls });
  server.on('session', (session: ServerHttp2Session) => {
    session.setLocalWindowSize(WINDOW_BYTES);
    // A connection that breaks takes its streams with it; there is nobody left to tell.
    session.on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    const path = headers[':path'] ?? '';
    const method = methods.get(path);
    if (method === undefined) finish(stream, STATUS.unimplemented, `unknown method ${path}`);
    else {
      answer(stream, method).catch((error: unknown) => {
        finish(stream, STATUS.internal, error instanceof Error ? error.message : String(error));
      });
    }
  });
  return server;
}

async function answer(stream: ServerHttp2Stream, method: UnaryMethod): Promise<void> {
  const replied = new Promise<void>((resolve) => stream.once('close', resolve));
  const response = await method(unframe(await bodyOf(stream)), replied);
  if (response === null) {
    finish(stream, STATUS.ok);
    return;
  }
  if (stream.destroyed || stream.closed) return;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(STATUS.ok) }));
  const frame = Buffer.allocUnsafe(5 + response.length);
  frame[0] = 0;
  frame.writeUInt32BE(response.length, 1);
  response.copy(frame, 5);
  stream.end(frame);
}

/** The whole body, by events: an async iterator costs as much as all the rest of a call. Never settles if cut off. */
function bodyOf(stream: ServerHttp2Stream): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
  });
}

/** A message is framed by a flag (compressed or not) and its length. */
function unframe(body: Buffer): Buffer {
  if (body.length === 0) return body;
  if (body.length < 5 || body.length !== 5 + body.readUInt32BE(1)) throw new Error('malformed gRPC: not one message');
  if (body[0] !== 0) throw new Error('malformed gRPC: compressed messages were not agreed on');
  return body.subarray(5);
}

/** A status without a message: headers and trailers in one. The message is percent-encoded, as the protocol asks. */
function finish(stream: ServerHttp2Stream, status: number, text = ''): void {
  if (stream.destroyed || stream.closed) return;
  if (stream.headersSent) {
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return;
  }
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(status),
      ...(text === '' ? {} : { 'grpc-message': encodeURIComponent(text) }),
    },
    { endStream: true },
  );
}
