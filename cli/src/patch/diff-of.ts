import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import { markOf, type Replacement } from '../output/replace-files.js';
import { firstLine, git } from '../tree/git.js';

/** Returns what a replacement changes, as a unified diff that `git apply` takes from the current folder. */
export async function diffOf({ path, before, text }: Replacement): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'service-patch-'));
  try {
    const [left, right] = [join(folder, 'before'), join(folder, 'after')];
    const mark = markOf(await readFile(path));
    await Promise.all([
      writeFile(left, mark + before, { mode: 0o600 }),
      writeFile(right, mark + text, { mode: 0o600 }),
    ]);
    const options = ['--no-index', '--no-color', '--no-ext-diff', '--no-textconv'];
    const { stdout, stderr } = await git(['diff', ...options, '--', left, right]);
    const diff = stdout.toString('utf8');
    const hunks = diff.indexOf('\n@@ ');
    if (hunks < 0) throw new ProblemError('internal', `Git shows no difference of "${path}": ${firstLine(stderr)}`);
    return `--- a/${path}\n+++ b/${path}${diff.slice(hunks)}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
