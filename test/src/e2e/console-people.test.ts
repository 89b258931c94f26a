import { ServiceClient } from '@authz-service/sdk/client';
import type { Change } from '@authz-service/sdk/wire';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasChromium } from './console/chromium.js';
import { openConsole } from './console/opened.js';
import type { ConsoleBench } from './console/signed-in.js';

const DAY_MS = 86_400_000;

/** RFC 3339, so many days from now. */
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const member = (group: string, more = {}): Change => ({
  op: 'create',
  kind: 'group_membership',
  fields: { group, entity_type: 'subject', entity: 'user/bob', ...more },
});
const holder = (role: string, more = {}): Change => ({
  op: 'create',
  kind: 'role_assignment',
  fields: { role, entity_type: 'subject', entity: 'user/bob', ...more },
});

describe.skipIf(!hasChromium)('a person in the console', () => {
  let bench: ConsoleBench;
  let browser: Browser;

  openConsole(async (...opened) => {
    [bench, browser] = opened;
    const commit = (...changes: Change[]) => bench.client.changeset({ changes });
    await commit(
      member('engineering', { expires_at: inDays(12) }),
      { op: 'create', kind: 'role', fields: { name: 'inspector' } },
      {
        op: 'create',
        kind: 'policy_assignment',
        fields: { policy: 'docs/edit-handbook', entity_type: 'role', entity: 'inspector' },
      },
      holder('inspector'),
      { op: 'create', kind: 'group', fields: { name: 'visitors' } },
      {
        op: 'create',
        kind: 'policy_assignment',
        fields: { policy: 'audit-invoices', entity_type: 'subject', entity: 'user/carol' },
      },
    );
    await commit({ op: 'delete', address: 'role_assignment/inspector//subject/user/bob' });
  });

  const cardOf = (page: Page, name: string | RegExp) => page.getByRole('region', { name });

  it('is found by name, and shows first what they can do, by which grants, until when and under which condition', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await page.getByRole('searchbox', { name: 'Find' }).fill('bo');
    await page.getByRole('link', { name: 'Bob' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bob' }).waitFor();
    const card = cardOf(page, 'What Bob can do');
    await card.getByText(/^\d+ kinds of access in 2 applications: 1 only under a condition, 1 with an end$/).waitFor();

    const invoices = card.getByRole('list', { name: 'billing/invoice' }).locator(':scope > li');
    expect(await invoices.first().textContent()).toMatch(
      /^read billing\/invoice \(all\)bygroup\/accounting › group\/finance › role\/billing\/clerk › policy\/billing\/read-invoices/,
    );
    const approve = invoices.filter({ hasText: 'approve, pay' });
    await approve.getByText('if its amount is at most their approval_limit').waitFor();
    await approve.getByText('resource.properties.amount <= subject.properties.approval_limit').waitFor();
    const handbook = card.getByRole('list', { name: 'docs/page' }).locator(':scope > li');
    expect(await handbook.textContent()).toMatch(/^edit, read docs\/page\/handbookuntil \d+ \w+ \d{4}, \d\d:\d\d/);

    await page.goto(bench.at('/person?subject=user/carol'));
    const carol = cardOf(page, 'What Carol can do').getByRole('list', { name: 'billing/invoice' });
    await carol.getByText('with a second factor').waitFor();
    await carol.getByText('context.mfa').waitFor();
    watch.expectNothing();
  });

  it('tells what they lost and gained lately, and by whom', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/person?subject=user/bob'));
    const lately = cardOf(page, 'Changed in the last 30 days');
    const gained = lately.getByRole('listitem').filter({ hasText: 'edit, read' });
    await gained.getByText('gained', { exact: true }).waitFor();
    await gained.getByText(/added by/).waitFor();
    expect(await gained.textContent()).toContain('group_membership/engineering//subject/user/bob: added by ');
    watch.expectNothing();
  });

  it('is put into a group for seven days, and taken out of another, by a draft', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/person?subject=user/bob'));
    const card = cardOf(page, 'Groups, roles and policies');
    await card.getByRole('button', { name: 'Remove: group/engineering' }).click();
    await card.getByText('In the draft: remove').waitFor();
    // What Git declares is changed there: a draft is for one stack.
    expect(await card.getByRole('button', { name: 'Remove: group/accounting' }).isDisabled()).toBe(true);

    await card.getByRole('button', { name: 'Add to group' }).click();
    await card.getByRole('button', { name: 'Take into the draft' }).click();
    await card.getByText('Choose one.').waitFor();
    const group = card.getByRole('combobox', { name: 'Group' });
    await group.fill('nowhere');
    await card.getByRole('button', { name: 'Take into the draft' }).click();
    await card.getByRole('alert').getByText('nowhere').waitFor();
    await group.fill('finance');
    await card.getByRole('button', { name: 'Take into the draft' }).click();
    await card.getByRole('alert').getByText('The draft is for the stack “console”, and this is for “acme”').waitFor();
    await group.fill('visitors');
    await card.getByLabel('For 7 days').check();
    await card.getByRole('button', { name: 'Take into the draft' }).click();
    await card.getByText('group_membership/visitors/user/bob').waitFor();

    await card.getByRole('link', { name: 'See what the draft would do' }).click();
    await page.getByRole('heading', { name: 'Who gains and who loses access' }).waitFor();
    await page.getByRole('button', { name: 'Commit', exact: true }).click();
    await page.getByText(/^Committed as revision/).waitFor();

    const { expires_at } = await bench.client.records('group_membership').get('visitors//subject/user/bob');
    const days = (Date.parse(expires_at ?? '') - Date.now()) / DAY_MS;
    expect(days).toBeGreaterThan(6);
    expect(days).toBeLessThanOrEqual(7);
    await page.goto(bench.at('/person?subject=user/bob'));
    const lately = cardOf(page, 'Changed in the last 30 days');
    await lately.waitFor();
    await card.getByRole('link', { name: 'group/visitors' }).waitFor();
    await cardOf(page, 'What Bob can do').getByText('group/finance').first().waitFor();
    expect(await cardOf(page, 'What Bob can do').getByText('docs/page/handbook').count()).toBe(0);
    watch.expectNothing();
  });

  it('is said to be suspended: in the list until when and why, on the page also since when and by whom', async () => {
    const subjects = bench.client.records('subject');
    const stack = 'acme';
    const [reason, until] = ['Lost a laptop.', '2099-01-04T08:00:00.000Z'];
    const suspension = { suspended_until: until, suspension_reason: reason };
    const { updated_at: since } = await subjects.update('user/dave', suspension, { stack });
    await subjects.update('user/dave', { properties: { floor: 2 } }, { stack });
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/people'));
    const row = page.getByRole('row').filter({ hasText: 'user/dave' });
    await row.getByText('Suspended', { exact: true }).waitFor();
    expect(await row.getByRole('rowheader').textContent()).toMatch(/Suspended until .*2099.* Lost a laptop\.$/);
    expect(await page.getByText('Suspended', { exact: true }).count()).toBe(1);

    await row.getByRole('link', { name: 'Dave' }).click();
    const note = cardOf(page, 'Suspended');
    await note.getByText('Dave may do nothing').waitFor();
    await note.getByText('Why: Lost a laptop.').waitFor();
    await note.getByText(/since/).waitFor();
    expect(
      await note.locator('time').evaluateAll((times) => times.map((time) => time.getAttribute('datetime'))),
    ).toEqual([until, since]);
    await note.getByText('administrator').waitFor();
    const can = cardOf(page, 'What Dave can do');
    await can
      .getByText(/from \d+ \w+ 2099/)
      .first()
      .waitFor();
    watch.expectNothing();
  });

  it('is suspended by the draft, whoever owns the record, is denied at once, and is reinstated', async () => {
    const question = {
      subject: { type: 'user', id: 'carol' },
      action: { name: 'edit' },
      resource: { type: 'docs/page', id: 'handbook' },
    };
    const decision = async () => (await bench.client.decide(question)).allowed;
    const { page, watch } = await bench.signedIn(browser);
    const commit = async () => {
      await page.getByRole('heading', { name: 'Who gains and who loses access' }).waitFor();
      await page.getByRole('button', { name: 'Commit', exact: true }).click();
      await page.getByText(/^Committed as revision/).waitFor();
      await page.goto(bench.at('/person?subject=user/carol'));
    };
    await page.goto(bench.at('/person?subject=user/carol'));
    await page.getByRole('button', { name: 'Suspend …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Suspend Carol?' });
    await dialog.getByText('at once and everywhere').waitFor();
    await dialog.getByLabel('Until').fill('2020-01-01T08:00');
    await dialog.getByRole('button', { name: 'Take into the draft' }).click();
    await dialog.getByText('Say why.').waitFor();
    await dialog.getByText('Choose a time in the future, or none.').waitFor();
    await dialog.getByLabel('Until').fill('');
    await dialog.getByLabel('Why').fill('Lost a key.');
    await dialog.getByRole('button', { name: 'Take into the draft' }).click();
    await page.getByRole('listitem').filter({ hasText: 'subject/user/carol' }).first().waitFor();
    expect(await decision()).toBe(true);
    await commit();
    expect(await decision()).toBe(false);
    await cardOf(page, 'Suspended').getByText('Why: Lost a key.').waitFor();
    await cardOf(page, 'What Carol can do').getByText('Nothing: they are suspended.').waitFor();
    const { managed_by, suspended } = await bench.client.records('subject').get('user/carol');
    expect({ managed_by, suspended }).toEqual({ managed_by: 'acme', suspended: true });

    await page.getByRole('button', { name: 'Reinstate' }).click();
    const other = page.getByRole('dialog', { name: 'Reinstate Carol?' });
    await other.getByRole('button', { name: 'Take into the draft' }).click();
    await commit();
    expect(await decision()).toBe(true);
    await page.getByRole('button', { name: 'Suspend …' }).waitFor();
    watch.expectNothing();
  });

  it('is suspended by nobody who may not write records', async () => {
    const { secret } = await bench.client.records('api_key').create({ name: 'reader', scopes: ['records:read'] });
    const reader = new ServiceClient({ url: bench.url, credentials: { apiKey: secret } });
    const { page } = await bench.page(browser);
    await page.goto((await reader.consoleLink()).url);
    await page.getByRole('button', { name: 'Sign in with this link' }).click();
    await page.getByRole('heading', { level: 1, name: bench.tenant }).waitFor();
    await page.goto(bench.at('/person?subject=user/dave'));
    await cardOf(page, 'Suspended').getByText('Why: Lost a laptop.').waitFor();
    expect(await page.getByRole('button', { name: /^(Suspend|Reinstate)/ }).count()).toBe(0);
  });

  it('comes from a directory, whose page shows what is held and lets it through', async () => {
    await bench.client.records('directory').create({ name: 'okta', removals: '0%' });
    const made = await bench.client
      .records('api_key')
      .create({ name: 'okta', scopes: ['directory'], directory: 'okta' });
    const sync = async (method: string, path: string, body?: object) =>
      await fetch(`${bench.url}/scim/v2/${path}`, {
        method,
        headers: { authorization: `Bearer ${made.secret}`, 'content-type': 'application/scim+json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    const { id } = (await (await sync('POST', 'Users', { userName: 'zoe' })).json()) as { id: string };
    expect((await sync('DELETE', `Users/${id}`)).status).toBe(503);

    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/person?subject=user/zoe'));
    await page.getByText('From the directory').getByRole('link', { name: 'okta' }).click();
    const card = cardOf(page, 'What it holds');
    await card.getByText('1 subject, 0 groups, 0 memberships').waitFor();
    await card.getByRole('row', { name: 'subject/user/zoe' }).getByText('held', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Who gains and who loses access' }).waitFor();
    await card.getByRole('button', { name: 'Let through …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Let through what is held?' });
    await dialog.getByRole('button', { name: 'Let through' }).click();
    await card.getByRole('row', { name: 'subject/user/zoe' }).getByText('let through').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    expect((await sync('DELETE', `Users/${id}`)).status).toBe(204);
    watch.expectNothing();
  });

  it('that has no record is said to have none', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at('/person?subject=user/nobody'));
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('user/nobody');
  });

  it.each([
    [1280, 'light'],
    [360, 'dark'],
  ] as const)('can be read by all, %i pixels wide in the %s theme', async (width, colorScheme) => {
    const { page } = await bench.signedIn(browser, { viewport: { width, height: 740 }, colorScheme });
    for (const path of [
      '/people',
      '/person?subject=user/bob',
      '/person?subject=user/dave',
      '/record?address=directory/okta',
    ]) {
      await page.goto(bench.at(path));
      await page.waitForLoadState('networkidle');
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  });
});
