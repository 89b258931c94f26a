import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Header, type HeaderData } from 'tar/header';
import { describe, expect, it } from 'vitest';
import { unpackBundle } from './read.js';

const LIMITS = { compressed: 1_000_000, unpacked: 10_000_000 };
const END = Buffer.alloc(1024);
const JSON_TEXT = Buffer.from('{"format":1,"tenants":[]}'.padEnd(3000));

function entry(body: Buffer, header: HeaderData = {}): Buffer {
  const block = Buffer.alloc(512);
  new Header({ path: 'bundle.json', type: 'File', mode: 0o644, size: body.length, ...header }).encode(block);
  return Buffer.concat([block, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

const archive = (...parts: Buffer[]) => gzipSync(Buffer.concat(parts));
const whole = archive(entry(JSON_TEXT), END);

/** The archive in pieces of a few bytes, as a slow network brings it. */
function pieces(bytes: Buffer, size: number): Readable {
  return Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    ),
  );
}

const only = (json: Buffer) => ({ json, jws: undefined });

describe('unpackBundle', () => {
  it('gives the bytes of the entry, from a buffer and from any pieces of it', async () => {
    expect(await unpackBundle(whole, LIMITS)).toEqual(only(JSON_TEXT));
    for (const size of [1, 7, 512, 100_000])
      expect(await unpackBundle(pieces(whole, size), LIMITS)).toEqual(only(JSON_TEXT));
  });

  it('takes an entry of exactly whole blocks, an empty one, and more padding at the end', async () => {
    const blocks = Buffer.alloc(1024, 'x');
    expect(await unpackBundle(archive(entry(blocks), END), LIMITS)).toEqual(only(blocks));
    expect(await unpackBundle(archive(entry(Buffer.alloc(0)), END), LIMITS)).toEqual(only(Buffer.alloc(0)));
    expect(await unpackBundle(archive(entry(blocks), END, Buffer.alloc(8192)), LIMITS)).toEqual(only(blocks));
  });

  it('gives the signature beside it, before or after it, and from any pieces', async () => {
    const signature = entry(Buffer.from('a.b.c'), { path: 'bundle.jws' });
    for (const bytes of [archive(entry(JSON_TEXT), signature, END), archive(signature, entry(JSON_TEXT), END)]) {
      for (const source of [bytes, pieces(bytes, 1), pieces(bytes, 600)]) {
        expect(await unpackBundle(source, LIMITS)).toEqual({ json: JSON_TEXT, jws: 'a.b.c' });
      }
    }
  });

  it.each<[string, Buffer, string]>([
    ['a signature alone', archive(entry(Buffer.from('a.b.c'), { path: 'bundle.jws' }), END), 'no bundle.json'],
    [
      'two signatures',
      archive(entry(JSON_TEXT), ...[1, 2].map(() => entry(Buffer.from('a.b.c'), { path: 'bundle.jws' })), END),
      'twice',
    ],
    [
      'an archive cut off in the signature',
      archive(entry(JSON_TEXT), entry(Buffer.alloc(900, 'x'), { path: 'bundle.jws' }).subarray(0, 700)),
      'end mark',
    ],
    [
      'a link as signature',
      archive(entry(JSON_TEXT), entry(Buffer.alloc(0), { path: 'bundle.jws', type: 'Link', linkpath: 'x' }), END),
      'Link',
    ],
    ['nothing', Buffer.alloc(0), 'not a whole gzip'],
    ['no gzip', Buffer.from('<html>502 Bad Gateway</html>'), 'not a whole gzip'],
    ['a gzip of no archive', gzipSync('hello'), 'no bundle.json'],
    ['a gzip of text', gzipSync('hello'.repeat(1000)), 'checksum'],
    ['an archive cut off in the gzip', whole.subarray(0, whole.length - 9), 'not a whole gzip'],
    ['an archive cut off in the gzip trailer', whole.subarray(0, whole.length - 4), 'not a whole gzip'],
    ['a damaged archive', Buffer.from(whole).fill(0x55, 30, 34), 'not a whole gzip'],
    ['an archive cut off in the entry', archive(entry(JSON_TEXT).subarray(0, 2000)), 'end mark'],
    ['an archive without its end mark', archive(entry(JSON_TEXT)), 'end mark'],
    ['an archive with half an end mark', archive(entry(JSON_TEXT), Buffer.alloc(512)), 'end mark'],
    ['an archive with no entry', archive(END), 'no bundle.json'],
    ['bytes after the gzip', Buffer.concat([whole, Buffer.from('garbage')]), 'data after'],
    ['zeros after the gzip', Buffer.concat([whole, Buffer.alloc(100)]), 'data after'],
    ['another archive after the gzip', Buffer.concat([whole, whole]), 'data after'],
    ['bytes after the end of the archive', archive(entry(JSON_TEXT), END, Buffer.alloc(512, 'x')), 'data after'],
    ['an entry after the end of the archive', archive(entry(JSON_TEXT), END, entry(JSON_TEXT)), 'data after'],
    ['the entry twice', archive(entry(JSON_TEXT), entry(JSON_TEXT), END), 'twice'],
    ['an entry of another name', archive(entry(JSON_TEXT, { path: 'evil.sh' }), END), '"evil.sh"'],
    ['a path that climbs', archive(entry(JSON_TEXT, { path: '../bundle.json' }), END), '"../bundle.json"'],
    ['an absolute path', archive(entry(JSON_TEXT, { path: '/bundle.json' }), END), '"/bundle.json"'],
    ['a second entry of another name', archive(entry(JSON_TEXT), entry(JSON_TEXT, { path: 'x' }), END), '"x"'],
    ['a link', archive(entry(Buffer.alloc(0), { type: 'SymbolicLink', linkpath: '/etc/passwd' }), END), 'SymbolicLink'],
    ['a folder', archive(entry(Buffer.alloc(0), { type: 'Directory' }), END), 'Directory'],
    ['an extended header', archive(entry(JSON_TEXT, { type: 'ExtendedHeader' }), END), 'ExtendedHeader'],
    ['a wrong checksum', archive(Buffer.from(entry(JSON_TEXT)).fill('7', 125, 126), END), 'checksum'],
    ['a size beyond the limit', archive(entry(JSON_TEXT, { size: 7_000_000_000 }), END), 'more than 10000000 bytes'],
    ['a size beyond the archive', archive(entry(JSON_TEXT, { size: 9_000_000 }), END), 'end mark'],
    ['nothing but zeros', archive(Buffer.alloc(9_000_000)), 'data after'],
    ['zeros without end behind the end mark', archive(entry(JSON_TEXT), Buffer.alloc(9_000_000)), 'data after'],
    ['an archive in a gzip in a gzip', gzipSync(whole), 'no bundle.json'],
  ])('refuses %s', async (_, bytes, detail) => {
    for (const source of [bytes, pieces(bytes, 100), pieces(bytes, Math.max(1, bytes.length - 3))]) {
      await expect(unpackBundle(source, LIMITS)).rejects.toMatchObject({
        code: 'invalid_bundle',
        detail: expect.stringContaining(detail),
      });
    }
  });

  /** Counts what is drawn from an endless source. */
  function endless(chunk: Buffer): { source: Readable; drawn: () => number } {
    let drawn = 0;
    const source = new Readable({
      read() {
        drawn += chunk.length;
        this.push(chunk);
      },
    });
    return { source, drawn: () => drawn };
  }

  it('stops an endless download at the limit', async () => {
    const { source, drawn } = endless(gzipSync(Buffer.alloc(0)));
    await expect(unpackBundle(source, LIMITS)).rejects.toMatchObject({ code: 'invalid_bundle' });
    expect(drawn()).toBeLessThan(3 * LIMITS.compressed);
    expect(source.destroyed).toBe(true);
  });

  it('stops an endless source that says nothing new after its end', async () => {
    let first = true;
    const source = new Readable({
      read() {
        this.push(first ? whole : Buffer.alloc(1000));
        first = false;
      },
    });
    await expect(unpackBundle(source, LIMITS)).rejects.toMatchObject({ code: 'invalid_bundle' });
    expect(source.destroyed).toBe(true);
  });

  it('stops an exploding archive at the limit, and draws no more of it', async () => {
    // Zeros shrink a thousandfold: of some 200 pieces the first one or two reach the limit.
    const bomb = gzipSync(Buffer.alloc(200_000_000));
    let drawn = 0;
    const source = pieces(bomb, 1000).map((piece: Buffer) => {
      drawn += piece.length;
      return piece;
    });
    await expect(unpackBundle(source, { compressed: 1_000_000, unpacked: 1_000_000 })).rejects.toMatchObject({
      code: 'invalid_bundle',
      detail: expect.stringContaining('more than 1000000 bytes'),
    });
    expect(drawn).toBeLessThan(bomb.length / 2);
  });

  it('lets errors of the source pass, as the network they come from', async () => {
    const reset = new Error('ECONNRESET');
    const source = Readable.from(
      (async function* () {
        yield whole.subarray(0, 100);
        throw reset;
      })(),
    );
    await expect(unpackBundle(source, LIMITS)).rejects.toBe(reset);
  });
});
