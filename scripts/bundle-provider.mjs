/**
 * Bundles the built provider into the folder that Terraform starts it from, provider/dist/bundle: a small program that
 * answers the handshake, and beside it the parts that the program loads later. The format is CommonJS, which starts
 * faster than modules and can load a file in the middle of a call.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licencesOf, packagesIn } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'provider/dist/bundle');
const { version } = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8'));
const program = `terraform-provider-service_v${version}`;
const executable = join(folder, `${program}.cjs`);

const built = (path) => join(root, path);
const MAIN = built('provider/dist/terraform/main.js');

const OPTIONS = {
  bundle: true,
  write: false,
  metafile: true,
  absWorkingDir: root,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * Moves two parts to files of their own: the provider itself, which the program imports after the handshake, and the
 * check of conditions, which most processes do not need, because many records have no condition.
 */
const APART = {
  name: 'apart',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/handlers\.js$/ }, () => ({ path: './part-handlers.cjs', external: true }));
    onResolve({ filter: /^\.\.\/conditions\/check\.js$/ }, ({ path }) => ({ path, namespace: 'apart' }));
    onLoad({ filter: /check/, namespace: 'apart' }, () => ({ contents: CHECK_LATER }));
    onResolve({ filter: /^\.\/part-/ }, ({ path }) => ({ path, external: true }));
  },
};
const CHECK_LATER = `
export const checkCondition = (...given) => require('./part-conditions.cjs').checkCondition(...given);`;

async function bundleProvider() {
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    // The names of the parts must not begin like the program's, because Terraform accepts only one program.
    entryPoints: {
      [program]: MAIN,
      'part-handlers': built('provider/dist/terraform/handlers.js'),
      'part-conditions': built('core/dist/conditions/reads/check.js'),
    },
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    plugins: [APART],
    // Otherwise a part would be imported by Node's module loader, which is slow to start.
    supported: { 'dynamic-import': false },
  });
  const made = new Map(
    outputFiles.map(({ path, text }) => [path, path === executable ? `#!/usr/bin/env node\n${text}` : text]),
  );
  made.set(join(folder, 'LICENSES.txt'), licencesOf(packagesIn(metafile)));
  mkdirSync(folder, { recursive: true });
  const present = new Set(readdirSync(folder).map((name) => join(folder, name)));
  for (const [path, text] of made) {
    // Written only if it differs: Terraform's lock file contains the digest of the folder, and Terraform may be
    // starting from it.
    if (present.delete(path) && readFileSync(path, 'utf8') === text) continue;
    writeFileSync(path, text);
  }
  for (const path of present) rmSync(path);
  chmodSync(executable, 0o755);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleProvider();
