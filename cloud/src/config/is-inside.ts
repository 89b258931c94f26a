import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';

/** Whether a file, which need not be there yet, lies in a folder, whatever links lead to them. */
export function isInside(file: string, folder: string): boolean {
  return `${real(file)}${sep}`.startsWith(`${real(folder)}${sep}`);
}

/** More links in a row are followed by no system. */
const LINKS_MAX = 40;

function real(path: string, linksLeft = LINKS_MAX): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    if (dirname(full) === full) return full;
    const folder = real(dirname(full), linksLeft);
    const target = linksLeft > 0 ? linkAt(full) : undefined;
    return target === undefined ? resolve(folder, basename(full)) : real(resolve(folder, target), linksLeft - 1);
  }
}

/** Returns where a link leads, be it to nothing yet; undefined for anything else. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
