/**
 * Bundles the built provider into the folder that Terraform starts it from, provider/dist/bundle: a small program, which
 * answers the handshake, and beside it what the program loads later.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'provider/dist/bundle');
const { version } = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8'));
const program = `terraform-provider-service_v${version}`;

const OPTIONS = {
  entryPoints: { [program]: join(root, 'provider/dist/terraform/main.js') },
  outdir: folder,
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** The provider in one CommonJS file, which is all that a single executable can hold. */
export async function providerInOneFile() {
  const { outputFiles } = await build({ ...OPTIONS, format: 'cjs' });
  return outputFiles[0].text;
}

async function bundleProvider() {
  const { outputFiles } = await build({
    ...OPTIONS,
    format: 'esm',
    splitting: true,
    // The folder in which Terraform finds the program need not be a package.
    outExtension: { '.js': '.mjs' },
    // The others' names must not begin as the program's does: Terraform takes no two programs.
    chunkNames: 'part-[name]-[hash]',
    banner: { js: '#!/usr/bin/env node' },
  });
  const made = new Map(outputFiles.map(({ path, text }) => [path, text]));
  mkdirSync(folder, { recursive: true });
  const present = new Set(readdirSync(folder).map((name) => join(folder, name)));
  for (const [path, text] of made) {
    // Written only where it is new: Terraform's lock file knows the digest of the folder, and may be starting from it.
    if (present.delete(path) && readFileSync(path, 'utf8') === text) continue;
    writeFileSync(path, text);
  }
  for (const path of present) rmSync(path);
  chmodSync(join(folder, `${program}.mjs`), 0o755);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleProvider();
