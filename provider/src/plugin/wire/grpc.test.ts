import { type ClientHttp2Session, connect } from 'node:http2';
import { type AddressInfo, connect as connectSocket, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grpcServer, type UnaryMethod } from './grpc.js';
import { FLAG, FRAME } from './http2-frames.js';

const MIB = 1024 * 1024;

let server: Server;
let client: ClientHttp2Session;
let left: number;

beforeEach(async () => {
  left = 0;
  ({ server } = grpcServer(
    new Map<string, UnaryMethod>([
      [
        '/t.S/Echo',
        async (request: Buffer, afterwards: (run: () => void) => void) => {
          afterwards(() => {
            left += 1;
          });
          return request;
        },
      ],
      ['/t.S/Status', () => null],
      ['/t.S/Grow', (request: Buffer) => Buffer.alloc(Number(request.toString()), 7)],
      [
        '/t.S/Fail',
        () => {
          throw new Error('bad: ä \ud800 %');
        },
      ],
    ]),
  ));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  client?.destroy();
  server.close();
});

const port = () => (server.address() as AddressInfo).port;

function open(settings?: { initialWindowSize?: number; maxFrameSize?: number }): void {
  client = connect(`http://127.0.0.1:${port()}`, settings ? { settings } : {});
}

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

interface Answer {
  message: Buffer | undefined;
  status: string | undefined;
  text: string | undefined;
}

function call(path: string, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = client.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
    const chunks: Buffer[] = [];
    let told: Record<string, unknown> = {};
    stream.on('response', (headers) => {
      expect(headers).toMatchObject({ ':status': 200, 'content-type': 'application/grpc' });
      told = { ...headers };
    });
    stream.on('trailers', (headers) => {
      told = { ...told, ...headers };
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('end', () => {
      const all = Buffer.concat(chunks);
      if (all.length > 0) expect([all[0], all.readUInt32BE(1)]).toEqual([0, all.length - 5]);
      resolve({
        message: all.length === 0 ? undefined : all.subarray(5),
        status: told['grpc-status'] as string | undefined,
        text: told['grpc-message'] as string | undefined,
      });
    });
    stream.end(body);
  });
}

const echoed = async (size: number) => {
  const message = Buffer.alloc(size, size % 251);
  const answer = await call('/t.S/Echo', framed(message));
  return answer.status === '0' && answer.message?.equals(message);
};

describe('a gRPC server', () => {
  it.each([0, 1, 16_384, 65_530, 65_536, 5 * MIB, 20 * MIB])('takes and gives a message of %d bytes', async (size) => {
    open();
    expect(await echoed(size)).toBe(true);
    await expect.poll(() => left).toBe(1);
  });

  it('answers many calls at once, in any sizes, within narrow windows', async () => {
    open({ initialWindowSize: 1000 });
    const sizes = Array.from({ length: 300 }, (_, index) => (index * 977) % 40_000);
    expect(await Promise.all(sizes.map(echoed))).toEqual(sizes.map(() => true));
    expect(await echoed(MIB)).toBe(true);
  });

  it('keeps to windows that are narrowed and widened while an answer is under way', async () => {
    open({ initialWindowSize: 70_000 });
    const large = call('/t.S/Grow', framed(Buffer.from(String(3 * MIB))));
    client.settings({ initialWindowSize: 100 });
    client.settings({ initialWindowSize: MIB });
    expect((await large).message?.length).toBe(3 * MIB);
  });

  it('gives a status without a message, and says that it knows no such method', async () => {
    open();
    expect(await call('/t.S/Status', framed(Buffer.alloc(0)))).toMatchObject({ message: undefined, status: '0' });
    expect(await call('/t.S/Nothing', Buffer.alloc(0))).toMatchObject({
      status: '12',
      text: encodeURIComponent('unknown method /t.S/Nothing'),
    });
  });

  it.each([
    ['a method that throws', '/t.S/Fail', framed(Buffer.alloc(0)), 'bad: ä \ufffd %'],
    [
      'two messages',
      '/t.S/Echo',
      Buffer.concat([framed(Buffer.from('a')), framed(Buffer.from('b'))]),
      'malformed gRPC: not one message',
    ],
    ['half a message', '/t.S/Echo', framed(Buffer.from('abc')).subarray(0, 6), 'malformed gRPC: not one message'],
    [
      'a compressed message',
      '/t.S/Echo',
      Buffer.from([1, 0, 0, 0, 0]),
      'malformed gRPC: compressed messages were not agreed on',
    ],
  ])('answers status INTERNAL to %s', async (_name, path, body, text) => {
    open();
    expect(await call(path, body)).toEqual({ message: undefined, status: '13', text: encodeURIComponent(text) });
    expect(await echoed(10)).toBe(true);
  });

  it('goes on when a caller gives up, before or while it is answered', async () => {
    open({ initialWindowSize: 10 });
    for (let index = 0; index < 20; index++) {
      const stream = client.request({ ':method': 'POST', ':path': '/t.S/Grow' });
      stream.on('error', () => {});
      if (index % 2 === 0) stream.end(framed(Buffer.from('100000')));
      if (stream.pending) await new Promise((resolve) => stream.once('ready', resolve));
      stream.close();
    }
    expect(await echoed(100)).toBe(true);
  });

  it('answers pings', async () => {
    open();
    await echoed(1);
    expect(await new Promise((resolve) => client.ping((error) => resolve(error)))).toBeNull();
  });

  const frame = (type: number, flags: number, stream: number, payload: number[]) => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, Buffer.from(payload)]);
  };
  const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  const SETTINGS = frame(FRAME.settings, 0, 0, []);
  const HEADERS = [0x83, 0x86, 0x84];

  it.each<[string, number | undefined, Buffer]>([
    ['something else than HTTP/2', 1, Buffer.from('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')],
    ['a frame that is too large', 6, Buffer.concat([PREFACE, Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])])],
    ['an even stream', 1, Buffer.concat([PREFACE, SETTINGS, frame(FRAME.headers, FLAG.endHeaders, 2, HEADERS)])],
    ['data on a stream that was never opened', 1, Buffer.concat([PREFACE, SETTINGS, frame(FRAME.data, 0, 7, [1])])],
    [
      'a header block that is no such thing',
      9,
      Buffer.concat([PREFACE, SETTINGS, frame(FRAME.headers, FLAG.endHeaders, 1, [0xff, 0xff])]),
    ],
    [
      'a header block that is interrupted',
      1,
      Buffer.concat([PREFACE, SETTINGS, frame(FRAME.headers, 0, 1, HEADERS), SETTINGS]),
    ],
    ['a push', 1, Buffer.concat([PREFACE, SETTINGS, frame(FRAME.pushPromise, 0, 1, [])])],
    ['a short ping', 6, Buffer.concat([PREFACE, SETTINGS, frame(FRAME.ping, 0, 0, [1])])],
    ['half a setting', 6, Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0, [0, 1, 0])])],
    [
      'a window that is too wide',
      3,
      Buffer.concat([PREFACE, SETTINGS, frame(FRAME.windowUpdate, 0, 0, [0x7f, 0xff, 0xff, 0xff])]),
    ],
    [
      'frames that are too small to say anything',
      1,
      Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0, [0, 5, 0, 0, 0, 0])]),
    ],
    [
      'frames whose length cannot be written',
      1,
      Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0, [0, 5, 1, 0, 0, 0])]),
    ],
    [
      'a header block in empty parts without an end',
      1,
      Buffer.concat([
        PREFACE,
        SETTINGS,
        frame(FRAME.headers, 0, 1, HEADERS),
        ...Array.from({ length: 8000 }, () => frame(FRAME.continuation, 0, 1, [])),
      ]),
    ],
    [
      'nothing but padding',
      1,
      Buffer.concat([PREFACE, SETTINGS, frame(FRAME.headers, 0x8 | FLAG.endHeaders, 1, [9, 1])]),
    ],
  ])('says farewell to %s and serves others', async (_name, code, bytes) => {
    const socket = connectSocket(port(), '127.0.0.1');
    socket.write(bytes);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const told = Buffer.concat(chunks);
    const frames: { type: number; code: number }[] = [];
    for (let at = 0; at < told.length; at += 9 + told.readUIntBE(at, 3)) {
      frames.push({ type: told[at + 3] ?? -1, code: told.length >= at + 17 ? told.readUInt32BE(at + 13) : -1 });
    }
    expect(frames.at(-1)).toEqual({ type: FRAME.goAway, code });
    open();
    expect(await echoed(10)).toBe(true);
  });

  it('refuses streams beyond those that may be open at once, and takes others when one is given up', async () => {
    const socket = connectSocket(port(), '127.0.0.1');
    const opened = (stream: number, flags: number) => frame(FRAME.headers, FLAG.endHeaders | flags, stream, HEADERS);
    const streams = Array.from({ length: 1025 }, (_, index) => opened(2 * index + 1, 0));
    socket.write(
      Buffer.concat([
        PREFACE,
        SETTINGS,
        ...streams,
        frame(FRAME.reset, 0, 1, [0, 0, 0, 8]),
        opened(2051, FLAG.endStream),
      ]),
    );
    let told = Buffer.alloc(0);
    for await (const chunk of socket) {
      told = Buffer.concat([told, chunk as Buffer]);
      if (told.includes('grpc-status')) break;
    }
    expect(told.includes(frame(FRAME.reset, 0, 2049, [0, 0, 0, 7]))).toBe(true);
    expect(told.includes(frame(FRAME.reset, 0, 2047, [0, 0, 0, 7]))).toBe(false);
    expect(told.includes(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 2051, []).subarray(3))).toBe(true);
  });

  it('passes over frames that ask for nothing, padding, and a header block in parts', async () => {
    const socket = connectSocket(port(), '127.0.0.1');
    const path = [0x04, 9, ...Buffer.from('/t.S/Echo')];
    socket.write(
      Buffer.concat([
        PREFACE,
        SETTINGS,
        frame(2, 0, 1, [0, 0, 0, 0, 1]),
        frame(0x77, 0xff, 0, [1, 2, 3]),
        frame(FRAME.headers, 0x8 | 0x20, 1, [2, 0, 0, 0, 0, 9, 0x83, 0x86, 0, 0]),
        frame(FRAME.continuation, FLAG.endHeaders, 1, path),
        frame(FRAME.data, 0x8, 1, [1, 0, 0, 0, 0, 0]),
        frame(FRAME.data, FLAG.endStream, 1, [2, 0x68, 0x69]),
      ]),
    );
    let told = '';
    for await (const chunk of socket) {
      told += (chunk as Buffer).toString('latin1');
      if (told.includes('grpc-status')) break;
    }
    expect(told).toContain('\0\0\0\0\u0002hi');
  });
});
