import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { openChromium } from './chromium.js';
import { ConsoleBench } from './signed-in.js';

/** Opens a console and a browser for the tests of a `describe`, hands them over before the first, and closes them. */
export function openConsole(opened: (bench: ConsoleBench, browser: Browser) => void | Promise<void>): void {
  let bench: ConsoleBench | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    [bench, browser] = await Promise.all([ConsoleBench.start(), openChromium()]);
    await opened(bench, browser);
  });
  afterAll(async () => {
    await browser?.close();
    await bench?.close();
  });
}
