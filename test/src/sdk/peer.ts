import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed } from './installed.js';

const bin = fileURLToPath(new URL('../../peers/node_modules/.bin', import.meta.url));

/** A program of others that `npm ci --prefix test/peers` installs, or one of the PATH; undefined, said loudly, without either. */
export function peer(name: 'cerbos' | 'deno' | 'bun', skipped: string): string | undefined {
  const here = join(bin, name);
  const program = existsSync(here) ? here : name;
  return installed(program, '--version', skipped) ? program : undefined;
}
