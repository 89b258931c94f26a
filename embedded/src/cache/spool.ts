import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { ByteSink, ByteSource } from '@authz-service/core/bundle/types';
import { putInPlace } from './delta-log.js';
import { FileBytes } from './file-bytes.js';

/**
 * The bytes of a whole bundle from their arrival until they are in place. They are kept in a file, because a million
 * records are 250 MiB that V8 would count towards its garbage collection, or in memory if no file can be written.
 */
export class Spool implements ByteSink, ByteSource {
  length = 0;
  readonly #hash = createHash('sha256');
  #sha256: string | undefined;
  #file: FileHandle | undefined;
  #memory: Buffer[] = [];

  private constructor(private readonly path: string) {}

  /** `path` is that of the file, which must not exist yet. */
  static async begin(path: string): Promise<Spool> {
    const spool = new Spool(path);
    spool.#file = await open(path, 'wx+', 0o600).catch(() => undefined);
    return spool;
  }

  async write(piece: Buffer): Promise<void> {
    this.#hash.update(piece);
    if (this.#file !== undefined) {
      try {
        await writeAll(this.#file, piece, this.length);
      } catch {
        await this.#leaveFile();
      }
    }
    if (this.#file === undefined) this.#memory.push(piece);
    this.length += piece.length;
  }

  /** The digest of all bytes, in hex. Read it after the last byte. */
  get sha256(): string {
    this.#sha256 ??= this.#hash.digest('hex');
    return this.#sha256;
  }

  /** The descriptor of the file, if there is one, for another thread to write to or to read. */
  get fd(): number | undefined {
    return this.#file?.fd;
  }

  /** Tells that another thread has written this many bytes to the file. */
  hasWritten(bytes: number): void {
    this.length = bytes;
  }

  /** Takes the digest from the thread that wrote the bytes. */
  set sha256(hex: string) {
    this.#sha256 = hex;
  }

  subarray(start: number, end: number): Buffer {
    if (this.#file !== undefined) return new FileBytes(this.#file.fd, this.length).subarray(start, end);
    if (this.#memory.length > 1) this.#memory = [Buffer.concat(this.#memory)];
    const [bytes = Buffer.alloc(0)] = this.#memory;
    return bytes.subarray(start, end);
  }

  /** Moves the synced file to this path. If that fails, it can be tried again. */
  async moveTo(path: string): Promise<void> {
    try {
      this.#file ??= await this.#intoFile();
      await this.#file.sync();
      await putInPlace(this.path, path);
    } catch (error) {
      await this.#leaveFile();
      throw error;
    }
    await this.#file.close();
    this.#file = undefined;
  }

  /** Removes the file, unless it was moved. */
  async discard(): Promise<void> {
    this.#memory = [];
    if (this.#file === undefined) return;
    await this.#file.close().catch(() => {});
    this.#file = undefined;
    await rm(this.path, { force: true }).catch(() => {});
  }

  async #intoFile(): Promise<FileHandle> {
    const file = await open(this.path, 'wx+', 0o600);
    try {
      await writeAll(file, this.subarray(0, this.length), 0);
    } catch (error) {
      await file.close();
      await rm(this.path, { force: true }).catch(() => {});
      throw error;
    }
    this.#memory = [];
    return file;
  }

  /** Continues in memory with the bytes of the file. */
  async #leaveFile(): Promise<void> {
    if (this.#file === undefined) return;
    const bytes = new FileBytes(this.#file.fd, this.length).subarray(0, this.length);
    await this.discard();
    this.#memory = [bytes];
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await file.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
  }
}
