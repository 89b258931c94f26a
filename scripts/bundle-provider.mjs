/**
 * Bundles the built provider into the one file that Terraform starts: `terraform-provider-service_v<version>.cjs`.
 * Does nothing while the bundle is newer than all that it is made of.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['core/dist', 'sdk/node/dist', 'provider/dist', 'package-lock.json', 'scripts/bundle-provider.mjs'];

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return /\.(?:js|mjs|json)$/.test(path) ? stat.mtimeMs : 0;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** Zod brings its messages in fifty languages; every byte is parsed at each of Terraform's starts of the provider. */
const withoutLocales = {
  name: 'without-locales',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: '' }));
  },
};

async function bundleProvider() {
  const { version } = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8'));
  const folder = join(root, 'provider/dist');
  const outfile = join(folder, `terraform-provider-service_v${version}.cjs`);
  if (existsSync(outfile) && statSync(outfile).mtimeMs >= Math.max(...SOURCES.map((path) => newest(join(root, path)))))
    return;

  const { build } = await import('esbuild');
  const made = `${outfile}.${process.pid}.tmp`;
  await build({
    entryPoints: [join(folder, 'plugin/main.js')],
    outfile: made,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: '#!/usr/bin/env node' },
    logLevel: 'warning',
    plugins: [withoutLocales],
  });
  chmodSync(made, 0o755);
  for (const name of readdirSync(folder))
    if (/^terraform-provider-service_v.*\.cjs$/.test(name)) rmSync(join(folder, name));
  renameSync(made, outfile);
}

await bundleProvider();
