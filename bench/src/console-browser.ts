import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { BenchCloud } from './clouds.js';
import { withClock } from './console-page.js';

const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const TIMEOUT_MS = 120_000;

export async function openChromium(): Promise<Browser> {
  if (PROGRAM === undefined) throw new Error('the console needs Chromium (Debian: apt-get install chromium)');
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
    ],
  });
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** Nobody's page in a new context; with cookies, that of somebody who is signed in. */
export async function newPage(browser: Browser, cookies: Cookies = []): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(TIMEOUT_MS);
  await context.addCookies(cookies);
  await withClock(context);
  return await context.newPage();
}

/** A page on which the administrator is signed in by a link. */
export async function signedInPage(browser: Browser, cloud: BenchCloud): Promise<Page> {
  const page = await newPage(browser);
  const { url } = await cloud.client().consoleLink();
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign in with this link' }).click();
  await page.getByRole('heading', { name: 'Changed lately' }).waitFor();
  return page;
}
