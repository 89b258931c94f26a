import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import { providerRelease, SOURCE } from './provider-release.js';

/** The registry under which Terraform looks up a source address that names none. */
const REGISTRY = 'registry.terraform.io';

/** Node's words for machines, and those of Terraform's releases. */
const OS = { linux: 'linux', darwin: 'darwin', freebsd: 'freebsd', openbsd: 'openbsd' };
const ARCH = { x64: 'amd64', arm64: 'arm64', arm: 'arm', ia32: '386' };

/** Where the provider was put, and what was there before. */
export interface Installed {
  source: string;
  version: string;
  file: string;
  /** Another file of the same version was replaced: lock files that know the former one no longer fit. */
  replaced: boolean;
}

/** A platform as Terraform names it: `linux_amd64`. */
function platformName(os: string, arch: string): string {
  const names = [OS[os as keyof typeof OS], ARCH[arch as keyof typeof ARCH]];
  if (names.every((name) => name !== undefined)) return names.join('_');
  throw new ProblemError(
    'invalid_config',
    `The provider is a script for Node, which Terraform cannot start on ${os} (${arch}): use it on Linux or macOS, or in WSL.`,
  );
}

/** The folder where Terraform looks for providers before it asks a registry. */
function pluginFolder(): string {
  return join(homedir(), '.terraform.d', 'plugins');
}

/** Puts the provider into a folder laid out as Terraform's local mirrors are; the one of the user unless given. */
export async function installProvider(
  folder = pluginFolder(),
  { os = process.platform as string, arch = process.arch as string } = {},
): Promise<Installed> {
  const { version, file: built } = providerRelease();
  const place = join(folder, REGISTRY, SOURCE, version, platformName(os, arch));
  if (!existsSync(built))
    throw new ProblemError('invalid_config', `There is no provider at ${built}: make it with "npm run build".`);
  await mkdir(place, { recursive: true });
  const file = join(place, basename(built));
  const before = await readFile(file).catch(() => undefined);
  const made = join(place, `.${basename(built)}.${process.pid}`);
  await copyFile(built, made);
  await chmod(made, 0o755);
  // Terraform takes any file of that name for the provider's program, and refuses to choose between two.
  for (const name of await readdir(place))
    if (name.startsWith('terraform-provider-service') && name !== basename(file)) await rm(join(place, name));
  await rename(made, file);
  return { source: SOURCE, version, file, replaced: before !== undefined && !before.equals(await readFile(file)) };
}
