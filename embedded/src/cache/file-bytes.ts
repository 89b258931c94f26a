import { readSync } from 'node:fs';
import type { ByteSource } from '@authz-service/core/bundle/types';

/** The bytes of an open file. They are read in one go, because in most cases they were read or written just before. */
export class FileBytes implements ByteSource {
  constructor(
    private readonly fd: number,
    readonly length: number,
  ) {}

  /** Returns fewer bytes if the file has become shorter. */
  subarray(start: number, end: number): Buffer {
    const wanted = Math.max(0, Math.min(end, this.length) - start);
    const bytes = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      const read = readSync(this.fd, bytes, filled, wanted - filled, start + filled);
      if (read === 0) break;
      filled += read;
    }
    return bytes.subarray(0, filled);
  }
}
