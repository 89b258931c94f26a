import type { ProblemItem } from '@authz-service/core/problem';
import * as z from 'zod';
import { entryFault, type ProfileEntry } from './profiles.js';
import { configFaults, readYamlConfig } from './yaml-config.js';

const text = z.string().min(1, 'must not be empty');
const entrySchema = z.strictObject({
  url: text.optional(),
  client_id: text.optional(),
  client_secret: text.optional(),
  client_secret_file: text.optional(),
  api_key: text.optional(),
  api_key_file: text.optional(),
});
const fileSchema = z.strictObject({ profiles: z.record(text, entrySchema) });

/** The text about the only name that no profile can have. */
export const NO_NAME = '"__proto__" is no name of a profile: choose another';

/**
 * The profiles that the text of a configuration file declares. Throws `invalid_config` with every fault at its place.
 */
export function parseProfiles(path: string, source: string): ReadonlyMap<string, ProfileEntry> {
  const { data, value, place } = readYamlConfig(path, source, fileSchema, { profiles: {} });
  const faults: ProblemItem[] = [];
  const profiles = new Map(Object.entries(data.profiles));
  // Schemas drop this key.
  if (Object.hasOwn((value as { profiles: object }).profiles, '__proto__'))
    faults.push({ pointer: place(['profiles', '__proto__']), detail: NO_NAME });
  for (const [name, entry] of profiles) {
    const fault = entryFault(entry);
    if (fault === undefined) continue;
    const keys = ['profiles', name, ...(fault.key === undefined ? [] : [fault.key])];
    faults.push({ pointer: place(keys), detail: `${fault.key ?? `the profile "${name}"`} ${fault.detail}` });
  }
  if (faults.length > 0) throw configFaults(path, faults);
  return profiles;
}
