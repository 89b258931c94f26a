import { nearest } from '@authz-service/core/nearest';
import { credentialsIn, DEFAULT_CLOUD_URL } from '@authz-service/provider/reconcile/credentials';
import { baseAddress } from '@authz-service/sdk/base-address';
import type { Credentials } from '@authz-service/sdk/client';

type Variables = Readonly<Record<string, string | undefined>>;

/** What the environment says to the commands that talk to a service. */
export interface Environment {
  /** SERVICE_CLOUD_URL, or the default address. */
  cloudUrl: string;
  /** Whether SERVICE_CLOUD_URL is set. */
  namesUrl: boolean;
  credentials: Credentials | undefined;
  profile: string | undefined;
  /** Variables that look misspelt. */
  warnings: string[];
}

/** The variables of all programs of this product: the CLI starts the others too. */
const KNOWN = [
  'SERVICE_ALLOW_ROLLBACK',
  'SERVICE_API_KEY',
  'SERVICE_BOOTSTRAP_CLIENT_ID',
  'SERVICE_BOOTSTRAP_CLIENT_SECRET',
  'SERVICE_BOOTSTRAP_CLIENT_SECRET_FILE',
  'SERVICE_BOOTSTRAP_TENANT',
  'SERVICE_BUNDLE_JWKS',
  'SERVICE_CACHE_DIR',
  'SERVICE_CLIENT_ID',
  'SERVICE_CLIENT_SECRET',
  'SERVICE_CLOUD_URL',
  'SERVICE_DATA_DIR',
  'SERVICE_DEBUG',
  'SERVICE_DECISION_LOG',
  'SERVICE_LISTEN_ADDR',
  'SERVICE_LOG_LEVEL',
  'SERVICE_POLL_INTERVAL',
  'SERVICE_PROFILE',
  'SERVICE_PUBLIC_URL',
  'SERVICE_TENANT_ID',
];

/**
 * Reads the variables, as pipelines set them. An OAuth client wins over an API key when both are there: the key is
 * usually an agent's, which may fetch the bundle and nothing else. Throws `invalid_config`.
 */
export function readEnvironment(variables: Variables): Environment {
  const cloudUrl = variables.SERVICE_CLOUD_URL?.trim() || undefined;
  return {
    cloudUrl: baseAddress(cloudUrl ?? DEFAULT_CLOUD_URL),
    namesUrl: cloudUrl !== undefined,
    credentials: credentialsIn(variables),
    profile: variables.SERVICE_PROFILE || undefined,
    warnings: misspelt(Object.keys(variables)),
  };
}

function misspelt(names: string[]): string[] {
  return names.flatMap((name) => {
    if (!name.startsWith('SERVICE_') || KNOWN.includes(name)) return [];
    const meant = nearest(name, KNOWN);
    return meant === undefined ? [] : [`The environment variable ${name} means nothing here: did you mean ${meant}?`];
  });
}
