import type { Change } from '@authz-service/sdk/wire';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasChromium } from './console/chromium.js';
import { openConsole } from './console/opened.js';
import type { ConsoleBench } from './console/signed-in.js';

/** More than a picture shows of one kind of link, and more than the page reads of it. */
const MEMBERS = 70;

describe.skipIf(!hasChromium)('the structure of a tenant in the console', () => {
  let bench: ConsoleBench;
  let browser: Browser;

  openConsole((...opened) => {
    [bench, browser] = opened;
  });

  it('is found by search, and opened further by keys', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('searchbox', { name: 'Find what to look at' }).fill('clerk');
    await page.getByRole('list', { name: 'Found' }).getByRole('link', { name: 'billing/clerk' }).click();
    await page.waitForURL(bench.at('/structure?focus=role/billing/clerk'));
    const picture = page.getByRole('region', { name: 'What billing/clerk is linked with' });
    const finance = picture.getByRole('button', { name: 'Group finance' });
    await finance.waitFor();
    expect(await rows(page)).toContain('finance Group holds billing/clerk Role link');
    expect(await finance.getAttribute('aria-expanded')).toBe('false');
    expect(await picture.getByRole('button', { name: 'Subject user/alice' }).count()).toBe(0);

    await finance.focus();
    await page.keyboard.press('Enter');
    await picture.getByRole('button', { name: 'Subject user/alice' }).waitFor();
    await picture.getByRole('button', { name: 'Group accounting' }).waitFor();
    expect(await rows(page)).toContain('accounting Group is a member of finance Group link');
    await page.keyboard.press('Enter');
    await picture.getByRole('button', { name: 'Subject user/alice' }).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Put in the middle' }).click();
    await page.waitForURL(bench.at('/structure?focus=group/finance'));
    await page.getByRole('link', { name: 'Open the record' }).click();
    await page.getByRole('heading', { level: 1, name: 'finance' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Structure' }).click();
    await page.waitForURL(bench.at('/structure?focus=group/finance'));
    watch.expectNothing();
  });

  it('stays readable where a record has many links, and says what it leaves out', async () => {
    const changes: Change[] = [{ op: 'create', kind: 'group', fields: { name: 'crowd' } }];
    for (let number = 0; number < MEMBERS; number += 1) {
      changes.push({ op: 'create', kind: 'subject', fields: { type: 'user', id: `crowd-${number}` } });
      const fields = { group: 'crowd', entity_type: 'subject', entity: `user/crowd-${number}` };
      changes.push({ op: 'create', kind: 'group_membership', fields });
    }
    changes.push({
      op: 'create',
      kind: 'role_assignment',
      fields: { role: 'billing/clerk', entity_type: 'group', entity: 'crowd' },
    });
    await bench.client.changeset({ changes });
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/structure?focus=group/crowd'));
    const picture = page.getByRole('region', { name: 'What crowd is linked with' });
    const more = picture.getByRole('button', { name: 'more: subjects' });
    await more.getByText('over 42 more').waitFor();
    expect(await picture.getByRole('button', { name: 'Subject user/crowd-' }).count()).toBe(8);
    await picture.getByRole('button', { name: 'Role billing/clerk' }).waitFor();
    expect(await rows(page)).toContain('Show over 42 more: subjects is a member of crowd Group');
    await more.focus();
    await page.keyboard.press('Enter');
    await more.getByText('over 26 more').waitFor();
    expect(await picture.getByRole('button', { name: 'Subject user/crowd-' }).count()).toBe(24);
    await more.press('Enter');
    await more.getByText('over 10 more').waitFor();
    await more.press('Enter');
    await picture
      .getByRole('link', { name: 'more: subjects' })
      .or(page.getByText('at most 60 records'))
      .first()
      .waitFor();
    expect(await picture.getByRole('button', { name: 'Subject user/crowd-' }).count()).toBeLessThan(60);
    watch.expectNothing();
  });

  it('marks what denies, and says what covers every type', async () => {
    const policy = {
      application: 'billing',
      name: 'freeze',
      effect: 'DENY',
      resource_types: ['*'],
      actions: ['approve'],
    };
    await bench.client.changeset({
      changes: [
        { op: 'create', kind: 'policy', fields: policy },
        { op: 'create', kind: 'group', fields: { name: 'frozen' } },
        {
          op: 'create',
          kind: 'policy_assignment',
          fields: { policy: 'billing/freeze', entity_type: 'group', entity: 'frozen' },
        },
      ],
    });
    const { page, watch } = await bench.signedIn(browser, { viewport: { width: 360, height: 640 } });
    await page.goto(bench.at('/structure?focus=group/frozen'));
    const picture = page.getByRole('region', { name: 'What frozen is linked with' });
    await picture.getByRole('button', { name: 'Policy denies billing/freeze' }).waitFor();
    expect(await rows(page)).toContain(
      'billing/freeze Policy denies covers every type of billing Application its own field',
    );
    expect((await picture.boundingBox())?.height).toBeLessThanOrEqual(320);
    watch.expectNothing();
  });

  it('says that there is no such record', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at('/structure?focus=group/nobody'));
    await page.getByRole('alert').getByText('group/nobody').waitFor();
  });
});

/** The rows of the table that says the same as the picture. */
async function rows(page: Page): Promise<string[]> {
  const table = page.getByRole('region', { name: 'Links in the picture' }).getByRole('table');
  await table.waitFor();
  const found = await table.getByRole('row').allInnerTexts();
  return found.map((row) => row.replaceAll(/\s+/g, ' ').trim());
}
