/**
 * Takes the pictures in docs/console.md: each page, light and dark, of the example's tenant. Needs a build and Chromium.
 *   node test/src/e2e/console/screenshots.mjs
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const target = join(root, 'docs/images');
const QUALITY = 70;
const PAGES = {
  overview: '/',
  person: '/person?subject=user/bob',
  records: '/records?kind=policy',
  record: '/record?address=role/billing/clerk',
  ask: '/ask?subject=user/bob&action=approve&resource=billing/invoice/INV-2',
  structure: '/structure?focus=role/billing/clerk',
  change: '/change',
  history: '/history',
  revision: '/revision?number=2',
  compare: '/compare?before=1&after=2',
  review: '/review?scope=application/billing',
  agents: '/agents',
  settings: '/settings?area=clients',
};
const DRAFT = {
  stack: 'acme',
  changes: [
    {
      op: 'create',
      kind: 'group_membership',
      fields: { group: 'finance', entity_type: 'subject', entity: 'user/dave' },
    },
  ],
};

const folder = mkdtempSync(join(tmpdir(), 'console-screenshots-'));
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  SERVICE_CLIENT_ID: 'administrator',
  SERVICE_CLIENT_SECRET: randomBytes(24).toString('base64url'),
};
const service = (...args) =>
  execFileSync(process.execPath, [join(root, 'cli/bin/service.js'), ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

const cloud = spawn(
  process.execPath,
  [
    join(root, 'cli/bin/service.js'),
    'cloud',
    'start',
    '--data-dir',
    join(folder, 'cloud'),
    '--listen-addr',
    '127.0.0.1:0',
  ],
  {
    env: {
      ...env,
      SERVICE_LOG_LEVEL: 'warn',
      SERVICE_BOOTSTRAP_TENANT: 'acme',
      SERVICE_BOOTSTRAP_CLIENT_ID: env.SERVICE_CLIENT_ID,
      SERVICE_BOOTSTRAP_CLIENT_SECRET: env.SERVICE_CLIENT_SECRET,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});
try {
  env.SERVICE_CLOUD_URL = await new Promise((resolve) => {
    createInterface({ input: cloud.stdout }).once('line', (line) => resolve(JSON.parse(line).url));
  });
  service('apply', join(root, 'examples/tenant'), '--yes');
  mkdirSync(target, { recursive: true });
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 800 } });
    await page.goto(service('console').trim());
    await page.getByRole('button', { name: 'Sign in with this link' }).click();
    await page.getByText('Changed lately').waitFor();
    const base = JSON.parse(service('audit', '--json')).items[0].revision;
    // The console drops a draft of which it does not know whose it is.
    await page.evaluate(
      (draft) => {
        const { owner } = JSON.parse(sessionStorage.getItem('console-draft'));
        sessionStorage.setItem('console-draft', JSON.stringify({ ...draft, owner }));
      },
      { ...DRAFT, base },
    );
    const session = await page.context().newCDPSession(page);
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(`${env.SERVICE_CLOUD_URL}/console${path}`);
      await page.waitForLoadState('networkidle');
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
      writeFileSync(join(target, `console-${name}-${colorScheme}.webp`), Buffer.from(data, 'base64'));
    }
    await page.close();
  }
} finally {
  await browser.close();
  const ended = once(cloud, 'exit');
  cloud.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
