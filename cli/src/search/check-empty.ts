import { nearest } from '@authz-service/core/nearest';
import { ProblemError } from '@authz-service/core/problem';
import { path } from '@authz-service/core/records/address';
import { UsageError } from '../errors/usage-error.js';
import type { Asking } from '../history/asking.js';
import { allTypes, isSilence, typeNamed } from './resource-types.js';

/** What a search asks about, so that its existence can be checked in the tenant's records. */
export interface Asked {
  subject?: { type: string; id: string };
  subjectTypes?: readonly string[];
  action?: string | undefined;
  /** The types of resources, and the argument or flag that names them. */
  resourceTypes?: { names: readonly string[]; where: string } | undefined;
}

/**
 * Called if nothing was found. Throws `UsageError` if the request names a resource type or an action that the tenant
 * does not have, since an empty result would hide the mistake. Returns a note for other names that do not exist, as the
 * end of a sentence about the count; it also says if the service does not show what exists.
 */
export async function checkEmpty(client: Asking, asked: Asked, signal: AbortSignal): Promise<string> {
  const known = await allTypes(client, signal);
  if (known === undefined) return `; ${client.url} does not tell whether the named things exist`;
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
  const missing = [...(await missingSubject(client, asked, signal)), ...(await missingTypes(client, asked, signal))];
  return missing.map((what) => `; there is no ${what}`).join('');
}

async function missingSubject(client: Asking, { subject }: Asked, signal: AbortSignal): Promise<string[]> {
  if (subject === undefined) return [];
  try {
    await client.records('subject').get(path(subject.type, subject.id), { signal });
    return [];
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'not_found') return [`subject "${subject.type}/${subject.id}"`];
    if (isSilence(error)) return [];
    throw error;
  }
}

async function missingTypes(client: Asking, { subjectTypes = [] }: Asked, signal: AbortSignal) {
  const missing: string[] = [];
  for (const type of subjectTypes) {
    const page = client.records('subject').list({ type }, { signal })[Symbol.asyncIterator]();
    if ((await page.next()).done) missing.push(`subject of the type "${type}"`);
    else await page.return?.();
  }
  return missing;
}
