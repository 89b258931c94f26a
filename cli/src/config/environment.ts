import { unknownVariables } from '@authz-service/core/settings/variables';
import { baseAddress } from '@authz-service/sdk/base-address';
import type { Credentials } from '@authz-service/sdk/client';
import { credentialsIn, DEFAULT_CLOUD_URL } from '@authz-service/sdk/environment';

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment variables of the commands that talk to a service. */
export interface Environment {
  /** SERVICE_CLOUD_URL, or the default address. */
  cloudUrl: string;
  /** Whether SERVICE_CLOUD_URL is set. */
  namesUrl: boolean;
  credentials: Credentials | undefined;
  profile: string | undefined;
  /** Variables that look misspelled. */
  warnings: string[];
}

/**
 * Reads the environment variables. If there is both an OAuth client and an API key, the client wins: the key is usually
 * an agent's, which may only fetch the bundle. Throws `invalid_config`.
 */
export function readEnvironment(variables: Variables): Environment {
  const cloudUrl = variables.SERVICE_CLOUD_URL?.trim() || undefined;
  return {
    cloudUrl: baseAddress(cloudUrl ?? DEFAULT_CLOUD_URL, 'SERVICE_CLOUD_URL'),
    namesUrl: cloudUrl !== undefined,
    credentials: credentialsIn(variables),
    profile: variables.SERVICE_PROFILE || undefined,
    // Other programs may use the prefix, too: only names that look misspelled are reported.
    warnings: unknownVariables(Object.keys(variables)).flatMap(({ meant, text }) =>
      meant === undefined ? [] : [text],
    ),
  };
}
