import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { ProblemError } from '@authz-service/core/problem';
import { providerRelease, SOURCE } from './provider-release.js';

/** The registries that Terraform and OpenTofu use for a source address that names none. */
const REGISTRIES = { terraform: 'registry.terraform.io', opentofu: 'registry.opentofu.org' } as const;

/** Files that are shipped beside the built program, unchanged. */
const MOCKS = new URL('../../../mocks/service.tfmock.hcl', import.meta.url);

/** Node's names for processors, and those of Terraform's releases. */
const OS = { linux: 'linux', darwin: 'darwin', freebsd: 'freebsd', openbsd: 'openbsd' };
const ARCH = { x64: 'amd64', arm64: 'arm64', arm: 'arm', ia32: '386' };

/** The place where the provider was installed, and what was there before. */
export interface Installed {
  source: string;
  version: string;
  /** The executables, one for each program that looks in a place of its own. */
  files: Record<keyof typeof REGISTRIES, string>;
  /**
   * Whether another build of the same version was replaced: lock files with the digest of the former one no longer fit.
   */
  replaced: boolean;
}

/** A platform by Terraform's name for it: `linux_amd64`. */
function platformName(os: string, arch: string): string {
  const names = [OS[os as keyof typeof OS], ARCH[arch as keyof typeof ARCH]];
  if (names.every((name) => name !== undefined)) return names.join('_');
  throw new ProblemError(
    'invalid_config',
    `The provider is a script for Node, which Terraform cannot start on ${os} (${arch}): use it on Linux or macOS, or in WSL.`,
  );
}

/** The folder where Terraform and OpenTofu look for providers before they ask a registry. */
function pluginFolder(): string {
  return join(homedir(), '.terraform.d', 'plugins');
}

/** Installs the provider in a folder with the layout of Terraform's local mirrors. Default: the user's own mirror. */
export async function installProvider(
  folder = pluginFolder(),
  { os = process.platform as string, arch = process.arch as string } = {},
): Promise<Installed> {
  const { version, folder: built, program } = providerRelease();
  if (!existsSync(join(built, program)))
    throw new ProblemError('invalid_config', `There is no provider in ${built}: build it with "npm run build".`);
  const place = (registry: string) => join(folder, registry, SOURCE, version, platformName(os, arch));
  const [terraform, opentofu] = [place(REGISTRIES.terraform), place(REGISTRIES.opentofu)];
  const replaced = [await put(built, program, terraform), await put(built, program, opentofu)].includes(true);
  const files = { terraform: join(terraform, program), opentofu: join(opentofu, program) };
  return { source: SOURCE, version, files, replaced };
}

/** Writes the mocks for `terraform test` into a folder. It leaves files that it did not write alone and says so. */
export async function writeMocks(folder: string): Promise<string> {
  const text = await readFile(MOCKS, 'utf8');
  const file = join(folder, basename(fileURLToPath(MOCKS)));
  const present = await readFile(file, 'utf8').catch(() => undefined);
  if (present !== undefined && present !== text)
    throw new ProblemError('conflict', `${file} holds other mocks: remove it, or name another folder.`);
  await mkdir(folder, { recursive: true });
  await writeFile(file, text);
  return file;
}

/** Replaces a folder as a whole and tells whether another bundle was there. */
async function put(built: string, program: string, place: string): Promise<boolean> {
  const before = await contents(place);
  const made = `${place}.${process.pid}`;
  await rm(made, { recursive: true, force: true });
  await cp(built, made, { recursive: true });
  await chmod(join(made, program), 0o755);
  const after = await contents(made);
  await rm(place, { recursive: true, force: true });
  await rename(made, place);
  return before.size > 0 && !isDeepStrictEqual(before, after);
}

/** The digest of each file in a folder, by name; empty if there is no folder. */
async function contents(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder).catch(() => []);
  const digests = names.map(async (name): Promise<[string, string]> => {
    const bytes = await readFile(join(folder, name));
    return [name, createHash('sha256').update(bytes).digest('hex')];
  });
  return new Map(await Promise.all(digests));
}
