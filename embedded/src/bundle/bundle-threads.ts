import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import type { BundleLimits } from '@authz-service/core/bundle/types';
import { type ProblemCode, ProblemError } from '@authz-service/core/problem';
import type { CachedBase } from '../cache/cache.js';
import type { Spool } from '../cache/spool.js';
import type { Trust } from './trust.js';

/*
 * What a whole bundle costs before it is known what it changes is done by threads: each has a heap of its own, so that
 * the garbage of 250 MiB makes V8 mark nothing of the heap that requests are answered from. The files of the threads stand
 * beside this one, also where the agent is one file (scripts/bundle-agent.mjs).
 */

/** The work of `unpack-thread.ts`, and its answers. */
export interface UnpackWork {
  /** The file that takes the text; without it, the text comes in pieces. */
  fd: number | undefined;
  limits: BundleLimits;
}
export type UnpackResponse =
  /** The bytes that could be written to the file; no more will be. */
  | { written: number }
  /** The text that comes after that. */
  | { piece: Uint8Array }
  /** The end; `written` where all of it went to the file. */
  | { unpacked: { written: number | undefined; sha256: string; jws: string | undefined } };

/** The work of `compare-thread.ts`, and its answers: the bytes of a delta, if it is one. */
export interface CompareWork {
  base: CachedBase;
  trust: Trust;
  current: { revision: string; digest: string };
  fd: number;
  length: number;
  changesMax: number;
}
export interface CompareResponse {
  delta: Uint8Array | undefined;
}

/** A `ProblemError`, as a thread says it. */
interface Fault {
  code: ProblemCode;
  detail: string;
}

/** Returns what a thread answers if its work meets a `ProblemError`. */
export function faultOf(error: unknown): { fault: Fault } {
  if (!(error instanceof ProblemError)) throw error;
  const { code, detail } = error;
  return { fault: { code, detail } };
}

/** Does what `unpackBundleTo` does, and fills the spool. */
export async function unpackApart(source: Readable, limits: BundleLimits, spool: Spool): Promise<string | undefined> {
  const work: UnpackWork = { fd: spool.fd, limits };
  const worker = new Worker(new URL('./unpack-thread.js', import.meta.url), { workerData: work, stdin: true });
  let kept = Promise.resolve();
  try {
    const sent = pipeline(source, worker.stdin as NonNullable<typeof worker.stdin>);
    const said = answerOf(worker, (part: UnpackResponse) => {
      if ('unpacked' in part) return { answer: part.unpacked };
      if ('written' in part) spool.hasWritten(part.written);
      else kept = kept.then(() => spool.write(Buffer.from(part.piece)));
      return undefined;
    });
    // Where the source breaks, the thread would wait for the rest; where the thread refuses it, the source is of no use.
    const { written, sha256, jws } = await Promise.race([said, sent.then(() => said)]);
    if (written !== undefined) spool.hasWritten(written);
    await kept;
    spool.sha256 = sha256;
    return jws;
  } finally {
    await worker.terminate();
  }
}

/** The bytes of a delta from what is served to the bundle; undefined where it is not told as one. */
export async function compareApart(work: CompareWork): Promise<Buffer | undefined> {
  const worker = new Worker(new URL('./compare-thread.js', import.meta.url), { workerData: work });
  try {
    return await answerOf(worker, ({ delta }: CompareResponse) => ({ answer: delta && Buffer.from(delta) }));
  } finally {
    await worker.terminate();
  }
}

/** The first thing that the worker says of which `take` makes an answer. Throws what it says in place of one. */
function answerOf<Response extends object, Answer>(
  worker: Worker,
  take: (response: Response) => { answer: Answer } | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.on('message', (response: Response | { fault: Fault }) => {
      if ('fault' in response) {
        reject(new ProblemError(response.fault.code, response.fault.detail));
        return;
      }
      const taken = take(response);
      if (taken !== undefined) resolve(taken.answer);
    });
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`a thread ended with ${code} and gave no answer`)));
  });
}
