import { ServiceClient } from '@authz-service/sdk/client';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, openChromium } from './console/chromium.js';
import { ConsoleBench } from './console/signed-in.js';

const SECRET = 'the secret of the console';
const NEVER = { subjects: { named: ['user/dave'] }, actions: ['approve'], resources: { types: ['billing/invoice'] } };

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html.slice(0, 160)) }))).toEqual([]);
}

describe.skipIf(!hasChromium)('the settings in the console', () => {
  let bench: ConsoleBench;
  let browser: Browser;

  beforeAll(async () => {
    const settings = {
      SERVICE_OIDC_ISSUER: 'https://id.example.com',
      SERVICE_OIDC_CLIENT_ID: 'console',
      SERVICE_OIDC_CLIENT_SECRET: SECRET,
      SERVICE_OIDC_GROUPS: 'engineers=finance,admins=finance',
    };
    [bench, browser] = await Promise.all([ConsoleBench.start('acme', settings), openChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await bench?.close();
  });

  /** A page on which the holder of a credential of the bench's cloud is signed in. */
  const signedInAs = async (client: ServiceClient, tenant: string) => {
    const opened = await bench.page(browser, { colorScheme: 'dark', viewport: { width: 360, height: 800 } });
    await opened.page.goto((await client.consoleLink()).url);
    await opened.page.getByRole('button', { name: 'Sign in with this link' }).click();
    await opened.page.getByRole('heading', { level: 1, name: tenant }).waitFor();
    return opened;
  };

  it('suspends an access rule and resumes it, by way of the draft', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/settings?area=rules'));
    await page.getByRole('link', { name: 'New access rule' }).click();
    await page.getByLabel('name', { exact: true }).fill('not-dave');
    await page.getByLabel('never').fill(JSON.stringify(NEVER));
    await page.getByRole('button', { name: 'Take into the draft' }).click();
    await page.getByText('added 1').waitFor();
    await page.getByRole('button', { name: 'Commit', exact: true }).click();
    await page.getByText(/^Committed as revision/).waitFor();

    await page.goto(bench.at('/settings?area=rules'));
    const rule = page.getByRole('row', { name: 'not-dave' });
    await rule.getByText(/^holds$|violation/).waitFor();
    await rule.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Take into the draft' }).click();
    await page.getByText('Say why.').waitFor();
    await page.getByLabel('Until').fill('2099-01-01T12:00');
    await page.getByLabel('Why').fill('Year-end closing.');
    await page.getByRole('button', { name: 'Take into the draft' }).click();
    await page.getByText('changed 1').waitFor();
    await page.getByRole('button', { name: 'Commit', exact: true }).click();
    await page.getByText(/^Committed as revision/).waitFor();

    const entry = { group: 'finance', entity_type: 'subject', entity: 'user/dave' } as const;
    await bench.client.records('group_membership').create(entry);
    await page.goto(bench.at('/settings?area=rules'));
    await rule.getByText('Year-end closing.').waitFor();
    await expectAccessible(page);
    await rule.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('changed 1').waitFor();
    await page.getByRole('button', { name: 'Commit', exact: true }).click();
    await page.getByText(/^Committed as revision/).waitFor();
    expect((await bench.client.records('access_rule').get('not-dave')).suspended_until).toBeUndefined();
    watch.expectNothing();
  });

  it('offers nobody without the scope to change rules, to see how people sign in, or tenants', async () => {
    const { secret } = await bench.client.records('api_key').create({ name: 'reader', scopes: ['records:read'] });
    const { page, watch } = await signedInAs(
      new ServiceClient({ url: bench.url, credentials: { apiKey: secret } }),
      'acme',
    );
    await page.goto(bench.at('/settings?area=rules'));
    await page.getByRole('row', { name: 'not-dave' }).waitFor();
    expect(await page.getByRole('button', { name: /Suspend|Resume/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: /New access rule|Tenants|Sign-in/ }).count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await expectAccessible(page);
    watch.expectNothing();

    const holder = await bench.signedIn(browser);
    await holder.page.goto(bench.at('/settings'));
    await bench.client.records('api_key').create({ name: 'fresh', scopes: ['decisions'] });
    await holder.page.getByRole('row', { name: 'reader' }).getByRole('time').waitFor();
    await holder.page.reload();
    await holder.page.getByRole('row', { name: 'fresh' }).getByText('unused').waitFor();
  });

  it('shows how people sign in, and no secret', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/settings?area=signIn'));
    await page.getByText('https://id.example.com').waitFor();
    await page.getByText(`${bench.url}/console/oidc/callback`).waitFor();
    await page.getByRole('row', { name: 'engineers' }).getByRole('link', { name: 'finance' }).waitFor();
    await page.getByText('taken on the machine of the service alone').waitFor();
    expect(await page.content()).not.toContain(SECRET);
    await expectAccessible(page);
    watch.expectNothing();
  });

  it('lets an operator make a tenant, and delete it by its name alone', async () => {
    const { SERVICE_CLIENT_ID: clientId, SERVICE_CLIENT_SECRET: clientSecret } = bench.cloud.operator;
    const operator = new ServiceClient({ url: bench.url, credentials: { clientId, clientSecret } });
    const { page, watch } = await signedInAs(operator, 'default');
    await page.goto(bench.at('/settings?area=tenants'));
    await page.getByRole('button', { name: 'New tenant' }).click();
    await page.getByLabel('Name').fill('globex');
    await page.getByRole('button', { name: 'Create' }).click();
    const id = (await page.getByRole('figure', { name: 'Client id' }).textContent()) ?? '';
    const secret = (await page.getByRole('figure', { name: 'Secret' }).textContent()) ?? '';
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const made = new ServiceClient({ url: bench.url, credentials: { clientId: id, clientSecret: secret } });
    expect((await made.whoami()).tenant.name).toBe('globex');

    await page.getByRole('button', { name: 'Delete: globex' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type “globex” to confirm').fill('Globex');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('This is not the name of the tenant.').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Type “globex” to confirm').fill('globex');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete: globex' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete: acme' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    watch.expectNothing();
  });

  it('finds on the overview what in the records does nothing', async () => {
    await bench.client.records('group').create({ name: 'nobodys' });
    const { page, watch } = await bench.signedIn(browser);
    await page.getByRole('button', { name: 'Find unused records' }).click();
    await page.getByRole('link', { name: 'group/nobodys' }).waitFor();
    await expectAccessible(page);
    watch.expectNothing();
  });
});
