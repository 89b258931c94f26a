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

/** The flags of each command, as the snapshot of the CLI's help has them. */
const commands = new Map(
  [
    ...read('test/src/e2e/__snapshots__/cli-help.test.ts.snap').matchAll(
      /^ {2}"([a-z][a-z -]*?)((?: [[A-Z-].*)?)",$/gm,
    ),
  ].map(([, command = '', rest = '']) => [command, new Set(rest.match(/--[a-z-]+/g))]),
);

/** The commands that a page tells to call: lines of its scripts, and code in its texts. */
function calls(text: string, program = 'servicectl'): string[] {
  const scripts = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, script = '']) => script.replace(/\\\n/g, ' '));
  const lines = scripts.flatMap((script) => [
    ...script.matchAll(new RegExp(`(?:^|\\$\\()(?:[ A-Z_]+=\\S+)*\\s*${program} ([^#|&;)\\n]+)`, 'gm')),
  ]);
  const words = text.replace(/^```.*?^```/gms, '').matchAll(new RegExp(`\`${program} ([^\`]+)\``, 'g'));
  return [...lines, ...words]
    .map(([, call = '']) => call.replace(/\s+/g, ' ').trim())
    .filter((call) => /^[a-z]/.test(call));
}

/** Whether there is such a command with such flags, or such a topic. */
function isThere(call: string): boolean {
  const [words = ''] = /^[a-z-]+(?: [a-z-]+)*/.exec(call) ?? [];
  const found = [...commands].filter(([command]) => `${words} `.startsWith(`${command} `)).at(-1);
  if (found === undefined) return [...commands.keys()].some((command) => command.startsWith(`${call} `));
  return (call.match(/--[a-z-]+/g) ?? []).every((flag) => found[1].has(flag));
}

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

  it.each(pages)('%s calls the program servicectl, since many systems have another service', (page) => {
    expect(calls(read(page), 'service')).toEqual([]);
  });

  it.each(pages)('%s names only commands and flags that there are', (page) => {
    expect(calls(read(page)).filter((call) => !isThere(call))).toEqual([]);
  });

  it('names commands, of which the snapshot has some', () => {
    expect(commands.get('bundle publish')).toContain('--keep');
    expect(calls(read('README.md')).length).toBeGreaterThan(20);
    expect(isThere('plan . --nonsense')).toBe(false);
    expect(isThere('nonsense')).toBe(false);
  });
});
