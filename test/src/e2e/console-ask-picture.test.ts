import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasChromium } from './console/chromium.js';
import { openConsole } from './console/opened.js';
import type { ConsoleBench } from './console/signed-in.js';

const ASKED = '/ask?subject=user/dora&action=read&resource=vault/file/F-1';

describe.skipIf(!hasChromium)('the picture of a decision in the console', () => {
  let bench: ConsoleBench;
  let browser: Browser;
  openConsole(async (...opened) => {
    [bench, browser] = opened;
    await bench.bench.write({
      'vault/tree.yaml': `version: 1
stack: vault
applications:
  vault:
    resource_types:
      room: { actions: [read] }
      file: { actions: [read], parents: [{ type: room, property: room }] }
    resources:
      R-1: { type: room }
      F-1: { type: file, parents: [room/R-1] }
    roles: { reader: {} }
    policies:
      read: { effect: ALLOW, resource_type: file, actions: [read], assigned_to: [role/vault/reader] }
      never: { effect: DENY, resource_type: file, actions: [read], condition: context.locked == true, assigned_to: [group/keepers] }
groups:
  keepers: { members: [user/dora], roles: [vault/reader] }
subjects:
  user/dora: {}
`,
    });
    await bench.bench.json(['apply', 'vault', '--yes', '--no-access'], { env: bench.env });
  });

  const rows = async (page: Page) =>
    (await page.getByRole('region', { name: 'Steps in the picture' }).getByRole('row').allTextContents()).slice(1);

  it('shows each way, marks what decided, and says the same as a table', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at(`${ASKED}&context=${encodeURIComponent('{"locked": false}')}`));
    const picture = page.getByRole('region', { name: 'The ways from the subject to the resource' });
    await picture.getByRole('link', { name: 'Policy · ALLOW, decided vault/read' }).waitFor();
    await picture.getByRole('link', { name: 'Policy · DENY, does not apply vault/never' }).waitFor();
    await picture.getByRole('link', { name: 'Resource vault/room/R-1' }).waitFor();
    expect(await rows(page)).toEqual([
      'user/dora Subjectis a member ofkeepers GroupDecided',
      'keepers Groupholdsvault/reader RoleDecided',
      'vault/reader Roleis assignedvault/read Policy · ALLOW, decidedDecided',
      'vault/read Policy · ALLOW, decidedcoversvault/file/F-1 ResourceDecided',
      'keepers Groupis assignedvault/never Policy · DENY, does not apply',
      'vault/never Policy · DENY, does not applycoversvault/file/F-1 Resource',
      'vault/file/F-1 Resourcelies invault/room/R-1 Resource',
    ]);
    await picture.getByRole('link', { name: 'Group keepers' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(bench.at('/record?address=group/keepers'));
    watch.expectNothing();
  });

  it('marks a denial, and draws a resource without a record', async () => {
    const { page } = await bench.signedIn(browser);
    const asked = ASKED.replace('F-1', 'F-9');
    await page.goto(bench.at(`${asked}&context=${encodeURIComponent('{"locked": true}')}`));
    const picture = page.getByRole('region', { name: 'The ways from the subject to the resource' });
    await picture.getByRole('link', { name: 'Policy · DENY, decided vault/never' }).waitFor();
    await picture.getByText('vault/file/F-9').waitFor();
    expect(await picture.getByRole('link', { name: 'vault/file/F-9' }).count()).toBe(0);
    await page.goto(bench.at('/ask?subject=user/nobody&action=read&resource=vault/file/F-1'));
    await page.getByText('No policy was considered').waitFor();
    expect(await picture.count()).toBe(0);
  });

  it('says which rows are meant that nobody recorded', async () => {
    const { page, watch } = await bench.signedIn(browser);
    const asked = '/ask?mode=what&subject=user/dora&resource=file';
    await page.goto(bench.at(asked));
    await page.getByText('No row.', { exact: true }).waitFor();
    await page.goto(bench.at(`${asked}&context=${encodeURIComponent('{"locked": false}')}`));
    const rows = page.getByRole('region', { name: 'Rows, recorded or not' });
    await rows.getByText('The rows for which this holds:').waitFor();
    expect(await rows.getByRole('listitem').allTextContents()).toContain('parents.room == "R-1"');
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    watch.expectNothing();
  });

  it('gives each part of a proposal for several stacks to a draft of its own', async () => {
    const given = (policy: string) => ({
      op: 'create' as const,
      kind: 'policy_assignment' as const,
      fields: { policy, entity_type: 'subject', entity: 'user/zed' },
    });
    await bench.client.changeset({
      stack: 'vault',
      changes: [{ op: 'create', kind: 'subject', fields: { type: 'user', id: 'zed' } }, given('vault/read')],
    });
    for (const stack of ['one', 'other']) {
      const fields = { name: `not-${stack}`, effect: 'DENY', resource_type: 'vault/file', actions: ['read'] };
      const changes = [{ op: 'create' as const, kind: 'policy' as const, fields }, given(`not-${stack}`)];
      await bench.client.changeset({ stack, changes });
    }
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/ask?subject=user/zed&action=read&resource=vault/file/F-1'));
    await page.getByRole('button', { name: 'Find the smallest changes' }).click();
    const parts = page.getByRole('listitem').filter({ hasText: 'It needs the changes of all of these stacks' }).first();
    await parts.getByRole('button', { name: 'Add the changes of “one” to draft' }).click();
    await parts.getByText('It is in the draft.').waitFor();
    await parts.getByText('The draft is for the stack “one”, and this is for “other”').waitFor();
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    expect(await page.getByLabel('Stack').inputValue()).toBe('one');
    await page.getByRole('region', { name: 'What it would do' }).getByText('removed 1').waitFor();
    watch.expectNothing();
  });

  it.each([
    ['dark', 1280],
    ['light', 1280],
    ['dark', 360],
    ['light', 360],
  ] as const)('is readable: %s, %i px', async (colorScheme, width) => {
    const { page, watch } = await bench.signedIn(browser, { colorScheme, viewport: { width, height: 800 } });
    await page.goto(bench.at(ASKED));
    const picture = page.getByRole('region', { name: 'The ways from the subject to the resource' });
    await picture.getByRole('link', { name: /vault\/read$/ }).waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    if (process.env.PICTURE_TO)
      await page.screenshot({ path: `${process.env.PICTURE_TO}/${colorScheme}-${width}.png`, fullPage: true });
    watch.expectNothing();
  });
});
