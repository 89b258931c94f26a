import { ProblemError } from '@authz-service/core/problem';
import type { ServiceClient } from '@authz-service/sdk/client';
import { boolean, string } from '@oclif/core/flags';
import { err } from '../output/terminal.js';
import { type Connection, type ConnectionFlags, chooseConnection } from './connection.js';
import { readEnvironment } from './environment.js';
import { readProfiles } from './profiles.js';

/**
 * The flags of every command that talks to a service. There is no flag for secrets, because others can see a command
 * line.
 */
export const connectionFlags = {
  url: string({
    description: "The address of the service, instead of SERVICE_CLOUD_URL or the profile's.",
    helpValue: 'URL',
    helpGroup: 'GLOBAL',
  }),
  profile: string({
    description: "A profile in ~/.service/config.yaml, instead of the environment's credentials.",
    helpValue: 'NAME',
    helpGroup: 'GLOBAL',
  }),
};

/** The flags of commands that an agent can answer, too. */
export const localFlag = {
  local: boolean({
    char: 'l',
    description: 'Ask the agent on this machine, http://127.0.0.1:8181, without credentials.',
    exclusive: ['url', 'profile'],
    helpGroup: 'GLOBAL',
  }),
};

/** Only a person waits for the answer, perhaps over a slow connection, so the deadline is generous. */
const DECISION_TIMEOUT_MS = 30_000;

/** A client for commands that need a credential. Throws `unauthorized` at once if there is none. */
export async function connect(flags: ConnectionFlags & { at?: string | undefined }): Promise<ServiceClient> {
  const connection = await chosenConnection(flags);
  if (connection.credentials === undefined) {
    if (connection.url.startsWith('unix:')) {
      const detail = `--url: an agent listens at "${connection.url}", and this command asks the cloud: give the cloud's address.`;
      throw new ProblemError('invalid_config', detail);
    }
    throw new ProblemError('unauthorized', `There are no credentials for ${connection.url} (${connection.source}).`);
  }
  return clientOf(connection, flags.at);
}

/** The connection from flags, environment and profiles; warnings about them go to stderr. */
export async function chosenConnection(flags: ConnectionFlags): Promise<Connection> {
  const connection = await chooseConnection(flags, readEnvironment(process.env), readProfiles);
  for (const warning of connection.warnings) await err.warning(warning);
  return connection;
}

/** `at` is the past moment that the client asks about. */
export async function clientOf(
  { url, credentials }: Pick<Connection, 'url' | 'credentials'>,
  at?: string,
): Promise<ServiceClient> {
  if (at !== undefined && url.startsWith('unix:')) {
    const detail = `--at: the agent at "${url}" knows no past: ask the cloud.`;
    throw new ProblemError('invalid_config', detail);
  }
  const [{ ServiceClient }, { environmentProxy }] = await Promise.all([
    import('@authz-service/sdk/client'),
    import('@authz-service/provider/connection/environment-proxy'),
  ]);
  return new ServiceClient({
    url,
    credentials,
    at,
    ...(at === undefined ? { proxy: environmentProxy(url) } : { fetch: warningOfErasures(await fetchTo(url)) }),
    userAgent: 'authz-service-cli',
    decisionTimeoutMs: DECISION_TIMEOUT_MS,
    attemptTimeoutMs: DECISION_TIMEOUT_MS,
  });
}

/** Returns the function that sends requests to this address, through a proxy if the environment names one. */
async function fetchTo(url: string): Promise<typeof globalThis.fetch> {
  const [{ routeOf }, { environmentProxy }] = await Promise.all([
    import('@authz-service/sdk/connection'),
    import('@authz-service/provider/connection/environment-proxy'),
  ]);
  return routeOf({ url, proxy: environmentProxy(url) }).fetch;
}

/** Returns the time by the clock of a cloud, in milliseconds since the epoch. Throws `conflict` where it says none. */
export async function cloudTime(url: string, signal: AbortSignal): Promise<number> {
  const fetch = await fetchTo(url);
  const answer = await fetch(new URL('livez', `${url.replace(/\/+$/, '')}/`), { signal });
  await answer.body?.cancel();
  const time = Date.parse(answer.headers.get('date') ?? '');
  if (!Number.isNaN(time)) return time;
  throw new ProblemError('conflict', `${url} does not say what time it is: let proxies pass its header Date on.`);
}

/** Fetches, and says once on stderr if values of the revision that is asked about have been erased. */
function warningOfErasures(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  let warned = false;
  return async (...request) => {
    const answer = await fetch(...request);
    const erased = answer.headers.get('service-erased-records');
    if (erased !== null && !warned) {
      warned = true;
      const what = `Values of ${erased === '1' ? 'one record' : `${erased} records`} of that revision have been erased: conditions that read them may be decided otherwise than then.`;
      await err.warning(what);
    }
    return answer;
  };
}

/** Returns what sends requests outside the client, and the source of their `Authorization` header; none if none is needed. */
export async function senderOf({ url, credentials }: Connection) {
  const [{ apiKeyAuthorization }, { TokenSource }, { Transport }, fetch] = await Promise.all([
    import('@authz-service/sdk/authorization'),
    import('@authz-service/sdk/token-source'),
    import('@authz-service/sdk/transport'),
    fetchTo(url),
  ]);
  const transport = new Transport({
    base: url,
    retryPolicy: { timeoutMs: 60_000, attemptTimeoutMs: 30_000, retries: 1, backoffMs: 200 },
    userAgent: 'authz-service-cli',
    fetch,
  });
  const authorization =
    credentials === undefined
      ? undefined
      : 'apiKey' in credentials
        ? apiKeyAuthorization(credentials.apiKey)
        : new TokenSource(transport, credentials);
  return { transport, authorization };
}

/** The `Authorization` header for requests outside the client; undefined if none is needed. */
export async function authorizationOf(connection: Connection, signal: AbortSignal): Promise<string | undefined> {
  const { authorization } = await senderOf(connection);
  return (await authorization?.get(signal))?.header;
}
