import { ProblemError } from '@authz-service/core/problem';
import { names } from '@authz-service/core/records/address';
import { readingsOf } from '@authz-service/core/records/entity-text';
import { nearest } from '@authz-service/core/text/nearest';
import { UsageError } from '../errors/usage-error.js';
import type { Asking } from '../history/asking.js';

/** A resource type by its name in requests, and its actions. */
export interface KnownType {
  name: string;
  actions: readonly string[];
}

/**
 * Each type with the names that requests may use: the bare one if no other application has it, and the qualified one.
 */
interface NamedType {
  names: readonly string[];
  actions: readonly string[];
}

/**
 * The tenant's resource types; undefined if the service does not show them: an agent never does, and a cloud only to
 * callers that may read records.
 */
export async function allTypes(client: Asking, signal: AbortSignal): Promise<NamedType[] | undefined> {
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

/** The names of the tenant's types, if one of the texts may mean several resources and the service shows them. */
export async function typesFor(
  texts: readonly (string | undefined)[],
  client: () => Promise<Asking>,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  if (!texts.some((text) => text !== undefined && readingsOf('resource', text).length > 1)) return undefined;
  const known = await allTypes(await client(), signal);
  return known && new Set(known.flatMap(({ names }) => names));
}

/** Whether this error means that the service does not show records to the caller. */
export function isSilence(error: unknown): boolean {
  return error instanceof ProblemError && ['not_found', 'forbidden', 'unauthorized'].includes(error.code);
}

/** The type with this name. Throws `UsageError`, in which `where` names the argument or flag. */
export function typeNamed(known: readonly NamedType[], name: string, where: string): KnownType {
  const type = known.find(({ names }) => names.includes(name));
  if (type !== undefined) return { name, actions: type.actions };
  const meant = nearest(
    name,
    known.flatMap(({ names }) => names),
  );
  const remedy = meant === undefined ? '"servicectl get resource-types" lists them.' : `did you mean "${meant}"?`;
  throw new UsageError(`${where} "${name}" is not a resource type of the tenant: ${remedy}`);
}

/**
 * The tenant's resource types by their shortest names, or those that `wanted` names. Throws `UsageError` for one that
 * does not exist, and with `remedy` if the service does not show them.
 */
export async function resourceTypes(
  client: Asking,
  wanted: readonly string[] | undefined,
  remedy: string,
  signal: AbortSignal,
): Promise<KnownType[]> {
  const known = await allTypes(client, signal);
  if (known === undefined) throw new UsageError(`${client.url} does not show the resource types: ${remedy}`);
  if (wanted === undefined) return known.map(({ names: [name = ''], actions }) => ({ name, actions }));
  return wanted.map((name) => typeNamed(known, name, '--resource-type'));
}
