import { cp, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, openChromium } from './console/chromium.js';
import { ConsoleBench } from './console/signed-in.js';

const EXAMPLE = fileURLToPath(new URL('../../../examples/tenant', import.meta.url));

/** Opens the form for a new group on the page Change, and types its name. */
async function typeGroup(page: Page, name: string): Promise<void> {
  await page.getByLabel('Kind').selectOption('Group');
  await page.getByRole('button', { name: 'Add a record' }).click();
  await page.getByLabel('name', { exact: true }).fill(name);
}

const take = (page: Page) => page.getByRole('button', { name: 'Take into the draft' }).click();
const commit = (page: Page) => page.getByRole('button', { name: 'Commit', exact: true }).click();
const committed = (page: Page) => page.getByText(/^Committed as revision \d+\./).waitFor();

/** Takes another description of a group that is nobody's into the draft. */
async function describeGroup(page: Page, url: string, description: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('description').fill(description);
  await take(page);
}

describe.skipIf(!hasChromium)('journeys through the console', () => {
  let bench: ConsoleBench;
  let browser: Browser;

  beforeAll(async () => {
    [bench, browser] = await Promise.all([ConsoleBench.start(), openChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await bench?.close();
  });

  it('from a denial to a change of the records in Git', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/ask?subject=user/bob&action=approve&resource=billing/invoice/INV-2'));
    await page.getByText('Denied', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Find the smallest changes' }).click();
    const proposals = page.getByRole('list', { name: 'What would allow it' }).locator('> li');
    await proposals.first().getByRole('button', { name: 'Add to draft' }).click();
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.getByLabel('Stack').fill('acme');
    await page.getByText('are changed where they are declared').waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as change.json' }).click();
    const saved = await (await saving).path();
    const shown = await page.getByRole('region', { name: 'Take it to Git' }).locator('pre').first().textContent();
    expect(await readFile(saved, 'utf8')).toBe(shown);
    watch.expectNothing();

    const { bench: workbench } = bench;
    await cp(EXAMPLE, workbench.path('checkout'), { recursive: true });
    const patched = await workbench.run(['patch', saved, 'checkout'], { env: bench.env });
    expect(patched.code).toBe(0);
    const { code, stdout } = await workbench.run(['plan', 'checkout', '--detailed-exitcode'], { env: bench.env });
    expect({ code, stdout }).toMatchObject({ code: expect.any(Number), stdout: expect.stringContaining('user/bob') });
    expect((await workbench.run(['apply', 'checkout', '--yes'], { env: bench.env })).code).toBe(0);
    await page.goto(bench.at('/ask?subject=user/bob&action=approve&resource=billing/invoice/INV-2'));
    await page.getByText('Allowed', { exact: true }).waitFor();
  });

  it('goes on with what was typed, after the session was ended elsewhere', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/change'));
    await typeGroup(page, 'kept');
    const elsewhere = await bench.signedIn(browser);
    await elsewhere.page.goto(bench.at('/settings?area=sessions'));
    const others = elsewhere.page
      .getByRole('row')
      .filter({ hasNotText: 'this one', has: elsewhere.page.getByRole('cell') });
    await others.first().waitFor();
    for (let left = await others.count(); left > 0; left -= 1) {
      await others.first().getByRole('button', { name: 'End' }).click();
      await elsewhere.page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
      await elsewhere.page.getByText('has ended.').waitFor();
      await expect.poll(() => others.count(), { timeout: 60_000 }).toBe(left - 1);
    }
    await take(page);
    const note = page.getByRole('dialog', { name: 'Sign in' });
    await note.getByText('This page stays as it is').waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    await bench.signInBeside(page);
    await note.getByRole('button', { name: 'I have signed in' }).click();
    await note.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Leave out: group/kept' }).waitFor();
    await page.getByText('added 1').waitFor();
    await commit(page);
    await committed(page);
    watch.expectNothing();
  });

  it('shows a secret on, though the session has ended before it was stored', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at('/settings'));
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByLabel('Name').fill('shown-once');
    await page.getByRole('button', { name: 'Create' }).click();
    const secret = await page.getByRole('figure', { name: 'Secret' }).textContent();
    await page.context().clearCookies();
    await page.clock.install();
    await page.clock.runFor('02:00');
    await page.evaluate('dispatchEvent(new Event("visibilitychange"))');
    const note = page.getByRole('dialog', { name: 'Sign in' });
    await note.waitFor();
    await bench.signInBeside(page);
    await note.getByRole('button', { name: 'I have signed in' }).click();
    await note.waitFor({ state: 'detached' });
    expect(await page.getByRole('figure', { name: 'Secret' }).textContent()).toBe(secret);
  });

  it('merges two people’s changes of one record, and asks about what both changed', async () => {
    const { name } = await bench.client.records('group').create({ name: 'shared', description: 'Of both.' });
    const edit = bench.at(`/change?edit=group/${name}`);
    const alice = await bench.signedIn(browser);
    const bob = await bench.signedIn(browser);
    await describeGroup(alice.page, edit, 'Of Alice.');
    await alice.page.getByText('changed 1').waitFor();

    // Somebody else changes another field of it.
    await bob.page.goto(edit);
    await bob.page.getByLabel('shared with').fill('billing');
    await take(bob.page);
    await bob.page.getByText('changed 1').waitFor();
    await commit(bob.page);
    await committed(bob.page);
    await commit(alice.page);
    await alice.page.getByRole('heading', { name: 'Others have committed meanwhile' }).waitFor();
    await alice.page.getByRole('button', { name: 'Take the draft to the newest revision' }).click();
    await alice.page.getByText('changed 1').waitFor();
    await commit(alice.page);
    await committed(alice.page);
    const merged = { description: 'Of Alice.', shared_with: ['billing'] };
    expect(await bench.client.records('group').get(name)).toMatchObject(merged);

    // Both change the same field.
    await describeGroup(alice.page, edit, 'Of Alice again.');
    await alice.page.getByText('changed 1').waitFor();
    await describeGroup(bob.page, edit, 'Of Bob.');
    await bob.page.getByText('changed 1').waitFor();
    await commit(bob.page);
    await committed(bob.page);
    await alice.page.reload();
    await alice.page.getByRole('button', { name: 'Take the draft to the newest revision' }).click();
    const choice = alice.page.getByRole('group', { name: 'group/shared' });
    await choice.getByLabel('Theirs: Of Bob.').waitFor();
    const { violations } = await new AxeBuilder({ page: alice.page }).analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    await choice.getByLabel('Mine: Of Alice again.').check();
    await alice.page.getByRole('button', { name: 'Go on with these' }).click();
    await alice.page.getByText('changed 1').waitFor();
    await commit(alice.page);
    await committed(alice.page);
    expect((await bench.client.records('group').get(name)).description).toBe('Of Alice again.');
    alice.watch.expectNothing();
  });

  it('keeps what others commit while a form stands open', async () => {
    await bench.client.records('group').create({ name: 'open', shared_with: ['billing'] });
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/change?edit=group/open'));
    await page.getByLabel('shared with').fill('');
    await page.getByLabel('description').fill('Typed before.');
    await bench.client.records('group').update('open', { shared_with: ['billing', 'docs'] });
    // The page has learnt of the newer revision before the form is sent.
    await page.clock.install();
    await page.clock.runFor('00:10');
    const newest = page.waitForResponse((response) => response.url().includes('/v1/audit?'));
    await page.evaluate('dispatchEvent(new Event("visibilitychange"))');
    await (await newest).finished();
    await take(page);
    await page.getByRole('button', { name: 'Take the draft to the newest revision' }).click();
    const choice = page.getByRole('group', { name: 'group/open' });
    await choice.getByLabel('Theirs: ["billing","docs"]').check();
    await page.getByRole('button', { name: 'Go on with these' }).click();
    await page.getByText('changed 1').waitFor();
    await commit(page);
    await committed(page);
    const merged = { description: 'Typed before.', shared_with: ['billing', 'docs'] };
    expect(await bench.client.records('group').get('open')).toMatchObject(merged);
    watch.expectNothing();
  });

  it('keeps what is added to the draft while it is taken to the newest revision', async () => {
    await bench.client.records('group').create({ name: 'slow', description: 'At first.' });
    const { page } = await bench.signedIn(browser);
    await describeGroup(page, bench.at('/change?edit=group/slow'), 'Drafted.');
    await page.getByText('changed 1').waitFor();
    await bench.client.records('group').update('slow', { shared_with: ['billing'] });
    await page.reload();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const path = '**/console/api/v1/groups/**';
    await page.route(path, async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest((request) => request.url().includes('/groups/slow'));
    await page.getByRole('button', { name: 'Take the draft to the newest revision' }).click();
    await asked;
    await typeGroup(page, 'meanwhile');
    await take(page);
    await page.getByRole('button', { name: 'Leave out: group/meanwhile' }).waitFor();
    const answered = page.waitForResponse((response) => response.url().includes('/groups/slow'));
    release();
    await (await answered).finished();
    await page.unroute(path);
    await page.getByRole('button', { name: 'Take the draft to the newest revision' }).click();
    await page.getByText('added 1, changed 1').waitFor();
    await commit(page);
    await committed(page);
    expect(await bench.client.records('group').get('slow')).toMatchObject({
      description: 'Drafted.',
      shared_with: ['billing'],
    });
    expect(await bench.client.records('group').get('meanwhile')).toMatchObject({ name: 'meanwhile' });
  });

  it('lets no proposal replace what the draft does to the same record', async () => {
    const shut = { policy: 'met/shut', entity_type: 'subject', entity: 'user/dave' } as const;
    await bench.client.changeset({
      changes: [
        { op: 'create', kind: 'application', fields: { name: 'met' } },
        { op: 'create', kind: 'resource_type', fields: { application: 'met', name: 'door', actions: ['open'] } },
        ...(['ALLOW', 'DENY'] as const).map((effect) => ({
          op: 'create' as const,
          kind: 'policy' as const,
          fields: {
            ...{ application: 'met', name: effect === 'DENY' ? 'shut' : 'open', effect, resource_type: 'met/door' },
            ...{ actions: ['open'], ...(effect === 'DENY' && { priority: 1 }) },
          },
        })),
        { op: 'create', kind: 'policy_assignment', fields: { ...shut, policy: 'met/open' } },
        { op: 'create', kind: 'policy_assignment', fields: shut },
      ],
    });
    const { page } = await bench.signedIn(browser);
    const address = 'policy_assignment/met/shut//subject/user/dave';
    await page.goto(bench.at(`/change?edit=${encodeURIComponent(address)}`));
    await page.getByLabel('expires at').fill('2099-01-01T00:00:00Z');
    await take(page);
    await page.getByText('changed 1').waitFor();
    await page.goto(bench.at('/ask?subject=user/dave&action=open&resource=met/door/front'));
    await page.getByRole('button', { name: 'Find the smallest changes' }).click();
    const proposals = page.getByRole('list', { name: 'What would allow it' }).locator('> li');
    const removal = proposals.filter({ hasText: address }).first();
    await removal
      .getByText(/^The draft already changes/)
      .first()
      .waitFor();
    expect(await removal.getByRole('button', { name: /^Add to draft/ }).count()).toBe(0);
    await page.goto(bench.at('/change'));
    await page.getByRole('button', { name: `Leave out: ${address}` }).click();
    await page.goto(bench.at('/ask?subject=user/dave&action=open&resource=met/door/front'));
    await page.getByRole('button', { name: 'Find the smallest changes' }).click();
    await removal.getByRole('button', { name: /^Add to draft/ }).click();
    await removal.getByRole('status').waitFor();
  });

  it('says how old the records may be that decide about a type, and how old they were', async () => {
    await bench.client.changeset({
      changes: [
        { op: 'create', kind: 'application', fields: { name: 'till' } },
        {
          op: 'create',
          kind: 'resource_type',
          fields: { application: 'till', name: 'payment', actions: ['make'], max_age: '90s' },
        },
      ],
    });
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/ask?subject=user/dave&action=make&resource=till/payment/P-1'));
    const note = page.getByText(/^Decided by what was known to be the newest [\d.]+ s before\./);
    await note.waitFor();
    expect(await note.textContent()).toContain(
      'resource_type/till/payment lets nothing decide that is older than 90 s (max_age).',
    );
    watch.expectNothing();
  });

  it('edits a record again from where the draft stands', async () => {
    await bench.client.records('group').create({ name: 'twice', description: 'At first.' });
    const { page } = await bench.signedIn(browser);
    await describeGroup(page, bench.at('/change?edit=group/twice'), 'Drafted.');
    await page.getByRole('link', { name: 'Edit: group/twice' }).click();
    expect(await page.getByLabel('description').inputValue()).toBe('Drafted.');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await typeGroup(page, 'thrice');
    await page.keyboard.press('Escape');
    await take(page);
    await page.getByRole('button', { name: 'Edit: group/thrice' }).click();
    await page.getByLabel('name', { exact: true }).fill('four-times');
    await take(page);
    await page.getByRole('button', { name: 'Leave out: group/four-times' }).waitFor();
  });

  it('takes up a draft whose revision is from before a restored backup', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at('/change'));
    await typeGroup(page, 'from-before');
    await take(page);
    await page.getByText('added 1').waitFor();
    await page.evaluate(`
      const draft = JSON.parse(sessionStorage.getItem('console-draft'));
      sessionStorage.setItem('console-draft', JSON.stringify({ ...draft, base: '1.0123456789abcdef' }));
    `);
    await page.reload();
    await page.getByRole('button', { name: 'Take the draft to the newest revision' }).click();
    await page.getByText('added 1').waitFor();
  });

  it('is told when a commit’s answer is lost, and commits once', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at('/change'));
    await typeGroup(page, 'lost-answer');
    await take(page);
    await page.getByText('added 1').waitFor();
    const path = '**/console/api/v1/changesets';
    await page.route(path, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await commit(page);
    await page.getByRole('alert').getByText('did not answer').waitFor();
    await page.unroute(path);
    const before = (await bench.client.records('group').get('lost-answer')).revision;
    await page.getByRole('button', { name: 'Commit once more' }).click();
    await committed(page);
    expect((await bench.client.records('group').get('lost-answer')).revision).toBe(before);
  });

  it.each([
    ['answers 500', 500],
    ['answers nothing', undefined],
  ])('keeps the draft and what is typed where the service %s', async (_, status) => {
    const { page } = await bench.signedIn(browser);
    const broken = '**/console/api/**';
    const breakIt = () =>
      page.route(broken, (route) =>
        status === undefined
          ? route.abort('connectionrefused')
          : route.fulfill({ status, body: '<h1>Bad gateway</h1>' }),
      );
    await page.goto(bench.at('/change'));
    await typeGroup(page, `kept-${status}`);
    await breakIt();
    await take(page);
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    await page.getByRole('button', { name: `Leave out: group/kept-${status}` }).waitFor();
    await page.unroute(broken);
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('added 1').waitFor();

    await page.goto(bench.at('/settings'));
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByLabel('Name').fill('typed');
    await breakIt();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('typed');

    await page.goto(bench.at('/'));
    await page.getByRole('alert').waitFor();
    await page.unroute(broken);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'acme' }).waitFor();
  });

  it('outlives a restart of the cloud', async () => {
    const { page } = await bench.signedIn(browser);
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await typeGroup(page, 'over-the-restart');
    await bench.cloud.stop();
    await take(page);
    await page.getByRole('button', { name: 'Leave out: group/over-the-restart' }).waitFor();
    // The code of this page has not been loaded yet.
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('alert').getByText('could not be loaded').waitFor();
    await bench.cloud.start();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.getByText('added 1').waitFor();
    await commit(page);
    await committed(page);
  });
});
