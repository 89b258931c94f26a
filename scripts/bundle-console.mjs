/**
 * Bundles the console into the static files that the cloud serves, unless they are of these sources already: most builds
 * change none of them.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../console', import.meta.url));
const stamp = join(folder, 'dist/site.sha256');

/** All that the result depends on; the lock file stands for the libraries. */
const INPUTS = [
  ...['index.html', 'package.json', 'vite.config.ts', 'tsconfig.json', 'src', 'public'].map((name) =>
    join(folder, name),
  ),
  ...['package-lock.json', 'sdk/node/dist'].map((name) => join(folder, '..', name)),
];

function files(path) {
  const entries = existsSync(path) ? readdirSync(path, { withFileTypes: true, recursive: true }) : [];
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function digest() {
  const hash = createHash('sha256');
  for (const input of INPUTS) {
    const isFolder = !/\.\w+$/.test(input);
    for (const file of isFolder ? files(input).sort() : [input])
      if (!file.endsWith('.tsbuildinfo'))
        hash.update(file.slice(folder.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

const wanted = digest();
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  // It takes longer to load than to find that nothing has changed.
  const { build } = await import('vite');
  await build({ root: folder, configFile: join(folder, 'vite.config.ts'), logLevel: 'error' });
  writeFileSync(stamp, wanted);
}
