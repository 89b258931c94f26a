import { constants, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { ProblemError } from '@authz-service/core/problem';

/** A delta as it arrived, and its signature. */
export interface SignedDelta {
  /** The bytes of `delta.json`. */
  json: Buffer;
  jws: string;
}

/**
 * Two agents that write to one folder would each overwrite what the other keeps, or leave files that cannot be read.
 */
export class ContestedCache extends Error {
  constructor() {
    super('another process writes there, too: give each agent its own SERVICE_CACHE_DIR');
  }
}

const LINE_FEED = 0x0a;
const HEADER = /^([\w.-]{1,8192} [1-9]\d{0,8}) (\d{1,10})$/;

/**
 * The deltas that follow the bundle on disk, one after the other: a line with the signature, the length and the
 * checksum of both, and then the bytes. Only whole entries count: an incomplete one belongs to a write that did not
 * end, and it was never served. The checksum distinguishes it from an entry whose length was damaged, which was served
 * like everything after it.
 */
export class DeltaLog {
  /** The end of the whole entries; what follows is overwritten. */
  #bytes = 0;
  #count = 0;
  /** Whether an unfinished write may have left something behind that point. */
  #torn = false;

  constructor(private readonly path: string) {}

  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether the last entry is incomplete. */
  get torn(): boolean {
    return this.#torn;
  }

  /**
   * Throws `invalid_bundle` if the log is larger than `bytesMax`, or damaged in any way other than an incomplete end.
   */
  async read(bytesMax: number): Promise<SignedDelta[]> {
    const bytes = await this.#content(bytesMax);
    const deltas: SignedDelta[] = [];
    let position = 0;
    for (;;) {
      const headerEnd = bytes.indexOf(LINE_FEED, position);
      if (headerEnd < 0) break;
      const [, said = '', checksum] = HEADER.exec(bytes.toString('latin1', position, headerEnd)) ?? [];
      if (crc32(said) !== Number(checksum)) {
        throw damaged(`entry ${deltas.length} does not begin with a signature, a length and their checksum.`);
      }
      const [jws = '', length] = said.split(' ');
      const end = headerEnd + 1 + Number(length);
      if (end > bytes.length) break;
      deltas.push({ jws, json: bytes.subarray(headerEnd + 1, end) });
      position = end;
    }
    this.#bytes = position;
    this.#count = deltas.length;
    this.#torn = position < bytes.length;
    return deltas;
  }

  /** Once this returns, the entries survive a crash of the machine. Throws `ContestedCache`. */
  async append(deltas: readonly SignedDelta[]): Promise<void> {
    const content = Buffer.concat(
      deltas.flatMap(({ json, jws }) => {
        const said = `${jws} ${json.length}`;
        return [Buffer.from(`${said} ${crc32(said)}\n`, 'latin1'), json];
      }),
    );
    const first = this.#bytes === 0;
    const file = await open(this.path, first ? constants.O_RDWR | constants.O_CREAT : 'r+', 0o600);
    try {
      this.#assertOwn((await file.stat()).size);
      this.#torn = true;
      await file.truncate(this.#bytes);
      // If the disk is nearly full, less is written than requested; only the next write says why.
      for (let written = 0; written < content.length; ) {
        const left = content.length - written;
        written += (await file.write(content, written, left, this.#bytes + written)).bytesWritten;
      }
      await file.datasync();
    } finally {
      await file.close();
    }
    if (first) await syncFolder(dirname(this.path));
    this.#torn = false;
    this.#bytes += content.length;
    this.#count += deltas.length;
  }

  /** Whether the file exists, if it should. Throws `ContestedCache`. */
  async isThere(): Promise<boolean> {
    const found = await stat(this.path).catch((error: NodeJS.ErrnoException) => error);
    if (found instanceof Error) return this.#count === 0 || found.code !== 'ENOENT';
    this.#assertOwn(found.size);
    return true;
  }

  #assertOwn(size: number): void {
    if (size !== this.#bytes && !this.#torn) throw new ContestedCache();
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
    this.#bytes = 0;
    this.#count = 0;
    this.#torn = false;
  }

  async #content(bytesMax: number): Promise<Buffer> {
    try {
      const { size } = await stat(this.path);
      if (size > bytesMax) throw damaged(`it has ${size} bytes, more than the ${bytesMax} allowed.`);
      return await readFile(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    }
  }
}

/**
 * Gives a finished file its final name, synced. Throws `ContestedCache` if the file is gone although its folder exists:
 * a starting agent removes the unfinished files of the one before it and takes this file for one of them.
 */
export async function putInPlace(temporary: string, path: string): Promise<void> {
  const folder = dirname(path);
  try {
    await rename(temporary, path);
  } catch (error) {
    const gone = (error as NodeJS.ErrnoException).code === 'ENOENT' && (await stat(folder).catch(() => undefined));
    throw gone ? new ContestedCache() : error;
  }
  await syncFolder(folder);
}

/** Makes names in a folder survive a crash of the machine. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function damaged(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', `The changes after the cached bundle cannot be read: ${detail}`);
}
