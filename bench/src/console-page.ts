/// <reference lib="dom" />
import type { BrowserContext, Page } from 'playwright-core';

/** Texts that a page shows once it has answered: all of these. */
export interface Expected {
  /** An element, and a text that it contains. */
  there?: [selector: string, text: string][];
  /** Elements that must not be there. */
  gone?: string[];
  /** The end of an address that was asked, and has answered. */
  answered?: string;
}

/** Milliseconds from a press or a click until the next paint, and until what was asked for is painted. */
export interface Painted {
  next: number;
  shown: number;
}

interface Clock {
  /** Begins with the next event of a key, a pointer or a wheel. */
  arm(expected: Expected): void;
  /** Resolves once that was painted. */
  painted(): Promise<Painted>;
  /** Milliseconds from the beginning of the navigation until that is painted. */
  sinceStart(expected: Expected): Promise<number>;
}

/** Gives every page of the context the clock; it looks once in each frame, and reads the time after that frame's paint. */
export async function withClock(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    performance.setResourceTimingBufferSize(100_000);
    const EVENTS = ['keydown', 'pointerdown', 'wheel'];
    const isShown = ({ there = [], gone = [], answered }: Expected): boolean =>
      there.every(([selector, text]) => document.querySelector(selector)?.textContent?.includes(text)) &&
      gone.every((selector) => document.querySelector(selector) === null) &&
      (answered === undefined ||
        performance.getEntriesByType('resource').some(({ name }) => decodeURIComponent(name).includes(answered)));
    const watch = (expected: Expected, since: number): Promise<Painted> =>
      new Promise((resolve, reject) => {
        let next: number | undefined;
        const look = () =>
          requestAnimationFrame(() => {
            const shown = isShown(expected);
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => {
              const ms = performance.now() - since;
              next ??= ms;
              if (shown) resolve({ next, shown: ms });
              else if (ms < 60_000) look();
              else reject(new Error(`after a minute the page does not show ${JSON.stringify(expected)}`));
            };
            port2.postMessage(0);
          });
        look();
      });
    let painted: Promise<Painted> | undefined;
    (globalThis as unknown as { benchClock: Clock }).benchClock = {
      arm(expected) {
        painted = new Promise((resolve) => {
          const begin = (event: Event) => {
            for (const name of EVENTS) removeEventListener(name, begin, true);
            resolve(watch(expected, event.timeStamp));
          };
          for (const name of EVENTS) addEventListener(name, begin, true);
        });
      },
      painted: () => painted ?? Promise.reject(new Error('the clock was not armed')),
      sinceStart: async (expected) => (await watch(expected, 0)).shown,
    };
  });
}

/** How long the page takes to answer what `act` does. */
export async function timed(page: Page, expected: Expected, act: () => Promise<void>): Promise<Painted> {
  await page.evaluate((given) => (globalThis as unknown as { benchClock: Clock }).benchClock.arm(given), expected);
  await act();
  return await page.evaluate(() => (globalThis as unknown as { benchClock: Clock }).benchClock.painted());
}

/** How long the page takes from its navigation until it shows this. */
export async function timedSinceStart(page: Page, expected: Expected): Promise<number> {
  return await page.evaluate(
    (given) => (globalThis as unknown as { benchClock: Clock }).benchClock.sinceStart(given),
    expected,
  );
}
