/**
 * Makes what a registry of Terraform providers serves, in dist/release: an archive for each platform, their
 * digests and the manifest. Signing the digests is left to whoever publishes:
 *   gpg --detach-sign terraform-provider-service_<version>_SHA256SUMS
 *
 *   npm run package -w provider [-- --out DIR] [--sea]
 *
 * With --sea, only the archive for the platform it runs on, with a program that needs no Node.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { zipSync } from 'fflate';
import { providerInOneFile } from './bundle-provider.mjs';
import { singleExecutable } from './single-executable.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The bundle is the same for all of them. Windows cannot start scripts, so there is no archive for it. */
const PLATFORMS = ['darwin_amd64', 'darwin_arm64', 'freebsd_amd64', 'linux_amd64', 'linux_arm', 'linux_arm64'];

const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist/release') }, sea: { type: 'boolean', default: false } },
});

const { version } = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8'));
const prefix = `terraform-provider-service_${version}`;
const bundle = join(root, 'provider/dist/bundle');

/** Unix, regular files, and the earliest time of zip archives, so that equal contents give equal archives. */
const entry = (data, mode) => [data, { os: 3, attrs: ((0o100000 | mode) << 16) >>> 0, mtime: new Date(1980, 0, 1) }];

async function archives() {
  if (values.sea) {
    const platform = `linux_${process.arch === 'x64' ? 'amd64' : process.arch}`;
    const program = await singleExecutable(await providerInOneFile());
    return [[platform, zipSync({ [`terraform-provider-service_v${version}`]: entry(program, 0o755) })]];
  }
  const files = readdirSync(bundle).map((name) => {
    const mode = name.startsWith('terraform-provider-service_') ? 0o755 : 0o644;
    return [name, entry(readFileSync(join(bundle, name)), mode)];
  });
  const archive = zipSync(Object.fromEntries(files));
  return PLATFORMS.map((platform) => [platform, archive]);
}

const manifest = Buffer.from(`${JSON.stringify({ version: 1, metadata: { protocol_versions: ['6.0'] } }, null, 2)}\n`);
const files = new Map([
  ...(await archives()).map(([platform, archive]) => [`${prefix}_${platform}.zip`, archive]),
  [`${prefix}_manifest.json`, manifest],
]);
const sums = [...files].map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`);
files.set(`${prefix}_SHA256SUMS`, Buffer.from(sums.join('')));

mkdirSync(values.out, { recursive: true });
for (const name of readdirSync(values.out))
  if (name.startsWith('terraform-provider-service_')) rmSync(join(values.out, name));
for (const [name, bytes] of files) writeFileSync(join(values.out, name), bytes);
process.stdout.write(`${[...files.keys()].map((name) => join(values.out, name)).join('\n')}\n`);
