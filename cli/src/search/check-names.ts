import { ProblemError } from '@authz-service/core/problem';
import { path } from '@authz-service/core/records/address';
import { entityText } from '@authz-service/core/records/entity-text';
import { nearest } from '@authz-service/core/text/nearest';
import { UsageError } from '../errors/usage-error.js';
import type { Asking } from '../history/asking.js';
import { allTypes, isSilence, typeNamed } from './resource-types.js';

/** Names beyond these are not compared with a wrong one. */
const COMPARED_MAX = 5000;

/** The names that a search asks about, so that their existence can be checked in the tenant's records. */
export interface NamesToCheck {
  subject?: { type: string; id: string; roles?: readonly string[] | undefined };
  subjectTypes?: readonly string[];
  action?: string | undefined;
  /** The resource, if one is named. */
  resource?: { type: string; name?: string | undefined } | undefined;
  /** The types of resources, and the argument or flag that names them. */
  resourceTypes?: { names: readonly string[]; where: string } | undefined;
}

/**
 * Throws `UsageError` if the request names a resource type, an action or a type of subjects that the tenant does not have,
 * or a subject if nothing was found; or a resource without a record whose name is near that of another one: its result
 * would hide the mistake. Returns a note for other names that have no record, as the end of a sentence about the count; it
 * also says if the service does not show what exists and nothing was found.
 */
export async function checkNames(
  client: Asking,
  asked: NamesToCheck,
  found: number,
  signal: AbortSignal,
): Promise<string> {
  const known = await allTypes(client, signal);
  if (known === undefined) return found > 0 ? '' : `; ${client.url} does not tell whether the named things exist`;
  const { action, resourceTypes } = asked;
  const types = resourceTypes?.names.map((name) => typeNamed(known, name, resourceTypes.where)) ?? known;
  const actions = types.flatMap((type) => type.actions);
  if (action !== undefined && !actions.includes(action)) {
    const meant = nearest(action, actions);
    const whose = resourceTypes === undefined ? 'any resource type' : resourceTypes.names.join(', ');
    const choices = actions.length === 0 ? 'there is none.' : `write one of ${[...new Set(actions)].join(', ')}.`;
    const remedy = meant === undefined ? choices : `did you mean "${meant}"?`;
    throw new UsageError(`ACTION "${action}" is not an action of ${whose}: ${remedy}`);
  }
  await refuseSubjectTypes(client, asked, signal);
  if (found > 0) return '';
  await refuseSubject(client, asked, signal);
  return await missingResource(client, asked, signal);
}

async function refuseSubjectTypes(
  client: Asking,
  { subjectTypes = [] }: NamesToCheck,
  signal: AbortSignal,
): Promise<void> {
  for (const type of subjectTypes) {
    if ((await taken(client.records('subject').list({ type }, { signal, limit: 1 }), 1)).length > 0) continue;
    const present = await taken(client.records('subject').list({}, { signal, limit: 1000 }), COMPARED_MAX);
    const meant = nearest(type, new Set(present.map((subject) => subject.type)));
    const remedy = meant === undefined ? '"servicectl get subjects" lists what there is.' : `did you mean "${meant}"?`;
    throw new UsageError(`--subject-type "${type}": there is no subject of this type: ${remedy}`);
  }
}

async function refuseSubject(client: Asking, { subject }: NamesToCheck, signal: AbortSignal): Promise<void> {
  if (subject === undefined) return;
  const { type, id, roles = [] } = subject;
  if (roles.length > 0 || (await exists(client, 'subject', path(type, id), signal))) return;
  const remedy = await subjectMeant(client, { type, id }, signal);
  throw new UsageError(
    `SUBJECT "${entityText('subject', { type, name: id })}" has no record, and may do nothing: ${remedy}`,
  );
}

/** The remedy for a subject that has no record, as the end of a message. */
export async function subjectMeant(
  client: Asking,
  { type, id }: { type: string; id: string },
  signal: AbortSignal,
): Promise<string> {
  const present = await taken(client.records('subject').list({ type }, { signal, limit: 1000 }), COMPARED_MAX);
  const meant = nearest(
    id,
    present.map((one) => one.id.slice(one.id.indexOf('/') + 1)),
  );
  return meant === undefined
    ? '"servicectl get subjects" lists what there is.'
    : `did you mean "${entityText('subject', { type, name: meant })}"?`;
}

/** A resource need not have a record: only a name that is near another one is taken for a mistake. */
async function missingResource(client: Asking, { resource }: NamesToCheck, signal: AbortSignal): Promise<string> {
  const name = resource?.name;
  if (resource === undefined || name === undefined) return '';
  const { type } = resource;
  const present = await taken(client.records('resource').list({ type }, { signal, limit: 1000 }), COMPARED_MAX);
  const names = present.map((one) => one.name);
  if (names.includes(name)) return '';
  const meant = nearest(name, names);
  const text = entityText('resource', { type, name });
  if (meant !== undefined)
    throw new UsageError(
      `The resource "${text}" has no record: did you mean "${entityText('resource', { type, name: meant })}"?`,
    );
  return `; the resource "${text}" has no record`;
}

async function exists(client: Asking, kind: 'subject', name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.records(kind).get(name, { signal });
    return true;
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'not_found') return false;
    if (isSilence(error)) return true;
    throw error;
  }
}

async function taken<T>(items: AsyncIterable<T>, limit: number): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) if (found.push(item) === limit) break;
  return found;
}
