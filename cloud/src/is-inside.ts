import { realpathSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';

/** Whether a file, which need not be there yet, lies in a folder, whatever links lead to them. */
export function isInside(file: string, folder: string): boolean {
  return `${real(file)}${sep}`.startsWith(`${real(folder)}${sep}`);
}

function real(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    return dirname(full) === full ? full : resolve(real(dirname(full)), basename(full));
  }
}
