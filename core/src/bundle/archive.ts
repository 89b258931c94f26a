import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Header } from 'tar/header';
import { ProblemError } from '../problem.js';
import { type ArchiveEntries, TAR_BLOCK } from './format.js';
import { TarReader } from './tar-reader.js';
import type { BundleArchive, BundleLimits, ByteSink } from './types.js';

const GUNZIP_CHUNK_BYTES = 128 * 1024;

/** Returns the signature over bytes with this SHA-256, in hex. */
export type Sign = (sha256: string) => Promise<string>;

/** A tar.gz with this text and the signature that `sign` returns for it. Other work continues in between. */
export async function packArchive(
  entries: ArchiveEntries,
  chunks: readonly Buffer[],
  sign: Sign | undefined,
): Promise<Buffer> {
  const parts = entryOf(entries.text, chunks);
  if (sign !== undefined) {
    const hash = createHash('sha256');
    for (const chunk of chunks) {
      hash.update(chunk);
      await setImmediate();
    }
    parts.push(...entryOf(entries.signature, [Buffer.from(await sign(hash.digest('hex')))]));
  }
  // Two empty blocks end the archive (POSIX.1-1988 ustar).
  parts.push(Buffer.alloc(2 * TAR_BLOCK));
  return buffer(Readable.from(parts).pipe(createGzip()));
}

/** A header, the body, and padding to whole blocks. */
function entryOf(path: string, chunks: readonly Buffer[]): Buffer[] {
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const header = Buffer.alloc(TAR_BLOCK);
  new Header({ path, type: 'File', mode: 0o644, uid: 0, gid: 0, size, mtime: new Date(0) }).encode(header);
  return [header, ...chunks, Buffer.alloc((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK)];
}

/** The contents of an archive, in memory; see `unpackArchiveTo`. */
export async function unpackArchive(
  entries: ArchiveEntries,
  source: Readable | Buffer,
  limits: BundleLimits,
): Promise<BundleArchive> {
  const pieces: Buffer[] = [];
  const jws = await unpackArchiveTo(entries, source, limits, { write: async (piece) => void pieces.push(piece) });
  return { json: Buffer.concat(pieces), jws };
}

/**
 * Passes on the text of an archive as it arrives, and returns the signature, if there is one. It stops at the first
 * byte over a limit. Throws `invalid_bundle` for anything but one whole archive with those entries; then everything
 * that the sink has taken must be discarded. Errors of the source and of the sink pass through.
 */
export async function unpackArchiveTo(
  entries: ArchiveEntries,
  source: Readable | Buffer,
  limits: BundleLimits,
  sink: ByteSink,
): Promise<string | undefined> {
  const input = Buffer.isBuffer(source) ? Readable.from([source]) : source;
  const tar = new TarReader(entries, limits.unpacked);
  const foreign = new Set<unknown>();
  input.once('error', (error) => foreign.add(error));
  // A fault of the archive ends the source, too, which may then tell of it as its own.
  const faults = new Set<unknown>();
  let compressed = 0;
  const gunzip = createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES });
  gunzip.once('error', (error) => {
    if (!foreign.has(error)) faults.add(error);
  });
  try {
    await pipeline(
      input,
      async function* count(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          compressed += chunk.length;
          if (compressed > limits.compressed) {
            throw invalid(`The archive is larger than ${limits.compressed} bytes, the most that is read.`);
          }
          yield chunk;
        }
      },
      gunzip,
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          for (const piece of piecesIn(chunk)) {
            await sink.write(piece).catch((error: unknown) => {
              foreign.add(error);
              throw error;
            });
          }
        }
      },
    );
  } catch (error) {
    if (error instanceof ProblemError || (foreign.has(error) && !faults.has(error))) throw error;
    throw invalid(
      'The archive is not a whole gzip file: it is incomplete or damaged, or there is data after its end.',
      error,
    );
  }
  if (gunzip.bytesWritten !== compressed) throw invalid('There is data after the end of the archive.');
  return tar.finish();

  function piecesIn(chunk: Buffer): Buffer[] {
    try {
      return tar.push(chunk);
    } catch (error) {
      faults.add(error);
      throw error;
    }
  }
}

function invalid(detail: string, cause?: unknown): ProblemError {
  return new ProblemError('invalid_bundle', detail, [], { cause });
}
