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

/**
 * The tenant's resource types by name, each bare where no other application has the name; only those that `wanted` names,
 * if any. Throws `UsageError` for one that there is not, and with `remedy` where the service does not tell them: an agent never does, and a cloud only
 * to who may read records.
 */
export async function resourceTypes(
  client: ServiceClient,
  wanted: readonly string[] | undefined,
  remedy: string,
  signal: AbortSignal,
): Promise<KnownType[]> {
  const found: { bare: string; qualified: string; actions: readonly string[] }[] = [];
  try {
    for await (const { application, name, actions } of client.records('resource_type').list({}, { signal })) {
      found.push({ bare: name, qualified: [...names(application), name].join('/'), actions });
    }
  } catch (error) {
    const silent = error instanceof ProblemError && ['not_found', 'forbidden'].includes(error.code);
    if (!silent) throw error;
    throw new UsageError(`${client.url} does not tell which resource types there are (${error.code}): ${remedy}`);
  }
  const shared = (bare: string) => found.filter((type) => type.bare === bare).length > 1;
  const known = found.map(({ bare, qualified, actions }) => ({
    names: shared(bare) ? [qualified] : [bare, qualified],
    actions,
  }));
  if (wanted === undefined) return known.map(({ names: [name = ''], actions }) => ({ name, actions }));
  return wanted.map((name) => {
    const type = known.find(({ names }) => names.includes(name));
    if (type !== undefined) return { name, actions: type.actions };
    const meant = nearest(
      name,
      known.flatMap(({ names }) => names),
    );
    const remedy = meant === undefined ? '"service get resource-types" lists them.' : `did you mean "${meant}"?`;
    throw new UsageError(`--resource-type "${name}" is no resource type of the tenant: ${remedy}`);
  });
}
