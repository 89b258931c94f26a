/** Unpacks the archive on its standard input into a file; see `bundle-threads.ts`. */
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { unpackBundleTo } from '@authz-service/core/bundle/read';
import { faultOf, type UnpackResponse, type UnpackWork } from './bundle-threads.js';

const { fd, limits } = workerData as UnpackWork;
const respond = (response: UnpackResponse) => parentPort?.postMessage(response);
const hash = createHash('sha256');
let written = 0;
let writes = fd !== undefined;

/** The thread waits for the disk: it has nothing else to do. */
function write(fd: number, piece: Buffer): void {
  for (let from = 0; from < piece.length; ) from += writeSync(fd, piece, from, piece.length - from, written + from);
  written += piece.length;
}

async function keep(piece: Buffer): Promise<void> {
  hash.update(piece);
  if (fd !== undefined && writes) {
    try {
      write(fd, piece);
      return;
    } catch {
      writes = false;
      respond({ written });
    }
  }
  respond({ piece });
}

// A CommonJS script, as in a single executable, has no `await` of its own.
unpackBundleTo(process.stdin, limits, { write: keep })
  .then((jws) => respond({ unpacked: { written: writes ? written : undefined, sha256: hash.digest('hex'), jws } }))
  .catch((error) => parentPort?.postMessage(faultOf(error)));
