import { ProblemError } from '@authz-service/core/problem';
import { baseAddress } from '@authz-service/sdk/base-address';
import type { Credentials } from '@authz-service/sdk/client';
import { DEFAULT_CLOUD_URL } from '@authz-service/sdk/environment';
import type { Environment } from './environment.js';
import { openProfile, type ProfilesFile } from './profiles.js';

/** The default address of an agent on this machine. */
export const LOCAL_URL = 'http://127.0.0.1:8181';

/** The service that a command talks to, its credentials, and where these settings came from. */
export interface Connection {
  url: string;
  credentials?: Credentials;
  /** The source of the credentials, or why there are none: for error texts. */
  source: string;
  warnings: string[];
}

export interface ConnectionFlags {
  url?: string | undefined;
  profile?: string | undefined;
  local?: boolean | undefined;
}

/**
 * Chooses what was asked for: flags, then the profile that SERVICE_PROFILE names, then credentials in the environment, then the
 * profile `default`. A profile's credentials are sent only to that profile's own address, unless `--profile` and `--url`
 * are given together.
 */
export async function chooseConnection(
  flags: ConnectionFlags,
  environment: Environment,
  readProfiles: () => Promise<ProfilesFile | undefined>,
): Promise<Connection> {
  const warnings = [...environment.warnings];
  if (flags.local) return { url: LOCAL_URL, source: 'an agent needs none', warnings };
  if (flags.url?.startsWith('unix:')) return { url: flags.url, source: 'an agent needs none', warnings };
  const url = flags.url === undefined ? undefined : baseAddress(flags.url, '--url');
  const { credentials } = environment;
  const wanted = flags.profile ?? environment.profile;
  if (wanted === undefined && credentials !== undefined) {
    return { url: url ?? environment.cloudUrl, credentials, source: 'the environment', warnings };
  }

  const name = wanted ?? 'default';
  if (flags.profile === undefined && credentials !== undefined)
    warnings.push(
      `SERVICE_PROFILE=${name} is used, and not the credentials that are in the environment as well: unset one of both.`,
    );
  const file = await readProfiles();
  if (wanted === undefined && file?.profiles.get('default') === undefined) {
    return { url: url ?? environment.cloudUrl, source: unchosen(file), warnings };
  }
  if (file === undefined) {
    throw new ProblemError('invalid_config', `There is no profile "${name}": ~/.service/config.yaml does not exist.`);
  }
  const profile = await openProfile(file, name);
  warnings.push(...file.warnings);
  const home = profile.url ?? DEFAULT_CLOUD_URL;
  const byFlag = flags.profile !== undefined;
  const chosen = url ?? (byFlag || !environment.namesUrl ? home : environment.cloudUrl);
  if (profile.credentials === undefined) return { url: chosen, source: `the profile "${name}" has none`, warnings };
  if (!byFlag && new URL(chosen).origin !== new URL(home).origin) {
    return { url: chosen, source: `those of the profile "${name}" are for ${home}`, warnings };
  }
  return { url: chosen, credentials: profile.credentials, source: `the profile "${name}"`, warnings };
}

/** Why there are no credentials if nobody has named a profile and none is called `default`. */
function unchosen(file: ProfilesFile | undefined): string {
  const names = [...(file?.profiles.keys() ?? [])];
  return names.length === 0 ? 'none are set' : `no profile is chosen: --profile takes one of ${names.join(', ')}`;
}
