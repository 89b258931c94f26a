/**
 * An application with an embedded decision point, in a process of its own: tells the turns of its event loop apart that took
 * long, without the time of other processes. Prints a line of JSON for each phase.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { EmbeddedPdp } from '@authz-service/embedded';

interface Turn {
  readonly start: number;
  readonly end: number;
  /** Milliseconds that it ran. */
  readonly ran: number;
}

/** The turns of one phase. */
export interface Turns {
  phase: string;
  seconds: number;
  /** Milliseconds of the longest turns, without garbage; and of the longest with it. */
  longest: number[];
  withGarbage: number;
}

/** The name of the phase that starts it again. */
export const AGAIN = 'a start from the cache';
const LONG = 1;
const collections: { start: number; end: number }[] = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries())
    collections.push({ start: startTime, end: startTime + duration });
}).observe({ entryTypes: ['gc'] });

/** The milliseconds that the threads of this process have run. */
function ran(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

let turns: Turn[] = [];
let [since, before] = [performance.now(), ran()];
function turn(): void {
  const [now, after] = [performance.now(), ran()];
  // What it waited for other processes is not its own, nor what other threads of this one did meanwhile.
  const own = Math.min(now - since, after - before);
  if (own > LONG) turns.push({ start: since, end: now, ran: own });
  [since, before] = [performance.now(), ran()];
  setImmediate(turn);
}
setImmediate(turn);

async function phase(name: string, work: () => Promise<void>): Promise<void> {
  turns = [];
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1000;
  // Node tells of garbage collections in a later turn of the event loop.
  await wait(50);
  const own = turns.map(({ start, end, ran }) => {
    const garbage = collections.filter((one) => one.start < end && one.end > start);
    return ran - garbage.reduce((sum, one) => sum + Math.min(one.end, end) - Math.max(one.start, start), 0);
  });
  const longest = own.sort((left, right) => right - left).slice(0, 5);
  const report: Turns = { phase: name, seconds, longest, withGarbage: Math.max(0, ...turns.map(({ ran }) => ran)) };
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

const { CLOUD_URL: cloudUrl, API_KEY: apiKey, CACHE_DIR: cacheDir = '' } = process.env;
const start = () => EmbeddedPdp.start({ cloudUrl, apiKey, cacheDir, readyMs: 120_000 });
let pdp: EmbeddedPdp | undefined;
await phase('the first bundle', async () => {
  pdp = await start();
});
// Each line asks for a phase: a start from the cache, or all until the revision that the line after it names.
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => (await lines.next()).value as string | undefined;
for (let name = await next(); name !== undefined; name = await next()) {
  const again = name === AGAIN;
  if (!again) process.stdout.write('{"listening":true}\n');
  await phase(name, async () => {
    if (!again) return served((await next()) ?? '');
    await pdp?.stop();
    pdp = await start();
  });
}
await pdp?.stop();
process.exit();

/** Waits until the revision is served. */
function served(revision: string): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (pdp?.revision === revision) resolve();
    };
    pdp?.events.on('revision', look);
    look();
  });
}
