import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CloudBench, Workbench } from './cli/workbench.js';
import { hasChromium, openChromium } from './console/chromium.js';
import { PEOPLE } from './oidc/people.js';
import { type RunningProvider, startProvider } from './oidc/start-provider.js';

let bench: Workbench;
let cloud: CloudBench;
let provider: RunningProvider;
let browser: Browser;

/** Starts a cloud that knows the provider, with these people. */
async function start(people: string, settings: Record<string, string> = {}): Promise<void> {
  [bench, provider, browser] = await Promise.all([Workbench.create(), startProvider(), openChromium()]);
  cloud = await bench.startCloud({ ...provider.env, ...settings });
  await provider.know(cloud.url);
  await bench.write({ 'tree/main.yaml': people });
  await bench.json(['apply', 'tree', '--yes'], { env: cloud.operator });
}

async function stop(): Promise<void> {
  await browser?.close();
  provider?.close();
  await bench?.close();
}

/** A browser that the provider takes for this account. */
async function browserOf(account: string): Promise<Page> {
  const context = await browser.newContext();
  await context.addCookies([{ name: 'account', value: account, url: provider.issuer }]);
  return await context.newPage();
}

const at = (path: string) => `${cloud.url}/console${path}`;
const signIn = (page: Page) => page.getByRole('link', { name: 'Sign in with your identity provider' }).click();

describe.skipIf(!hasChromium)('a sign-in with the identity provider, in the browser', () => {
  beforeAll(() => start(PEOPLE));
  afterAll(stop);

  it('comes back to the page that somebody was sent to', async () => {
    const page = await browserOf('alice');
    await page.goto(at('/records?kind=role'));
    await signIn(page);
    await page.getByRole('heading', { level: 1, name: 'Roles' }).waitFor();
    expect(page.url()).toBe(at('/records?kind=role'));
    await page.getByRole('region', { name: 'Account' }).getByText('Alice', { exact: true }).waitFor();
    const stored = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie');
    expect(stored).not.toMatch(/eyJ|token|service_session/);
  });

  it('leaves the draft and what is typed, when the session has ended meanwhile', async () => {
    const page = await browserOf('alice');
    await page.goto(at('/change'));
    await signIn(page);
    await page.getByLabel('Kind').selectOption('Group');
    await page.getByRole('button', { name: 'Add a record' }).click();
    await page.getByLabel('name', { exact: true }).fill('typed');
    await page.context().clearCookies({ name: 'service_session' });
    await page.getByRole('button', { name: 'Take into the draft' }).click();
    const note = page.getByRole('dialog', { name: 'Sign in' });
    const opening = page.context().waitForEvent('page');
    await signIn(page);
    await (await opening).getByRole('heading', { level: 1, name: 'default' }).waitFor();
    await note.getByRole('button', { name: 'I have signed in' }).click();
    await note.waitFor({ state: 'detached' });
    await page.getByText('added 1').waitFor();
    await page.getByRole('button', { name: 'Commit', exact: true }).click();
    await page.getByText(/^Committed as revision/).waitFor();
  });

  it('shows nothing of it to the next person in the same tab', async () => {
    const page = await browserOf('alice');
    await page.goto(at('/change'));
    await signIn(page);
    await page.getByLabel('Kind').selectOption('Group');
    await page.getByRole('button', { name: 'Add a record' }).click();
    await page.getByLabel('name', { exact: true }).fill('of-alice');
    await page.getByRole('button', { name: 'Take into the draft' }).click();
    await page.getByText('group/of-alice').first().waitFor();
    await page.context().clearCookies();
    await page.context().addCookies([{ name: 'account', value: 'bob', url: provider.issuer }]);
    await page.getByLabel('Stack').fill('other');
    const note = page.getByRole('dialog', { name: 'Sign in' });
    const opening = page.context().waitForEvent('page');
    await signIn(page);
    await (await opening).getByRole('heading', { level: 1, name: 'default' }).waitFor();
    await note.getByRole('button', { name: 'I have signed in' }).click();
    await page.getByRole('region', { name: 'Account' }).getByText('Bob', { exact: true }).waitFor();
    await page.goto(at('/change'));
    await page.getByText('The draft is empty.').waitFor();
  });

  it('says what is missing to somebody who may do nothing, and what went wrong', async () => {
    const page = await browserOf('mallory');
    await page.goto(at('/'));
    await signIn(page);
    await page.getByRole('alert').getByText('nobody has given you access').waitFor();
    await page.goto(`${cloud.url}/console/oidc/callback?state=x&code=y`);
    await page.getByRole('alert').getByText('unauthorized').waitFor();
    await page.getByRole('link', { name: 'Sign in with your identity provider' }).waitFor();
  });
});

describe.skipIf(!hasChromium)('a sign-in where the e-mail address stands for the person', () => {
  beforeAll(() => start(PEOPLE.replace('user/alice:', 'user/alice@example.com:'), { SERVICE_OIDC_SUBJECT: 'email' }));
  afterAll(stop);

  it.each([
    ['lets in whose address the provider has verified', 'alice', { heading: 'default' }],
    ['refuses who has only written the address of somebody else there', 'mallory', { alert: 'unauthorized' }],
  ])('%s', async (_, account, { heading, alert }: { heading?: string; alert?: string }) => {
    const page = await browserOf(account);
    await page.goto(at('/'));
    await signIn(page);
    if (heading !== undefined) await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    if (alert !== undefined) await page.getByRole('alert').getByText(alert).waitFor();
    const status = await page.evaluate(`fetch('/console/api/session').then(({ status }) => status)`);
    expect(status).toBe(heading === undefined ? 401 : 200);
  });
});
