import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasChromium } from './console/chromium.js';
import { openConsole } from './console/opened.js';
import type { ConsoleBench } from './console/signed-in.js';

const COMMIT = 'abc1234567890abcdef1234567890abcdef12345';
const STANDS = 'acme/access at tenant/roles.yaml:14, commit abc1234567';
const LINK = `https://github.com/acme/access/blob/${COMMIT}/tenant/roles.yaml#L14`;

describe.skipIf(!hasChromium)('where records stand, in the console', () => {
  let bench: ConsoleBench;
  let browser: Browser;
  openConsole(async (...opened) => {
    [bench, browser] = opened;
    await bench.client.changeset({
      stack: 'access',
      origins: {
        repository: 'https://github.com/acme/access',
        commit: COMMIT,
        author: 'ann',
        pull_request: 214,
        approved_by: ['bob', '<b>eve</b>'],
        places: { 'tenant/roles.yaml': { 'role/auditor-of-all': 14 } },
      },
      changes: [{ op: 'create', kind: 'role', fields: { name: 'auditor-of-all' } }],
    });
    await bench.client.changeset({
      stack: 'access',
      origins: { uncommitted: true, places: { '<img src=x onerror=alert(1)>.yaml': { 'role/odd': 2 } } },
      changes: [{ op: 'create', kind: 'role', fields: { name: 'odd' } }],
    });
  });

  it.each(['dark', 'light'] as const)(
    'is on the page of a record, with a link to the line (%s)',
    async (colorScheme) => {
      const { page, watch } = await bench.signedIn(browser, { colorScheme, viewport: { width: 360, height: 800 } });
      await page.goto(bench.at('/record?address=role/auditor-of-all'));
      const side = page.getByRole('region', { name: 'Set by the service' });
      const link = side.getByRole('link', { name: 'acme/access at tenant/roles.yaml:14' });
      await link.waitFor();
      expect(await link.getAttribute('href')).toBe(LINK);
      expect(await side.textContent()).toContain(STANDS);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

      await page.goto(bench.at('/record?address=role/odd'));
      await side.getByText('<img src=x onerror=alert(1)>.yaml:2, with uncommitted changes').waitFor();
      await page.goto(bench.at('/record?address=group/finance'));
      await side.getByText(/^(unknown|.*\.yaml:\d+)/).waitFor();
      watch.expectNothing();
    },
  );

  it('is the commit in Git beside who and when', async () => {
    const { page, watch } = await bench.signedIn(browser);
    const link = `https://github.com/acme/access/commit/${COMMIT}`;
    const lately = page.getByRole('region', { name: 'Changed lately' }).getByRole('listitem');
    const applied = lately.filter({ hasText: 'role/auditor-of-all' });
    await applied.getByText('commit abc1234567').waitFor();
    const given = applied.getByRole('link', { name: 'pull request 214 by ann, approved by bob and <b>eve</b>' });
    expect(await given.getAttribute('href')).toBe('https://github.com/acme/access/pull/214');
    expect(await applied.getByRole('link', { name: 'acme/access' }).getAttribute('href')).toBe(link);
    await lately.filter({ hasText: 'role/odd' }).getByText('with uncommitted changes').waitFor();

    await page.goto(bench.at('/record?address=role/auditor-of-all'));
    const history = page.getByRole('region', { name: 'History' });
    await history.getByRole('link', { name: 'acme/access' }).waitFor();
    await history.getByRole('link', { name: /^Revision/ }).click();
    await page.getByRole('region', { name: 'Who and what' }).getByText('commit abc1234567').waitFor();
    watch.expectNothing();
  });

  it('is in the plan of a draft', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/change?edit=role/auditor-of-all'));
    await page.getByLabel('description').fill('Reads all.');
    await page.getByRole('button', { name: 'Take into the draft' }).click();
    await page.getByLabel('Stack').fill('access');
    const plan = page.getByRole('region', { name: 'What it would do' });
    await plan.getByRole('link', { name: 'acme/access at tenant/roles.yaml:14' }).waitFor();
    expect(await plan.textContent()).toContain(STANDS);

    await page.getByText('As YAML').click();
    const yaml = page.getByRole('figure', { name: 'As YAML' });
    expect(await yaml.textContent()).toBe('roles:\n  auditor-of-all: { description: Reads all. }');
    await page.getByText('As Terraform (HCL)').focus();
    await page.keyboard.press('Enter');
    const hcl = page.getByRole('figure', { name: 'As Terraform (HCL)' });
    await hcl.getByText('resource "service_role" "auditor-of-all" {').waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    watch.expectNothing();
  });
});
