/**
 * Makes what a registry of Terraform providers serves, in dist/release: an archive for each platform, their
 * digests and the manifest. Signing the digests is left to whoever publishes:
 *   gpg --detach-sign terraform-provider-service_<version>_SHA256SUMS
 *
 *   npm run package -w provider [-- --out DIR]
 *
 * The archives contain a script for Node. scripts/package-programs.mjs replaces some by programs that need no Node.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeSums, zipped } from './archive.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The bundle is the same for all of them. Windows cannot start scripts, so there is no archive for it. */
const PLATFORMS = ['darwin_amd64', 'darwin_arm64', 'freebsd_amd64', 'linux_amd64', 'linux_arm', 'linux_arm64'];

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist/release') } } });

const { version } = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8'));
const prefix = `terraform-provider-service_${version}`;
const bundle = join(root, 'provider/dist/bundle');

const script = readdirSync(bundle).map((name) => {
  const mode = name.startsWith('terraform-provider-service_') ? 0o755 : 0o644;
  return [name, [readFileSync(join(bundle, name)), mode]];
});
const archive = zipped(Object.fromEntries(script));
const manifest = { version: 1, metadata: { protocol_versions: ['6.0'] } };
const files = new Map([
  ...PLATFORMS.map((platform) => [`${prefix}_${platform}.zip`, archive]),
  [`${prefix}_manifest.json`, `${JSON.stringify(manifest, null, 2)}\n`],
]);

mkdirSync(values.out, { recursive: true });
for (const name of readdirSync(values.out))
  if (name.startsWith('terraform-provider-service_')) rmSync(join(values.out, name));
for (const [name, bytes] of files) writeFileSync(join(values.out, name), bytes);
const sums = writeSums(values.out, prefix);
process.stdout.write(`${[...files.keys(), sums].map((name) => join(values.out, name)).join('\n')}\n`);
