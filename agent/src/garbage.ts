import { readdir } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { growNursery } from './nursery.js';

/*
 * How V8 is led to collect garbage. The heap of an agent is one large tenant, and for a while the one that takes its place
 * too.
 */

/**
 * Two fifths of the share of a processor that others get. With much less, a busy machine would starve the threads that
 * collect, and at the end of a collection requests wait for them.
 */
const NICE = 4;

/** Has requests go before collecting, unpacking and writing. To be called once, first. */
export async function putRequestsFirst(): Promise<void> {
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

/** Smaller bundles are compiled before V8 thinks of collecting. */
const BUNDLE_BYTES_MIN = 8 * 1024 * 1024;

/** Room for two tenants and the waste of compiling: three times what a collection leaves. */
const ROOM_PERCENT = 200;

/** A collection of a heap of gigabytes takes about as long. */
const COLLECTED_MS_MAX = 2_000;

/**
 * The room that large bundles are taken in, beside what is served. V8 collects what one leaves once it is served;
 * otherwise it would in the midst of the next, in steps between requests.
 */
export class Room {
  #roomy = false;
  #used = false;

  /** Before so many bytes are filled and made a tenant of, where nothing is served. */
  use(bytes: number): void {
    if (bytes < BUNDLE_BYTES_MIN) return;
    this.#used = true;
    this.#roomy = true;
    growNursery();
    setFlagsFromString(`--heap-growing-percent=${ROOM_PERCENT}`);
  }

  /** Does the same where something is: V8 goes by a new measure from its next collection on. */
  async make(bytes: number): Promise<void> {
    const wasRoomy = this.#roomy;
    this.use(bytes);
    if (this.#roomy && !wasRoomy) await collected();
  }

  /** After they were, or were refused, once the functions that used them have returned. */
  clear(): void {
    if (this.#used) setImmediate(beginCollection);
    this.#used = false;
  }
}

/** Begins a collection and waits for its end, if there is one in good time. */
async function collected(): Promise<void> {
  let seen = () => {};
  const observer = new PerformanceObserver((list) => {
    const kinds = list.getEntries().map((entry) => (entry as unknown as { detail: { kind: number } }).detail.kind);
    if (kinds.includes(constants.NODE_PERFORMANCE_GC_MAJOR)) seen();
  });
  observer.observe({ entryTypes: ['gc'] });
  await new Promise<void>((resolve) => {
    seen = resolve;
    setTimeout(resolve, COLLECTED_MS_MAX).unref();
    beginCollection();
  });
  observer.disconnect();
}

/** V8 begins to collect at 64 MiB of memory that it knows of outside its heap (`kExternalAllocationSoftLimit`). */
const PRESSURE_BYTES = 80 * 1024 * 1024;

/**
 * V8 cannot be asked for that, but it listens to memory; what is never touched takes none. As long as it is there, every
 * request that needs memory has to collect for some milliseconds: so it is given away at once, to nobody.
 */
function beginCollection(): void {
  const memory = new ArrayBuffer(PRESSURE_BYTES);
  const { port1 } = new MessageChannel();
  port1.postMessage(undefined, [memory]);
  port1.close();
}
