/**
 * The server's side of one HTTP/2 connection (RFC 9113), for requests and answers that are small and whole. Node's own
 * makes a stream object with its events of every request, which took a third of the time of a plan of a thousand
 * resources; here a request is one call, and what is answered at the same time leaves in one write.
 */
import type { Duplex } from 'node:stream';
import { type Header, HeaderDecoder } from './hpack.js';
import { DEFAULT_WINDOW_BYTES, FLAG, FRAME, FRAME_BYTES_MAX, FRAME_HEAD } from './http2-frames.js';
import { Outbox, type Reply } from './http2-outbox.js';

const PADDED = 0x8;
const PRIORITY = 0x20;

const SETTING = { maxConcurrentStreams: 3, initialWindowSize: 4, maxFrameSize: 5 } as const;

const ERROR = { protocol: 1, flowControl: 3, frameSize: 6, refusedStream: 7, compression: 9 } as const;

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const HEADER_BLOCK_BYTES_MAX = 64 * 1024;
/** Large, so that a thousand resources are not held up by window updates; half of it used up renews it. */
const WINDOW_BYTES = 8 * 1024 * 1024;
const CONCURRENT_STREAMS = 1024;
/** What three octets can say, and the largest frame that may be agreed on (section 6.5.2). */
const FRAME_BYTES_AGREED_MAX = 2 ** 24 - 1;

/** A request that has come whole. */
export interface Exchange {
  headers: readonly Header[];
  body: Buffer;
  /** `left` runs when the answer has been handed to the operating system, or cannot be any more. */
  answer(reply: Reply, left?: () => void): void;
}

/** What the other end did against the protocol. The connection ends with it (section 5.4.1). */
class ConnectionError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

interface Incoming {
  headers: readonly Header[];
  chunks: Buffer[];
  /** Octets taken since the stream's window was renewed last. */
  taken: number;
}

/** Serves a connection until it ends. Its faults end it and nothing else. */
export function serveHttp2(socket: Duplex, serve: (exchange: Exchange) => void): void {
  const connection = new Connection(socket, serve);
  socket.on('data', (chunk: Buffer) => connection.take(chunk));
  socket.on('error', () => {});
  socket.on('close', () => connection.end());
}

class Connection {
  private readonly outbox: Outbox;
  private readonly decoder = new HeaderDecoder();
  private readonly incoming = new Map<number, Incoming>();
  /** What came of a frame whose rest is still to come. */
  private rest: Buffer | undefined;
  private greeted = false;
  private lastStream = 0;
  private taken = 0;
  /** A header block in several frames, between which no other may stand. */
  private block: { stream: number; ends: boolean; parts: Buffer[]; bytes: number } | undefined;

  constructor(
    private readonly socket: Duplex,
    private readonly serve: (exchange: Exchange) => void,
  ) {
    this.outbox = new Outbox(socket);
    const settings = Buffer.alloc(12);
    settings.writeUInt16BE(SETTING.maxConcurrentStreams, 0);
    settings.writeUInt32BE(CONCURRENT_STREAMS, 2);
    settings.writeUInt16BE(SETTING.initialWindowSize, 6);
    settings.writeUInt32BE(WINDOW_BYTES, 8);
    this.outbox.frame(FRAME.settings, 0, 0, settings);
    this.renewWindow(0, WINDOW_BYTES - DEFAULT_WINDOW_BYTES);
  }

  end(): void {
    this.outbox.end();
  }

  take(chunk: Buffer): void {
    try {
      this.rest = this.takeFrames(this.rest === undefined ? chunk : Buffer.concat([this.rest, chunk]));
    } catch (error) {
      const code = error instanceof ConnectionError ? error.code : ERROR.compression;
      const farewell = [uint32(this.lastStream), uint32(code), Buffer.from((error as Error).message)];
      this.outbox.frame(FRAME.goAway, 0, 0, Buffer.concat(farewell));
      this.outbox.flush();
      this.socket.destroy();
    }
  }

  private takeFrames(input: Buffer): Buffer | undefined {
    let at = 0;
    if (!this.greeted) {
      if (input.length < PREFACE.length) return input;
      if (!input.subarray(0, PREFACE.length).equals(PREFACE)) throw new ConnectionError(ERROR.protocol, 'no HTTP/2');
      this.greeted = true;
      at = PREFACE.length;
    }
    while (input.length - at >= FRAME_HEAD) {
      const length = input.readUIntBE(at, 3);
      if (length > FRAME_BYTES_MAX) throw new ConnectionError(ERROR.frameSize, `a frame of ${length} octets`);
      const end = at + FRAME_HEAD + length;
      if (input.length < end) break;
      const stream = input.readUInt32BE(at + 5) & 0x7fff_ffff;
      this.takeFrame(input[at + 3] ?? 0, input[at + 4] ?? 0, stream, input.subarray(at + FRAME_HEAD, end));
      at = end;
    }
    return at === input.length ? undefined : input.subarray(at);
  }

  private takeFrame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (this.block !== undefined && (type !== FRAME.continuation || stream !== this.block.stream)) {
      throw new ConnectionError(ERROR.protocol, 'a header block is interrupted');
    }
    switch (type) {
      case FRAME.headers:
        this.takeHeaders(flags, stream, payload);
        return;
      case FRAME.continuation:
        this.takeBlock(flags, payload);
        return;
      case FRAME.data:
        this.takeData(flags, stream, payload);
        return;
      case FRAME.reset:
        this.incoming.delete(stream);
        this.outbox.forget(stream);
        return;
      case FRAME.settings:
        if ((flags & FLAG.ack) === 0) this.takeSettings(payload);
        return;
      case FRAME.ping:
        if (payload.length !== 8) throw new ConnectionError(ERROR.frameSize, 'a ping has eight octets');
        if ((flags & FLAG.ack) === 0) this.outbox.frame(FRAME.ping, FLAG.ack, 0, payload);
        return;
      case FRAME.windowUpdate:
        if (payload.length !== 4) throw new ConnectionError(ERROR.frameSize, 'a window update has four octets');
        if (!this.outbox.widen(stream, payload.readUInt32BE(0) & 0x7fff_ffff)) {
          throw new ConnectionError(ERROR.flowControl, 'a window is wider than 2^31-1');
        }
        return;
      case FRAME.pushPromise:
        throw new ConnectionError(ERROR.protocol, 'clients push nothing');
      default:
        // Priorities, farewells and whatever extensions there are ask for nothing (section 5.5).
        return;
    }
  }

  private takeHeaders(flags: number, stream: number, payload: Buffer): void {
    if (stream % 2 === 0 || stream <= this.lastStream) {
      throw new ConnectionError(ERROR.protocol, `stream ${stream} opened after ${this.lastStream}`);
    }
    this.lastStream = stream;
    const fragment = unpadded(flags, payload).subarray((flags & PRIORITY) === 0 ? 0 : 5);
    this.block = { stream, ends: (flags & FLAG.endStream) !== 0, parts: [], bytes: 0 };
    this.takeBlock(flags, fragment);
  }

  private takeBlock(flags: number, fragment: Buffer): void {
    const { block } = this;
    if (block === undefined) throw new ConnectionError(ERROR.protocol, 'no header block goes on');
    block.parts.push(fragment);
    // Frames count as well: there may be any number of empty ones.
    block.bytes += FRAME_HEAD + fragment.length;
    if (block.bytes > HEADER_BLOCK_BYTES_MAX) throw new ConnectionError(ERROR.protocol, 'a header block is too large');
    if ((flags & FLAG.endHeaders) === 0) return;
    this.block = undefined;
    // A refused stream's fields, too, belong to what both ends remember.
    const headers = this.decoder.decode(whole(block.parts));
    if (this.outbox.streamCount >= CONCURRENT_STREAMS) {
      this.outbox.frame(FRAME.reset, 0, block.stream, uint32(ERROR.refusedStream));
      return;
    }
    this.incoming.set(block.stream, { headers, chunks: [], taken: 0 });
    this.outbox.open(block.stream);
    if (block.ends) this.complete(block.stream);
  }

  private takeData(flags: number, stream: number, payload: Buffer): void {
    if (stream === 0 || stream > this.lastStream) throw new ConnectionError(ERROR.protocol, `no stream ${stream}`);
    this.taken += payload.length;
    if (this.taken >= WINDOW_BYTES / 2) {
      this.renewWindow(0, this.taken);
      this.taken = 0;
    }
    const incoming = this.incoming.get(stream);
    // A stream that was reset may still have data on its way.
    if (incoming === undefined) return;
    incoming.chunks.push(unpadded(flags, payload));
    if ((flags & FLAG.endStream) !== 0) {
      this.complete(stream);
      return;
    }
    incoming.taken += payload.length;
    if (incoming.taken >= WINDOW_BYTES / 2) {
      this.renewWindow(stream, incoming.taken);
      incoming.taken = 0;
    }
  }

  private complete(stream: number): void {
    const incoming = this.incoming.get(stream);
    if (incoming === undefined) return;
    this.incoming.delete(stream);
    const { headers, chunks } = incoming;
    this.serve({ headers, body: whole(chunks), answer: (reply, left) => this.outbox.reply(stream, reply, left) });
  }

  private takeSettings(payload: Buffer): void {
    if (payload.length % 6 !== 0) throw new ConnectionError(ERROR.frameSize, 'settings have six octets each');
    for (let at = 0; at < payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      switch (payload.readUInt16BE(at)) {
        case SETTING.initialWindowSize:
          if (!this.outbox.setInitialWindow(value)) {
            throw new ConnectionError(ERROR.flowControl, 'a window is wider than 2^31-1');
          }
          break;
        case SETTING.maxFrameSize:
          if (value < FRAME_BYTES_MAX || value > FRAME_BYTES_AGREED_MAX) {
            throw new ConnectionError(ERROR.protocol, `frames of ${value} octets cannot be agreed on`);
          }
          this.outbox.frameBytesMax = value;
          break;
      }
    }
    this.outbox.frame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(0));
  }

  private renewWindow(stream: number, bytes: number): void {
    this.outbox.frame(FRAME.windowUpdate, 0, stream, uint32(bytes));
  }
}

function unpadded(flags: number, payload: Buffer): Buffer {
  if ((flags & PADDED) === 0) return payload;
  const padding = payload[0] ?? 0;
  if (padding >= payload.length) throw new ConnectionError(ERROR.protocol, 'a frame is all padding');
  return payload.subarray(1, payload.length - padding);
}

function uint32(value: number): Buffer {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(value);
  return octets;
}

function whole(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}
