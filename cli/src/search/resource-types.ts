import { nearest } from '@authz-service/core/nearest';
import { ProblemError } from '@authz-service/core/problem';
import { names } from '@authz-service/core/records/address';
import type { ServiceClient } from '@authz-service/sdk/client';
import { UsageError } from '../errors/usage-error.js';

/** A type of resources as questions name it, and its actions. */
export interface KnownType {
  name: string;
  actions: readonly string[];
}

/** Each type with the names that questions may use: bare where no other application has the name, and qualified. */
interface NamedType {
  names: readonly string[];
  actions: readonly string[];
}

/**
 * The tenant's resource types; undefined where the service does not tell them: an agent never does, and a cloud only to
 * who may read records.
 */
export async function allTypes(client: ServiceClient, signal: AbortSignal): Promise<NamedType[] | undefined> {
  const found: { bare: string; qualified: string; actions: readonly string[] }[] = [];
  try {
    for await (const { application, name, actions } of client.records('resource_type').list({}, { signal })) {
      found.push({ bare: name, qualified: [...names(application), name].join('/'), actions });
    }
  } catch (error) {
    if (isSilence(error)) return undefined;
    throw error;
  }
  const shared = (bare: string) => found.filter((type) => type.bare === bare).length > 1;
  return found.map(({ bare, qualified, actions }) => ({
    names: shared(bare) ? [qualified] : [bare, qualified],
    actions,
  }));
}

/** Whether the service says by this error that it does not show records to the caller. */
export function isSilence(error: unknown): boolean {
  return error instanceof ProblemError && ['not_found', 'forbidden', 'unauthorized'].includes(error.code);
}

/** The type of this name. Throws `UsageError`, in which `where` names the argument or flag. */
export function typeNamed(known: readonly NamedType[], name: string, where: string): KnownType {
  const type = known.find(({ names }) => names.includes(name));
  if (type !== undefined) return { name, actions: type.actions };
  const meant = nearest(
    name,
    known.flatMap(({ names }) => names),
  );
  const remedy = meant === undefined ? '"service get resource-types" lists them.' : `did you mean "${meant}"?`;
  throw new UsageError(`${where} "${name}" is no resource type of the tenant: ${remedy}`);
}

/**
 * The tenant's resource types by the shortest name, or those that `wanted` names. Throws `UsageError` for one that there is
 * not, and with `remedy` where the service does not tell them.
 */
export async function resourceTypes(
  client: ServiceClient,
  wanted: readonly string[] | undefined,
  remedy: string,
  signal: AbortSignal,
): Promise<KnownType[]> {
  const known = await allTypes(client, signal);
  if (known === undefined)
    throw new UsageError(`${client.url} does not tell which resource types there are: ${remedy}`);
  if (wanted === undefined) return known.map(({ names: [name = ''], actions }) => ({ name, actions }));
  return wanted.map((name) => typeNamed(known, name, '--resource-type'));
}
