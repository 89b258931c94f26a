import { ProblemError } from '@authz-service/core/problem';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { commit } from './commit.js';

/** An operator's request to delete disabled credentials of a tenant. */
export interface DeleteDisabledCommand {
  /** The name of the tenant. */
  tenant: string;
  /** The addresses of credentials. */
  credentials: string[];
  credential: Credential;
  requestId: string;
  now: number;
}

/**
 * Deletes credentials of any tenant that are off, in one commit of that tenant, whose audit trail names the operator.
 * Throws `not_found` if one of them is not off, and what `commit` throws.
 */
export async function deleteDisabled(
  cloud: Cloud,
  { tenant: name, credentials, ...by }: DeleteDisabledCommand,
): Promise<string> {
  await cloud.refresh();
  const row = cloud.tenants.named(name);
  if (row === undefined) throw new ProblemError('not_found', `There is no tenant "${name}".`);
  const { committed } = await commit(cloud, {
    ...by,
    elsewhere: row.id,
    changes: () => {
      const off = new Set(cloud.credentials.off(row.id).map(({ address }) => address));
      const missing = credentials.find((address) => !off.has(address));
      if (missing !== undefined)
        throw new ProblemError('not_found', `In the tenant "${row.name}", no credential "${missing}" is off.`);
      return [...new Set(credentials)].map((address) => ({ op: 'delete', address }));
    },
  });
  return committed.revision;
}
