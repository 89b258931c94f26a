import { constants } from 'node:fs';
import { access, chmod, chown, realpath, rename, rm, stat } from 'node:fs/promises';
import { writeText } from './write-text.js';

/** A file with its text as it is and as it shall be. */
export interface Replacement {
  path: string;
  before: string;
  text: string;
}

/**
 * Replaces files that there are, all of them or none: each new text lies complete beside its file before any takes its
 * place. Symbolic links stay, as do modes. A file that may not be written is refused, also where its folder may be.
 */
export async function replaceFiles(replacements: readonly Replacement[]): Promise<void> {
  const prepared: { next: string; target: string; replacement: Replacement }[] = [];
  const replaced: typeof prepared = [];
  try {
    for (const replacement of replacements) {
      const { path, text } = replacement;
      const target = await realpath(path);
      await access(target, constants.W_OK);
      const { mode, uid, gid } = await stat(target);
      const next = `${target}.${process.pid}`;
      prepared.push({ next, target, replacement });
      await writeText(next, text, path);
      // Only root may give files away; for others the file is their own already.
      await chown(next, uid, gid).catch(() => undefined);
      await chmod(next, mode);
    }
    for (const one of prepared) {
      await rename(one.next, one.target);
      replaced.push(one);
    }
  } catch (error) {
    for (const { target, replacement } of replaced) await writeText(target, replacement.before);
    throw error;
  } finally {
    for (const { next } of prepared) await rm(next, { force: true });
  }
}
