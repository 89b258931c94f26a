import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, '.github/workflows');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

interface Job {
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  steps: { uses?: string; run?: string }[];
}

describe.each(readdirSync(folder))('the workflow %s', (file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  const { permissions, jobs } = parse(text) as { permissions: object; jobs: Record<string, Job> };

  it('names each action by its commit, and its version for readers', () => {
    const lines = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(lines.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    const commits = new Map<string, string>();
    for (const line of lines) {
      const [, action = '', commit = ''] = /uses: (\S+)@(.*)$/.exec(line) ?? [];
      expect(commits.get(action) ?? commit, action).toBe(commit);
      commits.set(action, commit);
    }
  });

  it('may only read, unless a job says more, and ends', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const [name, job] of Object.entries(jobs)) {
      expect(job['timeout-minutes'], name).toBeGreaterThan(0);
      const signs = job.steps.some(({ run = '', uses = '' }) =>
        /cosign sign|attest-|changesets\/action/.test(`${run}${uses}`),
      );
      expect(job.permissions?.['id-token'], name).toBe(signs ? 'write' : undefined);
    }
  });

  it('calls scripts that are there, and gives them no text of strangers', () => {
    for (const { run = '' } of Object.values(jobs).flatMap(({ steps }) => steps)) {
      for (const [, script = ''] of run.matchAll(/npm run (\S+)/g))
        if (!run.includes(`${script} -w`)) expect(scripts).toHaveProperty([script]);
      for (const [path] of run.matchAll(/\bscripts\/[\w-]+\.mjs/g))
        expect(existsSync(join(root, path)), path).toBe(true);
      expect(run).not.toMatch(/\$\{\{\s*(github|secrets)\./);
    }
  });
});
