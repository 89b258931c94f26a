import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../testing/browser.js';
import { TestCloud } from '../../testing/test-cloud.js';

const BUILT = existsSync(fileURLToPath(new URL('../../../console/dist/site/index.html', import.meta.url)));

let cloud: TestCloud;
let browser: Browser;

beforeAll(async () => {
  cloud = await TestCloud.start();
  browser = new Browser(cloud);
});
afterAll(() => cloud.close());

describe.runIf(BUILT)('the files of the console', () => {
  it.each(['/console/', '/console/sign-in', '/console/records/role/billing%2Faccountant', '/console/?x=1'])(
    'has a page at %s, under the strict policy',
    async (path) => {
      const { status, headers, body } = await browser.ask('GET', path, { headers: { 'sec-fetch-site': 'none' } });
      expect(status).toBe(200);
      expect(body).toMatch(/^<!doctype html>/i);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'private, no-cache',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
    },
  );

  it('names in its page only its own files, which may be kept, and no script or style in line', async () => {
    const { body } = await browser.ask('GET', '/console/');
    const named = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => String(path));
    expect(named.length).toBeGreaterThan(2);
    for (const path of named) {
      expect(path).toMatch(/^\/console\//);
      const { status, headers } = await browser.ask('GET', path);
      expect(status, path).toBe(200);
      if (path.includes('/assets/')) expect(headers['cache-control']).toMatch(/immutable/);
    }
    expect(body).not.toMatch(/<script>|<style|style=|\son\w+=/);
  });

  it('sends a file compressed to who takes that, and once', async () => {
    const plain = await (await fetch(`${cloud.url}/console/`, { headers: { 'accept-encoding': 'identity' } })).text();
    const { headers } = await browser.ask('GET', '/console/', { headers: { 'accept-encoding': 'gzip' } });
    const zipped = await fetch(`${cloud.url}/console/`, { headers: { 'accept-encoding': 'gzip' } });
    expect(headers['content-encoding']).toBe('gzip');
    // fetch unpacks.
    expect(await zipped.text()).toBe(plain);
    const again = await browser.ask('GET', '/console/', { headers: { 'if-none-match': String(headers.etag) } });
    expect(again).toMatchObject({ status: 304, body: '' });
  });

  it.each([
    ['GET', '/console', 308],
    ['GET', '/console/nothing.js', 404],
    ['GET', '/console/../package.json', 404],
    ['GET', '/console/%2e%2e/%2e%2e/package.json', 404],
    ['GET', '/console/assets/..%2f..%2f..%2fpackage.json', 404],
    ['POST', '/console/', 405],
    ['GET', '/console/api/nothing', 404],
    ['POST', '/console/api/nothing', 404],
  ])('answers %s %s with %i', async (method, path, status) => {
    const answer = await browser.ask(method, path);
    expect(answer.status).toBe(status);
    if (status === 404) expect(answer.body.code).toBe('not_found');
  });

  it('is not shown under a name that is not ours', async () => {
    expect((await browser.ask('GET', '/console/', { headers: { host: 'evil.example' } })).status).toBe(400);
  });
});
