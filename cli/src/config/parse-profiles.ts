import type { ProblemItem } from '@authz-service/core/problem';
import { YAML_WORDS } from '@authz-service/core/records/describe';
import { valueAt } from '@authz-service/core/records/issue-faults';
import { issueText } from '@authz-service/core/records/issue-text';
import { nearest } from '@authz-service/core/text/nearest';
import { type Document, isMap, LineCounter, type Node, parseDocument } from 'yaml';
import * as z from 'zod';
import { entryFault, type ProfileEntry, profileFaults } from './profiles.js';

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
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw profileFaults(
      path,
      document.errors.map((error) => ({ pointer: at(error.pos[0]), detail: error.message.split('\n')[0] ?? '' })),
    );
  }
  const value: unknown = document.toJS({ maxAliasCount: 20 }) ?? { profiles: {} };
  const parsed = fileSchema.safeParse(value);
  const place = (keys: PropertyKey[]): string => at(offsetOf(document, keys));
  if (!parsed.success) {
    throw profileFaults(
      path,
      parsed.error.issues.flatMap((issue) => issueItems(issue, value, place)),
    );
  }
  const faults: ProblemItem[] = [];
  const profiles = new Map(Object.entries(parsed.data.profiles));
  // Schemas drop this key.
  if (Object.hasOwn((value as { profiles: object }).profiles, '__proto__'))
    faults.push({ pointer: place(['profiles', '__proto__']), detail: NO_NAME });
  for (const [name, entry] of profiles) {
    const fault = entryFault(entry);
    if (fault === undefined) continue;
    const keys = ['profiles', name, ...(fault.key === undefined ? [] : [fault.key])];
    faults.push({ pointer: place(keys), detail: `${fault.key ?? `the profile "${name}"`} ${fault.detail}` });
  }
  if (faults.length > 0) throw profileFaults(path, faults);
  return profiles;
}

function issueItems(issue: z.core.$ZodIssue, value: unknown, place: (keys: PropertyKey[]) => string): ProblemItem[] {
  if (issue.code !== 'unrecognized_keys') {
    const key = issue.path.at(-1);
    const text = issueText(issue, valueAt(value, issue.path), YAML_WORDS).replace(/\.$/, '');
    return [{ pointer: place(issue.path), detail: `${key === undefined ? 'the file' : String(key)}: ${text}` }];
  }
  const known = Object.keys(issue.path.length === 0 ? fileSchema.shape : entrySchema.shape);
  return issue.keys.map((key) => {
    const meant = nearest(key, known);
    const remedy = meant === undefined ? `known here: ${known.join(', ')}` : `did you mean "${meant}"?`;
    return { pointer: place([...issue.path, key]), detail: `unknown key "${key}": ${remedy}` };
  });
}

/** The offset of the key at the end of a path, or of the deepest existing part of the path. */
function offsetOf(document: Document.Parsed, keys: PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of keys) {
    if (!isMap(node)) break;
    const pair = node.items.find((item) => String((item.key as { value?: unknown }).value) === String(key));
    if (pair === undefined) break;
    offset = (pair.key as Node).range?.[0] ?? offset;
    node = pair.value;
  }
  return offset;
}
