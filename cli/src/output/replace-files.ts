import { constants } from 'node:fs';
import { access, chmod, chown, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { ProblemError } from '@authz-service/core/problem';
import { writeText } from './write-text.js';

/** A file with its text as it was read and as it shall be, both without a byte order mark, which stays. */
export interface Replacement {
  path: string;
  before: string;
  text: string;
}

interface Prepared {
  path: string;
  target: string;
  /** The file that holds the new text until it takes its place. */
  next: string;
  before: Buffer;
  after: Buffer;
}

/**
 * Replaces files that there are, all of them or none: each new text lies complete beside its file before any takes its
 * place. Symbolic links, modes and byte order marks stay. A file that may not be written is refused, also where its folder
 * may be. Throws `conflict` where somebody else has changed one since it was read.
 */
export async function replaceFiles(replacements: readonly Replacement[]): Promise<void> {
  const prepared: Prepared[] = [];
  const replaced: Prepared[] = [];
  try {
    for (const replacement of replacements) await prepare(replacement, prepared);
    for (const one of prepared) {
      if (!(await present(one)).equals(one.before)) throw changedMeanwhile(one.path);
      await rename(one.next, one.target);
      replaced.push(one);
    }
  } catch (error) {
    // What somebody has saved since is left as it is.
    for (const one of replaced) if ((await present(one)).equals(one.after)) await writeText(one.target, one.before);
    throw error;
  } finally {
    for (const { next } of prepared) await rm(next, { force: true });
  }
}

async function prepare({ path, before: expected, text }: Replacement, prepared: Prepared[]): Promise<void> {
  const { target, before, mode, uid, gid } = await told(path, async () => {
    const target = await realpath(path);
    await access(target, constants.W_OK);
    return { target, before: await readFile(target), ...(await stat(target)) };
  });
  const mark = markOf(before);
  if (!before.equals(Buffer.from(mark + expected))) throw changedMeanwhile(path);
  const next = `${target}.${process.pid}`;
  const after = Buffer.from(mark + text);
  prepared.push({ path, target, next, before, after });
  await writeText(next, after, path);
  // Only root may give files away; for others the file is their own already.
  await chown(next, uid, gid).catch(() => undefined);
  await chmod(next, mode);
}

async function present({ path, target }: Prepared): Promise<Buffer> {
  return await told(path, () => readFile(target));
}

/** The byte order mark that a file begins with; reading leaves it out. */
export function markOf(bytes: Buffer): string {
  return bytes.subarray(0, 3).equals(Buffer.from('\uFEFF')) ? '\uFEFF' : '';
}

async function told<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const why = (error as Error).message.replace(/, \w+( '.*')?$/, '');
    throw new ProblemError('conflict', `"${path}" cannot be replaced: ${why}. Nothing was written.`, [], {
      cause: error,
    });
  }
}

function changedMeanwhile(path: string): ProblemError {
  return new ProblemError(
    'conflict',
    `"${path}" was changed meanwhile by somebody else: nothing was written; run the command again.`,
  );
}
