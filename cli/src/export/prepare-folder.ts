import { mkdir, readdir, unlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { UsageError } from '../errors/usage-error.js';

/**
 * Makes the folder ready to be one exported tree: an old file beside the new ones would be read as one with them. With
 * `replace` the files of the format are removed; hidden ones (Git's, editors') are never touched.
 */
export async function prepareFolder(path: string, replace: boolean, files = /\.ya?ml$/): Promise<void> {
  await mkdir(path, { recursive: true });
  const present = (await readdir(path)).filter((name) => !name.startsWith('.'));
  if (present.length === 0) return;
  if (!replace) {
    const names = `${present.slice(0, 3).join(', ')}${present.length > 3 ? ', …' : ''}`;
    throw new UsageError(
      `"${path}" is not empty (${names}): give a new folder, or remove the files of this format with --replace.`,
    );
  }
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    const hidden = relative(path, file)
      .split(sep)
      .some((part) => part.startsWith('.') || part === 'node_modules');
    if (!hidden && entry.isFile() && files.test(entry.name)) await unlink(file);
  }
}
