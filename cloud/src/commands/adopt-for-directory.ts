import { ProblemError } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Change } from '@authz-service/core/state/change';
import { type Credential, demandUnlimited } from '../auth/credential.js';
import { OWNED_KINDS, ownerOf } from '../auth/demand-directory.js';
import type { Cloud } from '../cloud.js';
import type { Tenant } from '../tenants/tenant.js';
import { commit } from './commit.js';

interface Adoption {
  /** The name of the directory. */
  directory: string;
  addresses: readonly string[];
  baseRevision?: string;
  credential: Credential;
  requestId: string;
  now: number;
  charge: (changes: number) => void;
}

/** A record that a directory takes over, and who had it. */
export interface AdoptedRecord {
  address: string;
  taken_from: string;
}

/**
 * Hands subjects, groups and memberships over to a directory, which takes them up when it sends them. Throws `not_found`,
 * and `conflict` for what no directory owns.
 */
export async function adoptForDirectory(
  cloud: Cloud,
  { directory, addresses, ...order }: Adoption,
): Promise<{ revision: string; adopted: AdoptedRecord[] }> {
  demandUnlimited(order.credential);
  const stack = ownerOf(directory);
  let adopted: AdoptedRecord[] = [];
  const changes = (tenant: Tenant): Change[] => {
    const found = [...new Set(addresses)].map((at) => recordToAdopt(tenant, directory, at));
    const others = found.filter(({ managed_by }) => managed_by !== stack);
    adopted = others.map(({ address, managed_by }) => ({ address, taken_from: managed_by }));
    return others.map(({ address }) => ({ op: 'adopt', address }));
  };
  const { committed } = await commit(cloud, { ...order, changes, stack, takeOwnership: true, handsOver: true });
  return { revision: committed.revision, adopted };
}

function recordToAdopt({ state }: Tenant, name: string, at: string): StoredRecord {
  const directory = state.get(ownerOf(name));
  if (directory?.kind !== 'directory') throw new ProblemError('not_found', `There is no directory "${name}".`);
  const record = state.get(at as Address);
  if (record === undefined) throw new ProblemError('not_found', `There is no record "${at}".`);
  const refuse = (why: string) => new ProblemError('conflict', `"${at}" ${why}.`);
  if (!OWNED_KINDS.includes(record.kind)) throw refuse('is no subject, group or membership: leave it to its owner');
  const { subject_type: type, groups } = directory.fields;
  if (record.kind === 'subject' && record.fields.type !== type)
    throw refuse(`is no subject of the type "${type}", which the directory "${name}" makes`);
  if (record.kind === 'group' && groups !== undefined && !record.fields.name.startsWith(groups.prefix))
    throw refuse(`does not begin with "${groups.prefix}", as the groups of the directory "${name}" do`);
  return record;
}
