import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
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
  /** Another build of the same version was replaced: lock files that know the former one no longer fit. */
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
  const { version, folder: built, program } = providerRelease();
  const place = join(folder, REGISTRY, SOURCE, version, platformName(os, arch));
  if (!existsSync(join(built, program)))
    throw new ProblemError('invalid_config', `There is no provider in ${built}: make it with "npm run build".`);
  const before = await contents(place);
  const made = `${place}.${process.pid}`;
  await rm(made, { recursive: true, force: true });
  await cp(built, made, { recursive: true });
  await chmod(join(made, program), 0o755);
  const after = await contents(made);
  await rm(place, { recursive: true, force: true });
  await rename(made, place);
  return {
    source: SOURCE,
    version,
    file: join(place, program),
    replaced: before.size > 0 && !isDeepStrictEqual(before, after),
  };
}

/** The digest of each file in a folder, by name; none where there is no folder. */
async function contents(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder).catch(() => []);
  const digests = names.map(async (name): Promise<[string, string]> => {
    const bytes = await readFile(join(folder, name));
    return [name, createHash('sha256').update(bytes).digest('hex')];
  });
  return new Map(await Promise.all(digests));
}
