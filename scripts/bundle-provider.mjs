/**
 * Bundles the built provider into the folder that Terraform starts it from, provider/dist/bundle: a small program, which
 * answers the handshake, and beside it what the program loads later. In CommonJS, which Node starts sooner than modules,
 * and of which a file can be read in the midst of a call.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * Leaves two modules to files of their own: the provider itself, which the program imports once it has answered the
 * handshake, and what judges conditions, which most processes need not read: many records have no condition.
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

/** The provider in one file, which is all that a single executable can hold. */
export async function providerInOneFile() {
  const { outputFiles } = await build({ ...OPTIONS, entryPoints: [MAIN] });
  return outputFiles[0].text;
}

async function bundleProvider() {
  const { outputFiles } = await build({
    ...OPTIONS,
    // The names of the parts must not begin as the program's does: Terraform takes no two programs.
    entryPoints: {
      [program]: MAIN,
      'part-handlers': built('provider/dist/terraform/handlers.js'),
      'part-conditions': built('core/dist/conditions/check.js'),
    },
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    plugins: [APART],
    // Without it a part would be imported by the loader of modules, which takes a while to start.
    supported: { 'dynamic-import': false },
  });
  const made = new Map(
    outputFiles.map(({ path, text }) => [path, path === executable ? `#!/usr/bin/env node\n${text}` : text]),
  );
  mkdirSync(folder, { recursive: true });
  const present = new Set(readdirSync(folder).map((name) => join(folder, name)));
  for (const [path, text] of made) {
    // Written only where it is new: Terraform's lock file knows the digest of the folder, and may be starting from it.
    if (present.delete(path) && readFileSync(path, 'utf8') === text) continue;
    writeFileSync(path, text);
  }
  for (const path of present) rmSync(path);
  chmodSync(executable, 0o755);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleProvider();
