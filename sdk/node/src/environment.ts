import { baseAddress } from './base-address.js';
import type { Credentials } from './client.js';
import { ServiceError } from './service-error.js';

/** The default address of a cloud. */
export const DEFAULT_CLOUD_URL = 'http://127.0.0.1:8080';

/** The address of the cloud, and the credentials for it. */
export interface CloudAccess {
  url: string;
  credentials: Credentials;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The access that the environment describes: `SERVICE_CLIENT_ID` with `SERVICE_CLIENT_SECRET`, or else
 * `SERVICE_API_KEY`; and `SERVICE_CLOUD_URL`. Throws `invalid_config` naming the variable that is missing.
 */
export function accessFromEnvironment(environment: Environment): CloudAccess {
  const credentials = credentialsIn(environment);
  if (credentials === undefined) {
    throw new ServiceError(
      'invalid_config',
      'No credentials: set SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET (or SERVICE_API_KEY) in the environment.',
    );
  }
  return {
    url: baseAddress(value(environment, 'SERVICE_CLOUD_URL') ?? DEFAULT_CLOUD_URL, 'SERVICE_CLOUD_URL'),
    credentials,
  };
}

/** The credentials in the environment, if any. Throws `invalid_config` where one half of a client is missing. */
export function credentialsIn(environment: Environment): Credentials | undefined {
  const clientId = value(environment, 'SERVICE_CLIENT_ID');
  const clientSecret = value(environment, 'SERVICE_CLIENT_SECRET');
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  if (clientId !== undefined) throw missing('SERVICE_CLIENT_SECRET', 'SERVICE_CLIENT_ID');
  if (clientSecret !== undefined) throw missing('SERVICE_CLIENT_ID', 'SERVICE_CLIENT_SECRET');
  const apiKey = value(environment, 'SERVICE_API_KEY');
  return apiKey === undefined ? undefined : { apiKey };
}

function missing(name: string, present: string): ServiceError {
  return new ServiceError('invalid_config', `${present} is set but ${name} is not: set both in the environment.`);
}

/** Pipelines often pass secrets with a line feed at the end. An empty variable counts as unset. */
function value(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}
