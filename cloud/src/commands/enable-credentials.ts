import { ProblemError } from '@authz-service/core/problem';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { SIGN_IN } from '../store/credential-switch.js';
import { stillOperator } from './create-tenant.js';

export interface EnableCredentialsCommand {
  /** The name of the tenant. */
  tenant: string;
  /** The addresses of credentials; all of the tenant if absent. */
  credentials?: string[] | undefined;
  credential: Credential;
  requestId: string;
  now: number;
}

/**
 * Turns on credentials of a tenant that are off since a restore. Returns their addresses. Throws `not_found` if one that
 * is named is not off, and `unauthorized` if who asks is no operator any more.
 */
export async function enableCredentials(cloud: Cloud, command: EnableCredentialsCommand): Promise<string[]> {
  await cloud.refresh();
  const row = cloud.tenants.named(command.tenant);
  if (row === undefined) throw new ProblemError('not_found', `There is no tenant "${command.tenant}".`);
  const off = new Set(cloud.credentials.off(row.id).map(({ address }) => address));
  if ((await cloud.store.signInOffSince(row.id)) !== undefined) off.add(SIGN_IN);
  const missing = command.credentials?.find((address) => !off.has(address));
  if (missing !== undefined)
    throw new ProblemError('not_found', `In the tenant "${row.name}", no credential "${missing}" is off.`);
  const { kind, id, name } = command.credential;
  const by = { at: new Date(command.now).toISOString(), request_id: command.requestId, credential: { kind, id, name } };
  await cloud.revocationLog?.assertWritable();
  const enabled = await cloud.store.enableCredentials(row, command.credentials, by, stillOperator(command));
  for (const known of await cloud.store.credentialsSince([{ tenant: row.id, since: 0 }]))
    cloud.credentials.advance(known);
  await cloud.revocationLog?.settle(row.id);
  return enabled;
}
