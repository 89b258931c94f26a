import { request } from 'node:http';
import type { TestCloud } from './test-cloud.js';

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  body: any;
}

/** A page of the console, or one that pretends to be one: it sends the headers that browsers set. */
export class Browser {
  cookie: string | undefined;

  constructor(private readonly cloud: TestCloud) {}

  /** Signs in with a new link of this bearer credential. */
  static async signIn(cloud: TestCloud, as: string): Promise<Browser> {
    const browser = new Browser(cloud);
    const { status, body } = await browser.redeem(await linkOf(cloud, as));
    if (status !== 200) throw new Error(`not signed in: ${status} ${JSON.stringify(body)}`);
    return browser;
  }

  async redeem(link: string, headers: Record<string, string> = {}): Promise<Reply> {
    return await this.ask('POST', '/console/api/session', { body: { link }, headers });
  }

  /** `headers` replace those of our own page; an empty one is not sent. */
  async ask(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const { host, port, origin } = new URL(this.cloud.url);
    const all = {
      host,
      'sec-fetch-site': 'same-origin',
      ...(method !== 'GET' && { origin }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(this.cookie !== undefined && { cookie: this.cookie }),
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    const reply = await new Promise<Reply>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, method, path, headers: sent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const isJson = /json/.test(response.headers['content-type'] ?? '') && bytes.length > 0;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: isJson ? JSON.parse(bytes.toString()) : bytes.toString(),
          });
        });
      });
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
    });
    for (const cookie of [reply.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = cookie.split(';');
      this.cookie = /Max-Age=0/.test(cookie) ? undefined : pair;
    }
    // A path at which nothing is has no documentation.
    if (reply.status === 404 && /^There is nothing at/.test(reply.body.detail)) return reply;
    const answer = { status: reply.status, headers: new Headers(flat(reply.headers)), body: reply.body };
    (await this.cloud.reference()).assertDocumented(method, documentedPath(path), answer);
    return reply;
  }
}

/** The token of a new link of this bearer credential. */
export async function linkOf(cloud: TestCloud, as: string): Promise<string> {
  const { status, body } = await cloud.ask('POST', '/v1/console-links', { as });
  if (status !== 201) throw new Error(`no link: ${status} ${JSON.stringify(body)}`);
  return new URL(body.url).hash.slice(1);
}

/** Makes the commit that the page Change sends: for the stack of the console, based on the present revision. */
export async function commitFrom(browser: Browser, changes: object[], more: object = {}): Promise<Reply> {
  const { body } = await browser.ask('GET', '/console/api/v1/state');
  const stated = { stack: 'console', base_revision: body.revision };
  return await browser.ask('POST', '/console/api/v1/changesets', { body: { ...stated, ...more, changes } });
}

/** Routes that are mounted for sessions are documented where programs call them. */
function documentedPath(path: string): string {
  return path.replace(/^\/console\/api\/(v1|access)\//, '/$1/');
}

function flat(headers: Reply['headers']): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
  );
}
