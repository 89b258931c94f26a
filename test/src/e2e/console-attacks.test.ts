import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, openChromium, type Watch } from './console/chromium.js';
import { ConsoleBench } from './console/signed-in.js';

/** A name of an attacker that leads to this machine, as after a rebinding. */
const EVIL = 'evil.example';

/** A page of another site that tries things with the session of whoever visits it; it collects what it could read. */
const attack = (target: string) => `<!doctype html><title>evil</title>
<form id="form" method="post" target="posted" enctype="text/plain" action="${target}/console/api/v1/groups">
  <input name='{"name":"by-form","x":"' value='"}'>
</form>
<form id="plain" method="post" target="posted" action="${target}/console/api/v1/groups"><input name="name" value="by-form"></form>
<iframe name="posted"></iframe>
<iframe id="frame" src="${target}/console/settings"></iframe>
<script src="${target}/console/api/v1/state" onerror="got.push('script refused')"></script>
<script>
  window.got = window.got ?? [];
  const post = { method: 'POST', credentials: 'include', body: '{"name":"by-fetch"}' };
  const attempts = [
    ['read', {}],
    ['read with the session', { credentials: 'include' }],
    ['opaque', { ...post, mode: 'no-cors' }],
    ['text', { ...post, headers: { 'content-type': 'text/plain' } }],
    ['json', { ...post, headers: { 'content-type': 'application/json' } }],
  ];
  window.done = Promise.all(attempts.map(([name, init]) =>
    fetch('${target}/console/api/v1/groups', init).then((answer) => answer.text()).then((text) => text && got.push(name + ': ' + text), () => {})));
  form.submit();
  plain.submit();
</script>`;

describe.skipIf(!hasChromium)('who attacks the console', () => {
  let bench: ConsoleBench;
  let browser: Browser;
  let server: Server;
  let port: number;
  let victim: { page: Page; watch: Watch; context: BrowserContext };

  beforeAll(async () => {
    [bench, browser] = await Promise.all([
      ConsoleBench.start(),
      openChromium(`--host-resolver-rules=MAP ${EVIL} 127.0.0.1`),
    ]);
    server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(attack(bench.url));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    await bench?.close();
  });
  beforeEach(async () => {
    const opened = await bench.signedIn(browser);
    victim = { ...opened, context: opened.page.context() };
  });

  const groups = async () => {
    const found: string[] = [];
    for await (const { name } of bench.client.records('group').list()) found.push(name);
    return found;
  };

  it.each([
    ['another site', () => `http://${EVIL}:${port}/`],
    ['another port of the same machine', () => `http://127.0.0.1:${port}/`],
  ])('from %s reads nothing, changes nothing and frames nothing', async (_, at) => {
    const before = await groups();
    const page = await victim.context.newPage();
    await page.goto(at());
    await page.evaluate('done');
    await page.waitForLoadState('networkidle');
    const got = (await page.evaluate('got')) as string[];
    expect(got.filter((one) => one !== 'script refused')).toEqual([]);
    const frames = page.frames().filter((frame) => frame !== page.mainFrame());
    expect(frames.length).toBe(2);
    for (const frame of frames) expect(await frame.getByText(/administrator|acme|Settings/).count()).toBe(0);
    expect(await groups()).toEqual(before);
    // The page of the victim goes on.
    await victim.page.getByRole('navigation').getByRole('link', { name: 'Records' }).click();
    await victim.page.getByRole('link', { name: 'Groups' }).waitFor();
  });

  it('by a name that was rebound to the service gets no page and no answer', async () => {
    const page = await victim.context.newPage();
    const { port: ours } = new URL(bench.url);
    const answer = await page.goto(`http://${EVIL}:${ours}/console/`);
    expect(answer?.status()).toBe(400);
    const status = await page.evaluate(`fetch('/console/api/session').then(({ status }) => status)`);
    expect(status).toBe(400);
  });

  it('by a window that it opened reaches nothing in it', async () => {
    const page = await victim.context.newPage();
    await page.goto(`http://${EVIL}:${port}/`);
    const opening = victim.context.waitForEvent('page');
    await page.evaluate(`window.opened = open('${bench.url}/console/'); undefined`);
    const opened = await opening;
    await opened.getByRole('heading', { level: 1, name: 'acme' }).waitFor();
    expect(await page.evaluate('opened.closed')).toBe(true);
    expect(await opened.evaluate('opener')).toBe(null);
  });

  it('at a screen that was left finds nothing behind the Back button', async () => {
    const { page } = victim;
    await page.goto(bench.at('/records?kind=group'));
    await page.getByRole('link', { name: 'finance' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByText('finance').count()).toBe(0);
    const kept = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
    expect(kept).not.toContain('finance');
  });

  describe('by what is stored', () => {
    /** The application of a resource follows from its type, and a duration has a form of its own. */
    const TAKES_NO_MARKUP: ReadonlySet<string> = new Set([
      ...['resource.application', 'resource_type.max_age', 'directory.removals', 'directory.suspensions'],
      'api_key.directory',
    ]);
    const MARKUP = `<img src=x onerror=document.title='broken'>`;
    /** Actions have no spaces. */
    const ACTION = `<svg/onload=document.title='broken'>`;
    const CONDITION = `context.origin != "${MARKUP}"`;
    const made: { kind: string; address: string; fields: Record<string, unknown> }[] = [];

    /** Creates a record, and returns its path. */
    const create = async (kind: 'group', fields: Record<string, unknown>): Promise<string> => {
      const { address } = await bench.client.records(kind).create(fields as never);
      made.push({ kind, address, fields });
      return address.slice(address.indexOf('/') + 1);
    };

    beforeAll(async () => {
      const of = (kind: string) => kind as 'group';
      const description = MARKUP;
      const application = await create(of('application'), { name: MARKUP, description });
      const shared = { shared_with: [application], description };
      const type = await create(of('resource_type'), {
        application,
        name: MARKUP,
        actions: [ACTION],
        properties: { [MARKUP]: 'string' },
        ...shared,
      });
      const properties = { [MARKUP]: MARKUP };
      const resource = await create(of('resource'), { type, name: MARKUP, properties, ...shared });
      await create(of('subject_type'), { name: MARKUP, properties: { [MARKUP]: 'string' }, description });
      await create(of('context_attribute'), { name: 'origin', type: 'string', description });
      await create(of('directory'), { name: MARKUP, subject_type: MARKUP, description });
      const suspended = { suspended_until: '2099-01-01T00:00:00Z', suspension_reason: MARKUP };
      const subject = await create(of('subject'), { type: MARKUP, id: MARKUP, name: MARKUP, properties, ...suspended });
      const role = await create(of('role'), { application, name: MARKUP, ...shared });
      const group = await create(of('group'), { name: MARKUP, ...shared });
      const policy = await create(of('policy'), {
        application,
        name: MARKUP,
        effect: 'ALLOW',
        resource_type: type,
        actions: [ACTION],
        condition: CONDITION,
        ...shared,
      });
      await create(of('policy_assignment'), { policy, entity_type: 'role', entity: role });
      await create(of('role_assignment'), { role, entity_type: 'group', entity: group, resource });
      await create(of('group_membership'), { group, entity_type: 'subject', entity: subject });
      await create(of('access_rule'), {
        name: MARKUP,
        never: { subjects: { named: [subject] }, actions: [ACTION], resources: { types: [type] } },
        when: CONDITION,
        mode: 'warn',
        suspended_until: '2099-01-01T00:00:00Z',
        suspension_reason: MARKUP,
        description,
      });
      const limits = { stacks: [MARKUP], applications: [application] };
      await create(of('api_key'), { name: MARKUP, scopes: ['records:write'], limits, description });
      await create(of('oauth_client'), { name: MARKUP, scopes: ['records:write'], limits, description });
      await bench.client.changeset({
        stack: MARKUP,
        changes: [{ op: 'create', kind: 'group', fields: { name: `${MARKUP} of a stack` } }],
      });
    });

    it('has filled every text field of every kind', async () => {
      const { components } = (await (await fetch(`${bench.url}/openapi.json`)).json()) as {
        components: {
          schemas: Record<string, { properties: Record<string, { type?: string; enum?: string[]; format?: string }> }>;
        };
      };
      for (const { kind, fields } of made) {
        const name = kind
          .split('_')
          .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
          .join('');
        const texts = Object.entries(components.schemas[`New${name}`]?.properties ?? {}).filter(
          ([field, { type, enum: choices, format }]) =>
            type === 'string' && choices === undefined && format === undefined && !field.endsWith('_id'),
        );
        expect({ kind, fields: Object.keys(fields) }).toEqual({
          kind,
          fields: expect.arrayContaining(
            texts.map(([field]) => field).filter((field) => !TAKES_NO_MARKUP.has(`${kind}.${field}`)),
          ),
        });
      }
      expect(new Set(made.map(({ kind }) => kind)).size).toBe(16);
    });

    const KINDS = [
      ['application', 'resource_type', 'resource'],
      ['subject_type', 'context_attribute', 'subject', 'directory'],
      ['role', 'group', 'policy'],
      ['policy_assignment', 'role_assignment', 'group_membership'],
      ['access_rule', 'api_key', 'oauth_client'],
    ];
    const DRAWN = ['subject', 'group', 'role', 'policy', 'resource', 'resource_type'];

    /** Visits pages of the console, of which none may run what is stored. */
    const visit = async (paths: string[]) => {
      const { page, watch } = victim;
      for (const path of paths) {
        await page.goto(bench.at(path));
        await page.locator('main h1').first().waitFor();
        await page.waitForLoadState('networkidle');
        expect({ path, title: await page.title() }).not.toMatchObject({ title: 'broken' });
        const broken = await page.locator('[onerror], [onload], [src=x]').count();
        expect({ path, broken }).toEqual({ path, broken: 0 });
      }
      watch.expectNothing();
    };

    it.each(KINDS)('is shown as the text that it is, on the pages of %s, %s and %s', async (...kinds) => {
      const paths = made
        .filter(({ kind }) => kinds.includes(kind))
        .flatMap(({ kind, address }) => {
          const quoted = encodeURIComponent(address);
          return [
            `/records?kind=${kind}`,
            `/record?address=${quoted}`,
            ...(kind === 'api_key' || kind === 'oauth_client' ? [] : [`/change?edit=${quoted}`]),
            ...(DRAWN.includes(kind) ? [`/structure?focus=${quoted}`] : []),
          ];
        });
      expect(paths.length).toBeGreaterThan(4);
      await visit(paths);
    });

    it('is shown as the text that it is, on the pages about all kinds', async () => {
      const { revision } = await bench.client.state();
      const [markup, action] = [MARKUP, ACTION].map(encodeURIComponent);
      await visit([
        '/',
        '/history',
        `/revision?number=${revision.split('.')[0]}`,
        '/settings',
        '/settings?area=clients',
        '/settings?area=rules',
        `/records?kind=group&q=${markup}`,
        `/ask?subject=${markup}&action=${action}&resource=${markup}`,
      ]);
      const { page } = victim;
      await page.keyboard.press('/');
      await page.getByRole('combobox', { name: 'Search all records' }).fill('img');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
      expect(await page.title()).not.toBe('broken');
    });
  });
});
