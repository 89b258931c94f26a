import { once } from 'node:events';
import { type ClientHttp2Session, connect, type Http2Server } from 'node:http2';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grpcServer, type UnaryMethod } from './grpc.js';

const MIB = 1024 * 1024;
/** The first bytes of an HTTP/2 client (RFC 9113 section 3.4), with empty settings. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');

let server: Http2Server;
let client: ClientHttp2Session;
let left: number;

beforeEach(async () => {
  left = 0;
  server = grpcServer(
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
  );
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

  it.each([
    ['something else than HTTP/2', Buffer.from('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')],
    ['a frame that is too large', Buffer.concat([PREFACE, Buffer.from('ffffff000000000001', 'hex')])],
    ['a header block that is no such thing', Buffer.concat([PREFACE, Buffer.from('000002010400000001ffff', 'hex')])],
  ])('serves others when somebody sends %s', async (_name, bytes) => {
    const socket = connectSocket(port(), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(bytes);
    await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    open();
    expect(await echoed(10)).toBe(true);
    socket.destroy();
  });
});
