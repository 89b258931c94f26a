import type { Change } from '@authz-service/sdk/wire';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from './console/chromium.js';
import { openConsole } from './console/opened.js';
import type { ConsoleBench } from './console/signed-in.js';

const KIB = 1024;
/** The JavaScript of the first page, compressed. */
const FIRST_PAGE_MAX = 180 * KIB;

/** The names of tables that can only be seen whole by scrolling sideways. */
const SIDEWAYS = `[...document.querySelectorAll('section:has(> table)')]
  .filter((table) => table.scrollWidth > table.clientWidth)
  .map((table) => table.getAttribute('aria-label'))`;

/** The texts of chosen tabs that can only be seen by scrolling sideways. */
const OUT_OF_SIGHT = `[...document.querySelectorAll('main nav [aria-current=page]')]
  .filter((tab) => tab.getBoundingClientRect().left < 0 || tab.getBoundingClientRect().right > innerWidth)
  .map((tab) => tab.textContent)`;

const PAGES = [
  '/',
  '/records?kind=policy',
  '/records?kind=role_assignment',
  '/records?kind=subject&q=ali',
  '/record?address=role/billing/clerk',
  '/expiring',
  '/agents',
  '/people',
  '/person?subject=user/bob',
  '/ask',
  '/ask?subject=user/bob&action=approve&resource=billing/invoice/INV-2',
  '/ask?mode=who&subject=user&action=read&resource=billing/invoice/INV-1',
  '/structure',
  '/structure?focus=role/billing/clerk',
  '/change',
  '/change?edit=role/billing/clerk',
  '/history',
  '/revision?number=2',
  '/settings',
  '/settings?area=clients',
  '/settings?area=sessions',
  '/settings?area=rules',
  '/settings?area=signIn',
  '/nowhere',
];

describe.skipIf(!hasChromium)('the console', () => {
  let bench: ConsoleBench;
  let browser: Browser;

  openConsole((...opened) => {
    [bench, browser] = opened;
  });

  it('signs in by a link once, and forgets its token', async () => {
    const { page, watch } = await bench.page(browser);
    const link = await bench.link();
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in with this link' }).click();
    await page.getByRole('heading', { level: 1, name: 'acme' }).waitFor();
    expect(page.url()).toBe(bench.at('/'));
    watch.expectNothing();

    const again = await bench.page(browser);
    await again.page.goto(link);
    await again.page.waitForURL(bench.at('/sign-in'));
    await again.page.getByRole('button', { name: 'Sign in with this link' }).click();
    await again.page.getByRole('alert').waitFor();
    await again.page.getByText('servicectl console', { exact: true }).waitFor();
  });

  it('loads its first page with little JavaScript', async () => {
    const { page } = await bench.signedIn(browser);
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('.js'))
        sizes.push(response.headerValue('content-length').then((length) => Number(length)));
    });
    const session = await page.context().newCDPSession(page);
    await session.send('Network.clearBrowserCache');
    await page.reload();
    await page.getByRole('heading', { name: 'Changed lately' }).waitFor();
    const all = await Promise.all(sizes);
    expect(all.length).toBeGreaterThan(1);
    expect(all.every((size) => size > 0)).toBe(true);
    expect(all.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(FIRST_PAGE_MAX);
  });

  it('makes an API key that works, and shows its secret once', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Give it a name.').waitFor();
    await page.getByLabel('Name').fill('checkout');
    await page.getByRole('button', { name: 'Create' }).click();
    const secret = (await page.getByRole('figure', { name: 'Secret' }).textContent()) ?? '';
    const asked = await fetch(`${bench.url}/v1/authorize`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        subject: { type: 'user', id: 'alice' },
        action: { name: 'read' },
        resource: { type: 'invoice', name: 'INV-1' },
      }),
    });
    expect({ status: asked.status, body: await asked.json() }).toMatchObject({ status: 200, body: { decision: true } });

    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'checkout' }).waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'Remove: checkout' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('link', { name: 'checkout' }).waitFor({ state: 'detached' });
    watch.expectNothing();
  });

  it('reads a subject and a resource as the command line does, and says what a text may mean', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/ask'));
    await page.getByRole('combobox', { name: 'Subject' }).fill('a:b:c');
    await page.getByLabel('Action').fill('read');
    await page.getByRole('combobox', { name: 'Resource' }).fill('billing/invoice:INV-1');
    // What is typed while the service is still asked about the types stays.
    let answer = () => {};
    const typed = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/resource-types?*', async (route) => {
      await typed;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('“a:b:c” may mean "a/b:c" or "a%3Ab/c": write one of them.').waitFor();
    await page.getByRole('combobox', { name: 'Subject' }).fill('user:alice');
    answer();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('Allowed', { exact: true }).waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('subject'), searchParams.get('resource')]).toEqual([
      'user/alice',
      'billing/invoice/INV-1',
    ]);
    watch.expectNothing();
  });

  it('says why somebody is denied, and asks it again by its address', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.getByRole('link', { name: 'Ask', exact: true }).click();
    await page.getByRole('combobox', { name: 'Subject' }).fill('user/bob');
    await page.getByLabel('Action').fill('approve');
    await page.getByRole('combobox', { name: 'Resource' }).fill('billing/invoice/INV-2');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('Denied', { exact: true }).waitFor();
    const clause = page.getByText('resource.properties.amount <= subject.properties.approval_limit').first();
    await clause.waitFor();
    await page.getByText('if its amount is at most their approval_limit').first().waitFor();
    const reasons = page.getByRole('region', { name: 'Decision' }).getByRole('list', { name: 'Reasons' });
    await reasons.getByText('resource.properties.amount <= subject.properties.approval_limit').waitFor();
    await page.getByText('servicectl why-not user/bob approve billing/invoice/INV-2').waitFor();

    await page.goto(page.url());
    await page.getByText('Denied', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Who may do it?' }).click();
    await page.getByRole('region', { name: 'Who may do it?' }).waitFor();
    expect(new URL(page.url()).searchParams.get('subject')).toBe('user');
    await page.getByRole('combobox', { name: 'Type of subjects' }).fill('');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText(/^Types of subjects that were searched: .*user/).waitFor();
    watch.expectNothing();
  });

  it('takes a type of resources by its name alone, and leads to its resources', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/ask?mode=what&subject=user/bob&resource=invoice'));
    await page.getByRole('link', { name: 'billing/invoice/INV-1' }).click();
    await page.getByRole('heading', { level: 1, name: 'billing/invoice/INV-1' }).waitFor();
    await page.goBack();
    await page.getByRole('row', { name: 'billing/invoice/INV-1' }).getByRole('link', { name: 'read' }).click();
    await page.getByText('Allowed', { exact: true }).waitFor();
    watch.expectNothing();
  });

  it('finds what would allow it, and takes it into the draft', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/ask?subject=user/bob&action=approve&resource=billing/invoice/INV-2'));
    await page.getByRole('button', { name: 'Find the smallest changes' }).click();
    const proposals = page.getByRole('list', { name: 'What would allow it' }).locator('> li');
    await proposals.first().waitFor();
    const besides = await proposals.evaluateAll((all) => all.map((one) => one.querySelector('p + p')?.textContent));
    const grants = besides.map((words) => Number(/\d+/.exec(words ?? '')?.[0] ?? 0));
    expect(grants.length).toBeGreaterThan(1);
    expect(grants).toEqual(grants.toSorted((left, right) => left - right));
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);

    const what = (await proposals.first().locator('code').first().textContent()) ?? '';
    await proposals.first().getByRole('button', { name: 'Add to draft' }).click();
    await proposals.first().getByText('It is in the draft.').waitFor();
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.getByRole('button', { name: `Leave out: ${what}` }).waitFor();
    await page.getByText('gains').or(page.getByText('more cases')).first().waitFor();
    watch.expectNothing();
  });

  it('finds a record by keys alone, and leads on to what mentions it', async () => {
    const { page, watch } = await bench.signedIn(browser);
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search all records' }).fill('clerk');
    await page.getByRole('option', { name: 'billing/clerk Role' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'billing/clerk' }).waitFor();
    await page.getByRole('link', { name: 'group/finance' }).click();
    await page.getByRole('heading', { level: 1, name: 'finance' }).waitFor();
    await page.keyboard.press('?');
    await page.getByText('Go to History').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
    watch.expectNothing();
  });

  it('shows markup in names as the text that it is', async () => {
    const name = '<img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script>';
    await bench.client.records('group').create({ name, description: name });
    const { page, watch } = await bench.signedIn(browser);
    await page.goto(bench.at('/records?kind=group'));
    await page.getByRole('cell', { name: '<script>' }).waitFor();
    await page.getByRole('rowheader', { name: '<img' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Fields' }).waitFor();
    expect(await page.title()).not.toBe('broken');
    expect(await page.locator('img, main script').count()).toBe(0);
    watch.expectNothing();
  });

  it('collects a change in a draft, says what it would do, and commits it', async () => {
    const given = { role: 'billing/clerk', entity_type: 'group', entity: 'guests' };
    const changes: Change[] = [
      { op: 'create', kind: 'group', fields: { name: 'guests' } },
      { op: 'create', kind: 'role_assignment', fields: given },
    ];
    await bench.client.changeset({ changes });
    const { page, watch } = await bench.signedIn(browser);
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.getByLabel('Kind').selectOption('Group membership');
    await page.getByRole('button', { name: 'Add a record' }).click();
    await page.getByRole('button', { name: 'Take into the draft' }).click();
    await page.getByText('Fill this in.').first().waitFor();
    await page.getByLabel('group', { exact: true }).fill('guests');
    await page.getByLabel('entity type').selectOption('subject');
    await page.getByLabel('entity', { exact: true }).fill('user/dave');
    await page.getByRole('button', { name: 'Take into the draft' }).click();
    await page.getByText('gains').first().waitFor();
    await page.reload();
    await page.getByText('gains').first().waitFor();
    await page.getByRole('button', { name: 'Commit' }).click();
    await page.getByText(/^Committed as revision \d+\./).waitFor();
    const made = await bench.client.records('group_membership').get('guests//subject/user/dave');
    expect(made.managed_by).toBe('console');
    watch.expectNothing();
  });

  it('commits no record that another stack declares', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at('/record?address=role/billing/clerk'));
    await page.getByRole('link', { name: 'Change this record' }).click();
    await page.getByLabel('description').fill('Reads invoices.');
    await page.getByRole('button', { name: 'Take into the draft' }).click();
    await page.getByText('are changed where they are declared').waitFor();
    expect(await page.getByLabel('Stack').inputValue()).toBe('acme');
    expect(await page.getByRole('button', { name: 'Commit' }).count()).toBe(0);
    await page.getByLabel('Stack').fill('console');
    await page.getByRole('alert').getByText('acme').first().waitFor();
  });

  it('says that the session has ended, and goes on where it was', async () => {
    const { page } = await bench.signedIn(browser);
    await page.goto(bench.at('/records?kind=role'));
    await page.getByRole('link', { name: 'billing/clerk' }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(page.url()).toBe(bench.at('/records?kind=group'));

    const other = await page.context().newPage();
    await other.goto(await bench.link());
    await other.getByRole('button', { name: 'Sign in with this link' }).click();
    await other.getByRole('heading', { level: 1, name: 'acme' }).waitFor();
    await page.getByRole('button', { name: 'I have signed in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor();
    await page.getByRole('link', { name: 'finance' }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it.each([
    ['search', '/', '**/search-dialog-*.js', 'Search all records'],
    ['list of keys', '?', '**/keys-dialog-*.js', 'Keys'],
  ])('says that the %s could not be loaded, takes keys again, and loads it when asked', async (_, key, code, title) => {
    const { page } = await bench.signedIn(browser);
    await page.route(code, (route) => route.abort('connectionrefused'));
    await page.keyboard.press(key);
    const told = page.getByRole('dialog', { name: 'This part of the console could not be loaded' });
    await told.waitFor();
    await page.keyboard.press('Escape');
    await told.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
    await page.keyboard.press(key);
    await told.waitFor();
    await page.unroute(code);
    await told.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('dialog', { name: title }).waitFor();
  });

  it.each([
    ['answers 500', 500, 'An unexpected error occurred.'],
    ['answers nothing', undefined, 'did not answer'],
  ])('shows what failed where the service %s, and tries again', async (_, status, words) => {
    const { page } = await bench.signedIn(browser);
    const path = '**/console/api/v1/roles?*';
    await page.route(path, (route) =>
      status === undefined
        ? route.abort('connectionrefused')
        : route.fulfill({
            status,
            contentType: 'application/problem+json',
            body: JSON.stringify({
              code: 'internal',
              title: 'Internal error',
              status,
              detail: words,
              request_id: 'r-1',
            }),
          }),
    );
    await page.goto(bench.at('/records?kind=role'));
    const note = page.getByRole('alert');
    await note.waitFor();
    if (status !== undefined) expect(await note.textContent()).toContain(words);
    await page.unroute(path);
    await note.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'billing/clerk' }).waitFor();
  });

  describe.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('in the %s theme, %d pixels wide', (colorScheme, width) => {
    let opened: Awaited<ReturnType<ConsoleBench['signedIn']>>;
    beforeAll(async () => {
      opened = await bench.signedIn(browser, { colorScheme, viewport: { width, height: 800 } });
    });

    it.each(PAGES)('has no serious finding of axe on %s, and nothing beyond the edge', async (path) => {
      const { page, watch } = opened;
      await page.goto(bench.at(path));
      await page.locator('main h1, main p').first().waitFor();
      await page.waitForLoadState('networkidle');
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html.slice(0, 160)) }))).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await page.evaluate(SIDEWAYS)).toEqual([]);
      expect(await page.evaluate(OUT_OF_SIGHT)).toEqual([]);
      watch.expectNothing();
    });
  });
});
