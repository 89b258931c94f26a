import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import { baseAddress } from '@authz-service/sdk/base-address';
import type { Credentials } from '@authz-service/sdk/client';

/** A profile that is ready to use: its secrets were read from the files that it names. */
export interface Profile {
  url?: string;
  credentials?: Credentials;
}

/** A profile as the file declares it. */
export interface ProfileEntry {
  url?: string | undefined;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  client_secret_file?: string | undefined;
  api_key?: string | undefined;
  api_key_file?: string | undefined;
}

export interface ProfilesFile {
  path: string;
  /** By name. */
  profiles: ReadonlyMap<string, ProfileEntry>;
  warnings: string[];
}

export const profilesPath = (): string => join(homedir(), '.service', 'config.yaml');

/**
 * Reads `~/.service/config.yaml`; undefined if there is none. Throws `invalid_config` whose items are placed as
 * `file:line:column`.
 */
export async function readProfiles(path = profilesPath()): Promise<ProfilesFile | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const { parseProfiles } = await import('./parse-profiles.js');
  const profiles = parseProfiles(path, text);
  const secret = [...profiles.values()].some((entry) => entry.client_secret ?? entry.api_key);
  const warnings = secret && (await readableByOthers(path)) ? [exposed(path)] : [];
  return { path, profiles, warnings };
}

async function readableByOthers(path: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0;
}

function exposed(path: string): string {
  return `Others on this machine can read "${path}", which contains secrets: run "chmod 600 ${path}".`;
}

/** Turns an entry into a connection; reads the secret's file, whose path is relative to the configuration's folder. */
export async function openProfile(file: ProfilesFile, name: string): Promise<Profile> {
  const entry = file.profiles.get(name);
  if (entry === undefined) {
    const known = [...file.profiles.keys()].join(', ') || 'none';
    throw new ProblemError(
      'invalid_config',
      `There is no profile "${name}" in "${file.path}". Existing profiles: ${known}.`,
    );
  }
  const secret = async (inline: string | undefined, path: string | undefined): Promise<string | undefined> => {
    if (path === undefined) return inline;
    const from = expand(path, file.path);
    if (await readableByOthers(from)) file.warnings.push(exposed(from));
    return (await readFile(from, 'utf8')).trim();
  };
  const url = entry.url === undefined ? {} : { url: baseAddress(entry.url) };
  const apiKey = await secret(entry.api_key, entry.api_key_file);
  if (apiKey !== undefined) return { ...url, credentials: { apiKey } };
  const clientSecret = await secret(entry.client_secret, entry.client_secret_file);
  if (entry.client_id === undefined || clientSecret === undefined) return url;
  return { ...url, credentials: { clientId: entry.client_id, clientSecret } };
}

function expand(path: string, configPath: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(dirname(configPath), path);
}

/** A fault in one profile's entry, or undefined. `key` says which member has it. */
export function entryFault(entry: ProfileEntry): { key?: keyof ProfileEntry; detail: string } | undefined {
  const { url, client_id, client_secret, client_secret_file, api_key, api_key_file } = entry;
  if (url !== undefined) {
    try {
      baseAddress(url);
    } catch (error) {
      return { key: 'url', detail: (error as Error).message };
    }
  }
  if (client_secret !== undefined && client_secret_file !== undefined) {
    return { key: 'client_secret_file', detail: 'is given together with client_secret: keep one of them' };
  }
  if (api_key !== undefined && api_key_file !== undefined) {
    return { key: 'api_key_file', detail: 'is given together with api_key: keep one of them' };
  }
  const key = api_key ?? api_key_file;
  const secret = client_secret ?? client_secret_file;
  if (key !== undefined && (client_id ?? secret) !== undefined) {
    return { detail: 'has both an API key and an OAuth client: keep one of them' };
  }
  if ((client_id === undefined) !== (secret === undefined)) {
    return { detail: 'needs client_id and client_secret (or client_secret_file) together' };
  }
  return undefined;
}
