/** Tells what a bundle changes, as the bytes of a delta; see `bundle-threads.ts`. */
import { open } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { compareBundles } from '@authz-service/core/bundle/compare';
import type { Delta } from '@authz-service/core/bundle/delta';
import { decodeDeltaInSteps } from '@authz-service/core/bundle/delta-read';
import { encodeDelta } from '@authz-service/core/bundle/delta-write';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import { DeltaLog } from '../cache/delta-log.js';
import { FileBytes } from '../cache/file-bytes.js';
import { type CompareResponse, type CompareWork, faultOf } from './bundle-threads.js';
import { sha256Of, verifyChanges } from './trust.js';

const { base, trust, current, fd, length, changesMax } = workerData as CompareWork;

/** Those behind the base on disk. They are verified as at a start: what was served is in no other place by now. */
async function readDeltas(): Promise<Delta[]> {
  const deltas: Delta[] = [];
  for (const { json, jws } of await new DeltaLog(base.deltasPath).read(base.bytesMax)) {
    await verifyChanges(json, jws, trust);
    deltas.push(finished(decodeDeltaInSteps(json)));
  }
  return deltas;
}

async function compare(): Promise<CompareResponse> {
  const file = await open(base.path, 'r');
  try {
    const bytes = new FileBytes(file.fd, (await file.stat()).size);
    if ((await sha256Of(bytes)) !== base.sha256) {
      throw new ProblemError('invalid_bundle', `${base.path} is not what was written there.`);
    }
    const before = { base: bytes, deltas: await readDeltas(), current };
    const found = compareBundles(before, new FileBytes(fd, length), changesMax);
    return { delta: found && Buffer.concat(encodeDelta(found.head, found.changes)) };
  } finally {
    await file.close();
  }
}

// A CommonJS script, as in a single executable, has no `await` of its own.
compare()
  .catch(faultOf)
  .then((response) => parentPort?.postMessage(response));
