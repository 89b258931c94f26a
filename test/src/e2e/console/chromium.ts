import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** Whether there is a Chromium; without it, the journeys through the console are skipped, and a message says so. */
export const hasChromium = PROGRAM !== undefined;
if (!hasChromium)
  process.stderr.write(
    '\n*** SKIPPED: the journeys through the console, because Chromium is not installed (on Debian: apt-get install chromium). CI skips none of them. ***\n\n',
  );

/** A browser that asks nobody but the pages it is sent to, with more arguments for the program. */
export async function openChromium(...args: string[]): Promise<Browser> {
  if (PROGRAM === undefined) throw new Error('there is no Chromium');
  return await chromium.launch({
    executablePath: PROGRAM,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
      ...args,
    ],
  });
}

/** A watch on what pages of the console must never do: report errors, break their policy, or ask another origin. */
export class Watch {
  readonly #faults: string[] = [];

  constructor(page: Page, origin: string) {
    page.on('pageerror', ({ message }) => this.#faults.push(message));
    page.on('console', (message) => {
      // An answer that refuses is one that the page shows.
      if (message.type() === 'error' && !/the server responded with a status of \d/.test(message.text()))
        this.#faults.push(message.text());
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) this.#faults.push(`asks ${request.url()}`);
    });
  }

  expectNothing(): void {
    expect(this.#faults).toEqual([]);
  }
}
