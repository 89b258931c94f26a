import { readdir } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/*
 * What V8 and libuv do beside the thread that answers requests: collecting garbage, unpacking, writing. The heap of an
 * agent is one large tenant, and for a while the one that takes its place too.
 */

/** The lower half of what anybody may give to threads of their own. */
const NICE = 10;

/** Keeps requests before all that is done in the background. To be called once, first. */
export async function keepBackgroundBack(): Promise<void> {
  // Nothing is collected before there is three times what the last collection left: room for two tenants and their waste.
  // Otherwise V8 collects in the midst of compiling, in steps between requests.
  setFlagsFromString('--heap-growing-percent=200');
  setFlagsFromString('--concurrent-marking-max-worker-num=1');
  if (process.platform !== 'linux') return;
  // Only Linux gives threads a priority of their own. By the time that the folder is read, libuv has started its threads.
  for (const thread of await readdir('/proc/self/task').catch(() => [])) {
    if (thread === `${process.pid}`) continue;
    try {
      setPriority(Number(thread), NICE);
    } catch {
      // It has ended, or is not to be touched: then it competes with requests as it would have.
    }
  }
}

/** V8 begins to collect at 64 MiB of memory that it knows of outside its heap (`kExternalAllocationSoftLimit`). */
const PRESSURE_BYTES = 80 * 1024 * 1024;

/** What smaller bundles leave behind is nothing to speak of. */
const BUNDLE_BYTES_MIN = 8 * 1024 * 1024;

/**
 * Begins to collect what was replaced or used up when a bundle of so many bytes was taken in, once the functions that did
 * so have returned. V8 cannot be asked for that, but it listens to memory; what is never touched takes none.
 */
export function clearAwayAfter(bundleBytes: number): void {
  if (bundleBytes < BUNDLE_BYTES_MIN) return;
  setImmediate(() => {
    new ArrayBuffer(PRESSURE_BYTES);
  });
}
