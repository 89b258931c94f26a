import type { Change } from '@authz-service/sdk/wire';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { agentEnv } from './agent/agent-process.js';
import { hasChromium } from './console/chromium.js';
import { openConsole } from './console/opened.js';
import type { ConsoleBench } from './console/signed-in.js';

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const given = (entity: string, days: number): Change => ({
  op: 'create',
  kind: 'role_assignment',
  fields: { role: 'auditor', entity_type: 'subject', entity, expires_at: inDays(days) },
});

describe.skipIf(!hasChromium)('the numbers of the console', () => {
  let bench: ConsoleBench;
  let browser: Browser;

  openConsole(async (...opened) => {
    [bench, browser] = opened;
    await bench.client.changeset({ changes: [given('user/bob', 5), given('user/carol', 20)] });
  });

  it('say on the overview how much there is and what needs attention, each with its list', async () => {
    const { page, watch } = await bench.signedIn(browser);
    const card = (name: string) => page.getByRole('region', { name, exact: true });
    const bars = card('People').getByRole('list', { name: 'People' }).getByRole('listitem');
    await expect.poll(() => bars.allTextContents()).toEqual(['user4', 'service1']);
    const grants = card('Grants by application').getByRole('listitem');
    expect(await grants.allTextContents()).toEqual(['billing6', 'the tenant4', 'docs3']);
    await card('Ends in the next 30 days')
      .getByRole('img', { name: '2 links end in the next 30 days, 1 of them within 7.' })
      .waitFor();
    const waiting = card('Waits for review').getByRole('listitem');
    expect(await waiting.allTextContents()).toEqual(['billingnever signed off', 'docsnever signed off']);

    await waiting.getByRole('link', { name: 'billing' }).click();
    await page.getByRole('region', { name: 'Who has access' }).waitFor();
    await page.goBack();
    await card('Ends in the next 30 days').getByRole('link', { name: 'All', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Ends in the next 30 days' }).waitFor();
    const rows = page.getByRole('region', { name: 'Ends in the next 30 days' }).getByRole('rowheader');
    expect(await rows.allTextContents()).toEqual(['Bobuser/bob', 'Caroluser/carol']);
    await rows.getByRole('link', { name: 'Bob' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bob' }).waitFor();
    await page.goto(bench.at('/'));
    await card('People').getByRole('link', { name: 'All people' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    watch.expectNothing();
  });

  it('list the agents by their state, and show what each reported', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.getByText('No agent is known').waitFor();
    const { secret } = await bench.client.records('api_key').create({ name: 'fleet', scopes: ['bundle'] });
    const agents = ['one', 'two'].map((name) =>
      bench.bench.spawn(['agent', 'start'], {
        env: agentEnv(bench.bench.folder, bench.url, {
          SERVICE_API_KEY: secret,
          SERVICE_CACHE_DIR: bench.bench.path(name),
        }),
      }),
    );
    const enforcing = (count: number) =>
      expect.poll(async () => (await bench.client.agents()).enforcing, { timeout: 60_000 }).toBe(count);
    await enforcing(2);
    agents[1]?.kill('SIGKILL');
    await bench.client.records('group').create({ name: 'newer' });
    await enforcing(1);

    await page.reload();
    const card = page.getByRole('region', { name: 'Agents' });
    await card.getByText('1 of 2 serve the newest revision.').waitFor();
    await card.getByText('behind', { exact: true }).waitFor();
    await card.getByRole('link', { name: 'All agents' }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    const rows = page.getByRole('region', { name: 'Agents' }).getByRole('row');
    await rows.filter({ hasText: 'newest' }).waitFor();
    expect(await rows.count()).toBe(3);
    await page.getByLabel('State').selectOption('behind');
    await rows.filter({ hasText: 'newest' }).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(2);
    expect(await rows.nth(1).textContent()).toContain('1 revision');
    await page.getByRole('searchbox', { name: 'Find' }).fill('nowhere');
    await page.getByText('No agent fits these filters.').waitFor();
    await page.getByRole('searchbox', { name: 'Find' }).fill('fleet');
    await rows.nth(1).getByRole('link').click();
    await page.getByText('It serves an older revision').waitFor();
    await page.getByRole('link', { name: 'what it lacks' }).click();
    await page.getByText('group/newer').first().waitFor();

    await page.goto(bench.at('/agent?id=nobody'));
    await page.getByText('There is no such agent.').waitFor();
    watch.expectNothing();
  });

  it.each([
    [1280, 'light'],
    [360, 'dark'],
  ] as const)('can be read by all, %i pixels wide in the %s theme', async (width, colorScheme) => {
    const { page } = await bench.signedIn(browser, { viewport: { width, height: 740 }, colorScheme });
    const [agent] = (await bench.client.agents()).agents;
    for (const path of ['/', '/expiring', '/agents', `/agent?id=${agent?.id}`]) {
      await page.goto(bench.at(path));
      await page.waitForLoadState('networkidle');
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  });
});
