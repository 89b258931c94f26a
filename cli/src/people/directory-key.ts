import { randomUUID } from 'node:crypto';
import type { ServiceClient } from '@authz-service/sdk/client';
import { ServiceError } from '@authz-service/sdk/service-error';
import { chosenConnection, clientOf, connect } from '../config/connect.js';
import type { ConnectionFlags } from '../config/connection.js';
import { err } from '../output/terminal.js';

const LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * Works with the key of a directory: the credential itself, or a key that is made for the run if the flags name the
 * directory. That key is deleted afterwards, and expires where that fails: a warning names it then.
 */
export async function withDirectoryKey<T>(
  flags: ConnectionFlags & { directory?: string | undefined },
  signal: AbortSignal,
  work: (client: ServiceClient) => Promise<T>,
): Promise<T> {
  const client = await connect(flags);
  const { directory } = flags;
  if (directory === undefined) return await work(client);
  const keys = client.records('api_key');
  const name = `import-${randomUUID()}`;
  const expires_at = new Date(Date.now() + LIFETIME_MS).toISOString();
  const { id, secret } = await keys.create({ name, scopes: ['directory'], directory, expires_at }, { signal });
  try {
    const { url } = await chosenConnection(flags);
    return await work(await clientOf({ url, credentials: { apiKey: secret } }));
  } finally {
    await keys.delete(id).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'not_found') return undefined;
      return err.warning(
        `The key of this run is left, until ${expires_at} at most: "servicectl keys delete ${name}" removes it. Nobody has its secret any more.`,
      );
    });
  }
}
