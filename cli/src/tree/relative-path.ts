import { isAbsolute, relative, sep } from 'node:path';

/** A path as a person in `from` would write it; one that lies elsewhere stays as it is. */
export function relativePath(path: string, from: string = process.cwd()): string {
  const short = relative(from, path);
  const outside = short === '' || short === '..' || short.startsWith(`..${sep}`) || isAbsolute(short);
  return (outside ? path : short).split(sep).join('/');
}
