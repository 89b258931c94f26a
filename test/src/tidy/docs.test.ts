import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROBLEMS, type ProblemCode } from '@authz-service/core/problem';
import { PROBLEM_STATUS } from '@authz-service/pdp/transport/problem-status';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const pages = [
  '.',
  'docs',
  'docs/decisions',
  'cloud',
  'agent',
  'sdk/node',
  'sdk/python',
  'examples/document-store',
  'examples/github-org',
].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

describe('the documentation', () => {
  it('lists every problem code with its status and title, and no other', () => {
    const rows = [...read('docs/problems.md').matchAll(/^\| `(\w+)` \| (\d+) \| ([^|]+) \|/gm)];
    const expected = (Object.keys(PROBLEMS) as ProblemCode[]).sort();
    expect(rows.map(([, code, status, title]) => [code, Number(status), title])).toEqual(
      expected.map((code) => [code, PROBLEM_STATUS[code], PROBLEMS[code]]),
    );
  });

  it.each(pages)('%s links only to what is there', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  it('keeps the page on architecture a page', () => {
    expect(read('docs/architecture.md').split('\n').length).toBeLessThan(130);
  });
});
