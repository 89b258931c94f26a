import { readFile } from 'node:fs/promises';
import type { Change } from '@authz-service/sdk/wire';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, openChromium } from './console/chromium.js';
import { ConsoleBench } from './console/signed-in.js';

/** Each is given a policy alone, so that the rows take more than one page. */
const CLERKS = 60;
const FORMULA = '=HYPERLINK("http://evil.example","Dave")';

describe.skipIf(!hasChromium)('access reviewed in the console', () => {
  let bench: ConsoleBench;
  let browser: Browser;
  let before: number;

  const commit = async (...changes: Change[]) => {
    const { revision } = await bench.client.changeset({ changes });
    return Number(revision.split('.')[0]);
  };

  beforeAll(async () => {
    [bench, browser] = await Promise.all([ConsoleBench.start(), openChromium()]);
    before = await commit({ op: 'create', kind: 'subject', fields: { type: 'user', id: 'erin', name: FORMULA } });
    await commit({
      op: 'create',
      kind: 'group_membership',
      fields: { group: 'finance', entity_type: 'subject', entity: 'user/erin' },
    });
    await commit(
      ...Array.from({ length: CLERKS }, (_, index) => index + 1).flatMap((number): Change[] => [
        { op: 'create', kind: 'subject', fields: { type: 'temp', id: `t${number}` } },
        {
          op: 'create',
          kind: 'policy_assignment',
          fields: { policy: 'docs/edit-handbook', entity_type: 'subject', entity: `temp/t${number}` },
        },
      ]),
    );
  });
  afterAll(async () => {
    await browser?.close();
    await bench?.close();
  });

  it('names each subject of a type of resources with the way to it, and so does the address again', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.keyboard.press('g');
    await page.keyboard.press('v');
    await page.getByRole('heading', { level: 1, name: 'Review' }).waitFor();
    await page.getByLabel('Scope', { exact: true }).selectOption('A type of resources');
    await page.getByRole('button', { name: 'Show who has access' }).click();
    await page.getByText('Choose what to review.').waitFor();
    await page.getByRole('combobox', { name: 'Resource type' }).fill('billing/invoice');
    await page.getByLabel('Actions').fill('read');
    await page.keyboard.press('Enter');
    const rows = page.getByRole('region', { name: 'Who has access' }).getByRole('row');
    const own = page.getByRole('rowheader').getByRole('link', { name: 'group/finance' });
    const finance = rows.filter({ has: own });
    await finance.waitFor();
    expect(await finance.textContent()).toMatch(
      /billing\/invoice \(all\)group\/finance › role\/billing\/clerk › policy/,
    );
    await finance.getByRole('button', { name: 'Show the subjects of group/finance' }).click();
    const erin = finance.getByRole('listitem').filter({ hasText: 'user/erin' });
    await erin.waitFor();
    expect(await erin.textContent()).toContain('since');
    expect(await rows.filter({ hasText: 'context.mfa' }).count()).toBeGreaterThan(0);
    expect(await rows.filter({ hasText: 'approve' }).count()).toBe(0);
    expect(await rows.filter({ hasText: 'Anyone for whom a request names role/billing/clerk' }).count()).toBe(0);

    await page.reload();
    await finance.waitFor();
    await page.getByLabel('Filter').fill('erin clerk');
    await page.getByText('Export 1 row as CSV').waitFor();
    expect(new URL(page.url()).search).toBe('?scope=resource_type/billing/invoice&actions=read&q=erin+clerk');
    await page.getByRole('button', { name: 'Show the subjects of group/finance' }).click();
    await erin.waitFor();
    expect(await page.getByRole('list', { name: 'Subjects of group/finance' }).getByRole('listitem').count()).toBe(1);
    await page.getByRole('link', { name: 'role/billing/clerk' }).click();
    await page.getByRole('heading', { level: 1, name: 'billing/clerk' }).waitFor();
    watch.expectNothing();
  });

  it('goes through pages', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/review?scope=resource/docs/page/handbook&actions=edit'));
    await page.getByRole('link', { name: 'temp/t10', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'temp/t9', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'temp/t9', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'temp/t10', exact: true }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('page')).toBe('2');
    watch.expectNothing();
  });

  it('writes all rows as CSV, in which nothing is a formula', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at('/review?scope=application/billing'));
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Export \d+ rows as CSV/ }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^access-billing-revision-\d+\.csv$/);
    const written = await readFile(await download.path(), 'utf8');
    const lines = written.split('\r\n').filter(Boolean);
    expect(lines[0]).toContain('"Who","Name","Action","On what","By way of","If","From","Until","Since"');
    const [erin] = lines.filter((line) => line.startsWith('"user/erin"'));
    expect(erin).toContain(`"'=HYPERLINK(""http://evil.example"",""Dave"")","read","billing/invoice (all)"`);
    expect(erin).toContain('group/finance > role/billing/clerk > policy/billing/read-invoices');
    expect(written).toContain('"with a second factor (context.mfa)"');
  });

  it('tells who had access at a past revision', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at(`/review?scope=application/billing&at=${before}`));
    await page.getByRole('button', { name: 'Show the subjects of group/finance' }).first().click();
    await page.getByRole('link', { name: 'user/alice' }).first().waitFor();
    expect(await page.getByRole('link', { name: 'user/erin' }).count()).toBe(0);
    await page.getByRole('link', { name: `Revision ${before}` }).waitFor();
  });

  it('is found anew on “Show”, though the same is asked', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at('/review?scope=resource/docs/page/handbook&actions=edit&q=fresh'));
    await page.getByText(/^No row/).waitFor();
    await commit(
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'fresh' } },
      {
        op: 'create',
        kind: 'policy_assignment',
        fields: { policy: 'docs/edit-handbook', entity_type: 'subject', entity: 'user/fresh' },
      },
    );
    await page.getByRole('button', { name: 'Show who has access' }).click();
    await page.getByRole('link', { name: 'user/fresh', exact: true }).waitFor();
  });

  it('is signed off with the rows that need change, and later says whether access has changed since', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/review?scope=application/billing'));
    await page.getByText('Nobody has signed off anything here yet.').waitFor();
    await page.getByLabel('Some of it needs change').check();
    await page.getByRole('button', { name: /^Sign off revision \d+/ }).click();
    await page.getByText('Say what needs change, or mark rows.').waitFor();
    await page.getByRole('button', { name: 'Show the subjects of group/finance' }).first().click();
    await page.getByLabel('Needs change: user/erin, read').check();
    await page.getByText('1 row marked as needing change.').waitFor();
    await page.getByLabel('Note').fill('Erin has moved to sales.');
    await page.getByRole('button', { name: /^Sign off revision \d+/ }).click();
    const signed = page.getByRole('article', { name: /^application\/billing, signed off by / });
    await signed.getByText('Erin has moved to sales.').waitFor();
    await signed.getByText('1 row needed change').click();
    await signed.getByText('user/erin: read: billing/invoice (all)').waitFor();
    expect(await page.getByLabel('Needs change: user/erin, read').isChecked()).toBe(false);
    await signed.getByRole('button', { name: /^Has access changed since/ }).click();
    await signed.getByText(/^Access in this scope is the same at revision \d+ as it was then/).waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);

    await commit({ op: 'delete', address: 'group_membership/finance//subject/user/erin' });
    await page.reload();
    await signed.getByRole('button', { name: /^Has access changed since/ }).click();
    const lost = signed.getByRole('row').filter({ hasText: 'user/erin' });
    await lost.waitFor();
    expect(await lost.textContent()).toContain('loses');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export 1 sign-off as CSV' }).click();
    const written = await readFile(await (await downloading).path(), 'utf8');
    expect(written).toContain('"application/billing"');
    expect(written).toContain('"needs change","Erin has moved to sales."');
    await signed.getByRole('link', { name: /^as it was at revision/ }).click();
    await page.getByRole('button', { name: 'Show the subjects of group/finance' }).first().click();
    await page.getByRole('link', { name: 'user/erin' }).waitFor();
    watch.expectNothing();
  });

  it('refuses a scope that is not there, with words', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at('/review?scope=resource/docs/page/nowhere'));
    expect(await page.getByRole('alert').textContent()).toContain('There is no record "resource/docs/page/nowhere"');
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('can be read by all in the %s theme, %d pixels wide', async (colorScheme, width) => {
    const { page, watch } = await bench.signedIn(browser, { colorScheme, viewport: { width, height: 800 } });
    for (const path of ['/review', '/review?scope=application/billing']) {
      await page.goto(bench.at(path));
      await page.getByRole('button', { name: 'Show who has access' }).waitFor();
      await page.waitForLoadState('networkidle');
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    watch.expectNothing();
  });
});
