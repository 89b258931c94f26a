import { isAbsolute, relative, sep } from 'node:path';

/** A path relative to `from`; a path outside of it stays as it is. */
export function relativePath(path: string, from: string = process.cwd()): string {
  const short = relative(from, path);
  const outside = short === '' || short === '..' || short.startsWith(`..${sep}`) || isAbsolute(short);
  return (outside ? path : short).split(sep).join('/');
}
