import type { Change } from '@authz-service/sdk/wire';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, openChromium } from './console/chromium.js';
import { ConsoleBench } from './console/signed-in.js';

const membership = { group: 'finance', entity_type: 'subject', entity: 'user/dave' };

describe.skipIf(!hasChromium)('revisions compared in the console', () => {
  let bench: ConsoleBench;
  let browser: Browser;
  /** Before dave joins, with dave in finance, and after he left again. */
  let [without, within, gone]: number[] = [];

  const commit = async (...changes: Change[]) => {
    const { revision } = await bench.client.changeset({ changes });
    return Number(revision.split('.')[0]);
  };

  beforeAll(async () => {
    [bench, browser] = await Promise.all([ConsoleBench.start(), openChromium()]);
    without = await commit({ op: 'create', kind: 'group', fields: { name: 'empty' } });
    within = await commit({ op: 'create', kind: 'group_membership', fields: membership });
    await commit({ op: 'move', from: 'group/empty', to: 'group/renamed' });
    gone = await commit({ op: 'delete', address: 'group_membership/finance//subject/user/dave' });
  });
  afterAll(async () => {
    await browser?.close();
    await bench?.close();
  });

  it('chosen in the history say which records and which access differ, and so does the address again', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('link', { name: 'Compare two revisions' }).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('Write a revision or a time.').waitFor();
    await page.getByRole('combobox', { name: 'From' }).fill(String(without));
    await page.getByRole('combobox', { name: 'To' }).fill(String(within));
    await page.keyboard.press('Enter');
    const access = page.getByRole('region', { name: 'Who gains and who loses access' }).getByRole('row');
    await access.filter({ hasText: 'user/dave' }).first().waitFor();
    const row = access.filter({ hasText: 'user/dave' }).first();
    expect(await row.textContent()).toContain('gains');
    await row.getByRole('link', { name: 'Dave', exact: true }).waitFor();
    await row.getByRole('link', { name: 'group_membership/finance//subject/user/dave' }).waitFor();
    expect(new URL(page.url()).search).toBe(`?before=${without}&after=${within}`);

    await page.reload();
    await page.getByText('added 1', { exact: true }).waitFor();
    const changed = page.getByRole('region', { name: 'Records that differ' });
    await changed.getByText('group_membership/finance//subject/user/dave').click();
    await changed.getByText('"user/dave"').first().waitFor();
    watch.expectNothing();
  });

  it('until now tell a rename as one, and nothing of what came and went', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at(`/compare?before=${without}`));
    await page.getByText('Nobody gains or loses access.').waitFor();
    await page.getByText('group/empty → group/renamed').waitFor();
    await page.getByText('changed 1', { exact: true }).waitFor();
    watch.expectNothing();
  });

  it('lead on to the question who might then', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at(`/compare?before=${within}&after=${gone}`));
    await page.getByText('loses').first().waitFor();
    await page.getByRole('link', { name: 'Ask as of then' }).first().click();
    await page.waitForURL(bench.at(`/ask?at=${within}`));
  });

  it.each([
    ['a revision that never was', 'before=999', 'never had this revision'],
    ['a time before the tenant', 'before=2000-01-01', 'did not exist at that time'],
    ['what is neither', 'before=yesterday', 'write a revision like'],
  ])('are refused with words: %s', async (_, query, words) => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at(`/compare?${query}`));
    expect(await page.getByRole('alert').textContent()).toContain(words);
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)(
    'can be read by all in the %s theme, %d pixels wide, on their own pages, too',
    async (colorScheme, width) => {
      const { page, watch } = await bench.signedIn(browser, { colorScheme, viewport: { width, height: 800 } });
      for (const path of [`/compare?before=${without}&after=${within}`, `/revision?number=${within}`]) {
        await page.goto(bench.at(path));
        await page.getByText('gains').first().waitFor();
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
      watch.expectNothing();
    },
  );
});
