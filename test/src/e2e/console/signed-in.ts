import { fileURLToPath } from 'node:url';
import { ServiceClient } from '@authz-service/sdk/client';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type CloudBench, Workbench } from '../cli/workbench.js';
import { Watch } from './chromium.js';

const EXAMPLE = fileURLToPath(new URL('../../../../examples/tenant', import.meta.url));

/** For what hangs: on a slow or busy machine what works may well take a minute. */
const TIMEOUT_MS = 100_000;

/** A cloud with the example's tenant, and browsers in which its administrator is signed in. */
export class ConsoleBench {
  private constructor(
    readonly bench: Workbench,
    readonly url: string,
    readonly client: ServiceClient,
    readonly tenant: string,
    readonly cloud: CloudBench,
    /** The environment of the tenant's administrator. */
    readonly env: Record<string, string>,
  ) {}

  static async start(tenant = 'acme', settings: Record<string, string> = {}): Promise<ConsoleBench> {
    const bench = await Workbench.create();
    const cloud = await bench.startCloud(settings);
    const env = await cloud.tenant(tenant);
    const { code, stderr } = await bench.run(['apply', EXAMPLE, '--yes'], { env });
    if (code !== 0) throw new Error(`the example was not applied: ${stderr}`);
    const credentials = {
      clientId: env.SERVICE_CLIENT_ID ?? '',
      clientSecret: env.SERVICE_CLIENT_SECRET ?? '',
    };
    const { url } = cloud;
    return new ConsoleBench(bench, url, new ServiceClient({ url, credentials }), tenant, cloud, env);
  }

  /** The address of a page: `/records?kind=role`. */
  at(path: string): string {
    return `${this.url}/console${path}`;
  }

  async link(): Promise<string> {
    return (await this.client.consoleLink()).url;
  }

  /** A page of a browser of its own, before anybody is signed in. */
  async page(browser: Browser, options: BrowserContextOptions = {}): Promise<{ page: Page; watch: Watch }> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    return { page, watch: new Watch(page, this.url) };
  }

  /** Signs in once more, in another tab of the same browser. */
  async signInBeside(page: Page): Promise<void> {
    const other = await page.context().newPage();
    await other.goto(await this.link());
    await other.getByRole('button', { name: 'Sign in with this link' }).click();
    await other.getByRole('heading', { level: 1, name: this.tenant }).waitFor();
    await other.close();
  }

  /** A page on which the administrator is signed in by a link. */
  async signedIn(browser: Browser, options: BrowserContextOptions = {}): Promise<{ page: Page; watch: Watch }> {
    const opened = await this.page(browser, options);
    await opened.page.goto(await this.link());
    await opened.page.getByRole('button', { name: 'Sign in with this link' }).click();
    await opened.page.getByRole('heading', { level: 1, name: this.tenant }).waitFor();
    return opened;
  }

  close(): Promise<void> {
    return this.bench.close();
  }
}
