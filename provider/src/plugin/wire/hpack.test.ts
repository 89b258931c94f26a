import { connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connect as connectSocket, createServer as createSocketServer } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeHeaders, type Header, HeaderDecoder } from './hpack.js';

const PREFACE_BYTES = 24;

/** The header blocks that nghttp2, which Node has inside, sends for these requests on one connection. */
async function blocksOf(requests: readonly Header[][]): Promise<Buffer[]> {
  const blocks: Buffer[] = [];
  let rest = Buffer.alloc(0);
  let skip = PREFACE_BYTES;
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      if (skip > 0 && rest.length >= skip) {
        rest = rest.subarray(skip);
        skip = 0;
      }
      while (skip === 0 && rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
        const end = 9 + rest.readUIntBE(0, 3);
        if (rest[3] === 1) blocks.push(Buffer.from(rest.subarray(9, end)));
        rest = rest.subarray(end);
      }
      if (blocks.length === requests.length) socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('error', () => {});
  const gone = new Promise<void>((resolve) => client.once('close', resolve));
  for (const headers of requests) {
    const stream = client.request(Object.fromEntries([[':method', 'POST'], [':path', '/'], ...headers]));
    stream.on('error', () => {});
    stream.end();
  }
  await gone;
  await new Promise((resolve) => server.close(resolve));
  return blocks;
}

const fieldName = fc.stringMatching(/^x-[a-z0-9-]{0,40}$/);
const fieldValue = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff })), { maxLength: 200 })
  .map((codes) => String.fromCharCode(...codes).trim());

describe('header blocks', () => {
  it('are decoded as nghttp2 encodes them, with its table, its Huffman code and its evictions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fieldName, fieldValue, { maxKeys: 12 }), { minLength: 1, maxLength: 30 }),
        async (dictionaries) => {
          const requests = dictionaries.map((fields) => Object.entries(fields) as Header[]);
          // The same again: what both ends remember is used, or was forgotten in time.
          const twice = [...requests, ...requests];
          const decoder = new HeaderDecoder();
          const decoded = (await blocksOf(twice)).map((block) => decoder.decode(block));
          for (const [index, headers] of twice.entries()) {
            expect(decoded[index]).toEqual(
              expect.arrayContaining([
                [':path', '/'],
                [':method', 'POST'],
              ]),
            );
            expect(new Map(decoded[index]?.filter(([name]) => name.startsWith('x-')))).toEqual(new Map(headers));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('hold every octet that a value may have', async () => {
    const octets = Array.from({ length: 256 }, (_, code) => code).filter(
      (code) => (code > 31 && code !== 127) || code === 9,
    );
    const values = octets.map((code): Header[] => [['x-octet', `a${String.fromCharCode(code).repeat(9)}a`]]);
    // nghttp2 opens no more than a hundred streams before it is allowed to.
    const decoded: (string | undefined)[] = [];
    for (let first = 0; first < values.length; first += 100) {
      const decoder = new HeaderDecoder();
      for (const block of await blocksOf(values.slice(first, first + 100)))
        decoded.push(new Map(decoder.decode(block)).get('x-octet'));
    }
    expect(decoded).toEqual(values.map(([field]) => field?.[1]));
  });

  it.each<[string, number[]]>([
    ['an index of nothing', [0xff, 0x00]],
    ['index zero', [0x80]],
    ['an integer without end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['a string that is cut off', [0x00, 0x05, 0x61]],
    ['a name without a value', [0x00, 0x01, 0x61]],
    ['a table larger than agreed', [0x3f, 0xff, 0xff, 0x03]],
    ['padding of a whole octet', [0x00, 0x01, 0x61, 0x82, 0x1f, 0xff]],
    ['padding with zeros', [0x00, 0x01, 0x61, 0x81, 0x18]],
    ['the code that ends all strings', [0x00, 0x01, 0x61, 0x84, 0xff, 0xff, 0xff, 0xff]],
  ])('are refused with %s', (_name, bytes) => {
    expect(() => new HeaderDecoder().decode(Buffer.from(bytes))).toThrow(/header|integer/);
  });

  it('mean what they mean now, the same octets something else before', () => {
    const decoder = new HeaderDecoder();
    const remembered = (value: string) => Buffer.from([0x44, value.length, ...Buffer.from(value)]);
    const [newest, before] = [Buffer.from([0xbe]), Buffer.from([0xbf])];
    decoder.decode(remembered('/a'));
    expect([1, 2].map(() => decoder.decode(newest))).toEqual([[[':path', '/a']], [[':path', '/a']]]);
    decoder.decode(remembered('/b'));
    expect([newest, before, newest].map((block) => decoder.decode(block)[0]?.[1])).toEqual(['/b', '/a', '/b']);
    // Said twice it is remembered twice.
    decoder.decode(remembered('/b'));
    expect(decoder.decode(before)[0]?.[1]).toBe('/b');
    // A table of no octets forgets all.
    decoder.decode(Buffer.from([0x20]));
    expect(() => decoder.decode(newest)).toThrow('no header field has the index 62');
  });

  describe('of ours', () => {
    let server: Http2Server;
    const block = encodeHeaders([
      [':method', 'POST'],
      [':scheme', 'http'],
      [':path', `/${'p'.repeat(300)}`],
      ['host', 'localhost'],
      ['x-a', 'b'],
    ]);

    beforeAll(async () => {
      server = createServer((request, response) => {
        response.end(JSON.stringify({ path: request.url, a: request.headers['x-a'] }));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => server.close());

    it('are understood by nghttp2', async () => {
      const socket = connectSocket((server.address() as AddressInfo).port, '127.0.0.1');
      const head = Buffer.alloc(9);
      head.writeUIntBE(block.length, 0, 3);
      head.set([1, 5], 3);
      head.writeUInt32BE(1, 5);
      const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
      socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings, head, block]));
      let text = '';
      for await (const chunk of socket) {
        text += (chunk as Buffer).toString('latin1');
        if (text.includes('}')) break;
      }
      expect(text).toContain(`{"path":"/${'p'.repeat(300)}","a":"b"}`);
    });
  });
});
