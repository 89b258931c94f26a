import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Both halves of the nursery, where V8 makes new objects. By itself it grows to four times as much, which processors'
 * caches do not hold, and where new objects are to stay, as those of a tenant do, collecting it takes four times as long.
 */
const NURSERY_BYTES = 8 * 1024 * 1024;

/** V8 makes it small where nothing happens. */
const LOOK_MS = 10_000;
/** The part of the time that is spent on anything, from which on its size matters. */
const BUSY = 0.1;

/** More than must stay alive for the nursery to have grown. */
const GROWN_BY_BYTES_MAX = 2 * NURSERY_BYTES;
const STEP_BYTES = 128 * 1024;
const WORD_BYTES = 8;

/** Keeps V8's nursery at a size that suits an agent. To be called once, early, when it has not grown yet. */
export function keepNursery(): void {
  // An operator's flag may keep it smaller.
  if (!growNursery()) return;
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    if (performance.eventLoopUtilization(now, before).utilization > BUSY) growNursery();
    before = now;
  }, LOOK_MS).unref();
}

/** Grows it to that size, where it is smaller, in some milliseconds, and no further. Returns whether it has that size. */
export function growNursery(): boolean {
  setFlagsFromString('--semi-space-growth-factor=2');
  const living: unknown[] = [];
  for (let made = 0; made < GROWN_BY_BYTES_MAX && nurseryBytes() < NURSERY_BYTES; made += STEP_BYTES)
    living.push(Array.from({ length: STEP_BYTES / 1024 }, () => new Array(1024 / WORD_BYTES).fill(0)));
  setFlagsFromString('--semi-space-growth-factor=1');
  return nurseryBytes() >= NURSERY_BYTES;
}

function nurseryBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
