import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeText } from '../output/write-text.js';
import { prepareFolder } from './prepare-folder.js';

export interface WriteTreeOptions {
  /** Whether to remove the files of the format that the folder holds. */
  replace: boolean;
  /** Which names belong to the format; by default those of YAML. */
  format?: RegExp;
}

/**
 * Writes the files into a folder that is empty or to be replaced. They are complete in a hidden folder, which no tree
 * is read from, before any old file goes and any new one takes its place: a full disk or a killed process leaves what
 * was there, not half a tree that could be applied. Returns the paths of the files.
 */
export async function writeTree(
  folder: string,
  files: readonly { path: string; text: string }[],
  { replace, format }: WriteTreeOptions,
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(join(folder, '.unfinished-'));
  try {
    for (const { path, text } of files) {
      const file = join(unfinished, path);
      await mkdir(dirname(file), { recursive: true });
      await writeText(file, text, join(folder, path));
    }
    await prepareFolder(folder, replace, format);
    const written: string[] = [];
    for (const { path } of files) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      await rename(join(unfinished, path), target);
      written.push(target);
    }
    return written;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
