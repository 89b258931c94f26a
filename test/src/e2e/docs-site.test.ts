import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const place = join(root, 'docs/site');
const vitepress = join(place, 'node_modules/.bin/vitepress');
const hasVitePress = existsSync(vitepress);
if (!hasVitePress) console.warn('NOT TESTED: the site of the documentation, for want of `npm ci --prefix docs/site`');

let site: string;
beforeAll(() => {
  if (!hasVitePress) return;
  site = mkdtempSync(join(tmpdir(), 'docs-site-'));
  const args = ['build', place, '--outDir', site];
  const env = { ...process.env, DOCS_FILES_URL: 'https://example.com/files' };
  const { status, stdout, stderr } = spawnSync(vitepress, args, { cwd: place, env, encoding: 'utf8' });
  expect(status, `${stdout}${stderr}`).toBe(0);
}, 300_000);
afterAll(() => hasVitePress && rmSync(site, { recursive: true, force: true }));

/** The pages, by path in the site. */
function pages(): Map<string, string> {
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
  return new Map(files.map((file) => [file, readFileSync(join(site, file), 'utf8')]));
}

const hrefs = (text: string) =>
  [...text.matchAll(/<a\b[^>]*? href="([^"]+)"/g)].map(([, href = '']) => decodeURI(href));

describe.skipIf(!hasVitePress)('the site of the documentation', () => {
  it('links pages and headings that are there', () => {
    const all = pages();
    const dead: string[] = [];
    for (const [file, text] of all)
      for (const href of hrefs(text)) {
        if (/^[a-z]+:/.test(href)) continue;
        const [path = '', heading] = href.split('#');
        const page = path.startsWith('/') ? path.slice(1) : join(dirname(file), path);
        const target =
          path === '' ? file : [`${page}.html`, join(page, 'index.html'), page].find((name) => all.has(name));
        const known = target !== undefined && (!heading || all.get(target)?.includes(` id="${heading}"`));
        if (!known && !existsSync(join(site, page))) dead.push(`${file}: ${href}`);
        if (!known && heading) dead.push(`${file}: ${href}`);
      }
    expect(dead).toEqual([]);
    expect(all.size).toBeGreaterThan(100);
  });

  it('leads to each page of docs from the sidebar', () => {
    const [start = ''] = [pages().get('index.html')];
    const links = new Set(hrefs(start));
    const missing = readdirSync(join(root, 'docs'))
      .filter((file) => file.endsWith('.md'))
      .filter((file) => !links.has(`/docs/${file.replace('.md', '')}`));
    expect(missing).toEqual([]);
  });

  it('links files of the repository where they can be read', () => {
    const files = [...pages().values()].flatMap(hrefs).filter((href) => href.startsWith('https://example.com/files/'));
    expect(files).toContain('https://example.com/files/deploy/chart');
    for (const href of files)
      expect(existsSync(join(root, relative('/files', new URL(href).pathname))), href).toBe(true);
  });
});
