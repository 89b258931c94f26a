import type { Duplex } from 'node:stream';
import { DEFAULT_WINDOW_BYTES, FLAG, FRAME, FRAME_BYTES_MAX, FRAME_HEAD } from './http2-frames.js';

const WINDOW_MAX = 0x7fff_ffff;
const WRITE_BYTES_MIN = 2048;
const NONE = Buffer.alloc(0);

/** Header blocks, and the data between them; without `trailers` the answer is its head alone. */
export interface Reply {
  head: Buffer;
  data?: Buffer;
  trailers?: Buffer;
}

interface Outgoing {
  /** How much data the other end takes for this stream; below zero when it has narrowed its windows. */
  window: number;
  reply?: Reply;
  sent: number;
  left?: (() => void) | undefined;
}

/**
 * What a connection sends. Frames of one turn of the event loop leave in one write. Data keeps within the windows that
 * the other end gives the connection and each stream (section 5.2), and waits for wider ones in the order of replies.
 */
export class Outbox {
  frameBytesMax = FRAME_BYTES_MAX;
  private readonly streams = new Map<number, Outgoing>();
  private window = DEFAULT_WINDOW_BYTES;
  private initialWindow = DEFAULT_WINDOW_BYTES;
  /** Streams whose data has not left whole. */
  private readonly waiting = new Set<number>();
  /** What leaves with the next write, in its first octets. */
  private frames = NONE;
  private length = 0;
  private callbacks: (() => void)[] = [];
  private flushing = false;
  private ended = false;

  constructor(private readonly socket: Duplex) {}

  /** Streams that the other end has opened and that have neither been answered whole nor reset. */
  get streamCount(): number {
    return this.streams.size;
  }

  open(stream: number): void {
    this.streams.set(stream, { window: this.initialWindow, sent: 0 });
  }

  frame(type: number, flags: number, stream: number, payload: Uint8Array): void {
    const at = this.reserve(FRAME_HEAD + payload.length);
    const { frames } = this;
    frames.writeUIntBE(payload.length, at, 3);
    frames[at + 3] = type;
    frames[at + 4] = flags;
    frames.writeUInt32BE(stream, at + 5);
    frames.set(payload, at + FRAME_HEAD);
    if (this.flushing) return;
    this.flushing = true;
    setImmediate(() => this.flush());
  }

  /** `left` runs when the answer has been handed to the operating system, or cannot be any more. */
  reply(stream: number, reply: Reply, left?: () => void): void {
    const outgoing = this.streams.get(stream);
    if (this.ended || outgoing === undefined) {
      left?.();
      return;
    }
    const endsWithHead = reply.trailers === undefined;
    this.frame(FRAME.headers, FLAG.endHeaders | (endsWithHead ? FLAG.endStream : 0), stream, reply.head);
    outgoing.left = left;
    if (endsWithHead) {
      this.finish(stream, outgoing);
      return;
    }
    outgoing.reply = reply;
    this.waiting.add(stream);
    this.pump();
  }

  /** The stream was reset: nobody reads what is still to be sent. */
  forget(stream: number): void {
    this.waiting.delete(stream);
    this.streams.get(stream)?.left?.();
    this.streams.delete(stream);
  }

  /** Whether the window stays within what the protocol allows. Stream 0 is the connection. */
  widen(stream: number, bytes: number): boolean {
    if (stream === 0) this.window += bytes;
    const outgoing = this.streams.get(stream);
    if (outgoing !== undefined) outgoing.window += bytes;
    this.pump();
    return this.window <= WINDOW_MAX && (outgoing?.window ?? 0) <= WINDOW_MAX;
  }

  /** It counts for streams that are open already, too (section 6.9.2). */
  setInitialWindow(bytes: number): boolean {
    for (const outgoing of this.streams.values()) outgoing.window += bytes - this.initialWindow;
    this.initialWindow = bytes;
    this.pump();
    return bytes <= WINDOW_MAX;
  }

  /** Sends now what otherwise leaves at the end of this turn of the event loop. */
  flush(): void {
    this.flushing = false;
    const { callbacks } = this;
    const frames = this.frames.subarray(0, this.length);
    this.frames = NONE;
    this.length = 0;
    this.callbacks = [];
    const left = () => {
      for (const callback of callbacks) callback();
    };
    if (this.ended) left();
    else this.socket.write(frames, left);
  }

  /** The connection is gone. */
  end(): void {
    this.ended = true;
    for (const stream of [...this.streams.keys()]) this.forget(stream);
  }

  /** Makes room for so many octets more, and says where. */
  private reserve(bytes: number): number {
    const at = this.length;
    this.length += bytes;
    if (this.length > this.frames.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.length, 2 * this.frames.length, WRITE_BYTES_MIN));
      this.frames.copy(grown, 0, 0, at);
      this.frames = grown;
    }
    return at;
  }

  private pump(): void {
    for (const stream of this.waiting) {
      const outgoing = this.streams.get(stream);
      if (outgoing?.reply !== undefined && this.sendData(stream, outgoing, outgoing.reply)) {
        this.waiting.delete(stream);
        this.finish(stream, outgoing);
      }
    }
  }

  /** Whether all of it has been sent. */
  private sendData(stream: number, outgoing: Outgoing, { data = NONE, trailers }: Reply): boolean {
    while (outgoing.sent < data.length) {
      const room = Math.min(this.window, outgoing.window, this.frameBytesMax);
      if (room <= 0) return false;
      const part = data.subarray(outgoing.sent, outgoing.sent + room);
      this.frame(FRAME.data, 0, stream, part);
      outgoing.sent += part.length;
      outgoing.window -= part.length;
      this.window -= part.length;
    }
    if (trailers !== undefined) this.frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, stream, trailers);
    return true;
  }

  private finish(stream: number, { left }: Outgoing): void {
    this.streams.delete(stream);
    if (left !== undefined) this.callbacks.push(left);
  }
}
