import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import { YAML_WORDS } from '@authz-service/core/records/describe';
import { valueAt } from '@authz-service/core/records/issue-faults';
import { issueText } from '@authz-service/core/records/issue-text';
import { nearest } from '@authz-service/core/text/nearest';
import { type Document, isMap, LineCounter, type Node, parseDocument } from 'yaml';
import * as z from 'zod';

/** A configuration file that fits its schema. */
interface YamlConfig<T> {
  data: T;
  /** The contents before the schema took them. */
  value: unknown;
  /** The place of the key at the end of a path, as `FILE:LINE:COLUMN`. */
  place(keys: readonly PropertyKey[]): string;
}

/** Reads the text of a configuration file; `empty` stands for one without contents. Throws `invalid_config` with every fault at its place. */
export function readYamlConfig<T>(
  path: string,
  source: string,
  schema: z.ZodType<T>,
  empty: unknown = {},
): YamlConfig<T> {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw configFaults(
      path,
      document.errors.map((error) => ({ pointer: at(error.pos[0]), detail: error.message.split('\n')[0] ?? '' })),
    );
  }
  const value: unknown = document.toJS({ maxAliasCount: 20 }) ?? empty;
  const parsed = schema.safeParse(value);
  const place = (keys: readonly PropertyKey[]): string => at(offsetOf(document, keys));
  if (parsed.success) return { data: parsed.data, value, place };
  throw configFaults(
    path,
    parsed.error.issues.flatMap((issue) => issueItems(issue, { value, place, schema })),
  );
}

export function configFaults(path: string, items: ProblemItem[]): ProblemError {
  return new ProblemError('invalid_config', `"${path}" has faults.`, items);
}

function issueItems(
  issue: z.core.$ZodIssue,
  { value, place, schema }: { value: unknown; place: (keys: PropertyKey[]) => string; schema: z.ZodType },
): ProblemItem[] {
  if (issue.code !== 'unrecognized_keys') {
    const key = issue.path.at(-1);
    const text = issueText(issue, valueAt(value, issue.path), YAML_WORDS).replace(/\.$/, '');
    return [{ pointer: place(issue.path), detail: `${key === undefined ? 'the file' : String(key)}: ${text}` }];
  }
  const known = keysAt(schema, issue.path);
  return issue.keys.map((key) => {
    const meant = nearest(key, known);
    const remedy = meant === undefined ? `known here: ${known.join(', ')}` : `did you mean "${meant}"?`;
    return { pointer: place([...issue.path, key]), detail: `unknown key "${key}": ${remedy}` };
  });
}

/** The keys that an object at a path may have. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: z.core.$ZodType | undefined = schema;
  for (const key of [...path, undefined]) {
    while (at instanceof z.ZodOptional || at instanceof z.ZodDefault) at = at.def.innerType;
    if (key === undefined) break;
    if (at instanceof z.ZodRecord) at = at.def.valueType;
    else at = at instanceof z.ZodObject ? at.shape[String(key)] : undefined;
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** The offset of the key at the end of a path, or of the deepest existing part of the path. */
function offsetOf(document: Document.Parsed, keys: readonly PropertyKey[]): number {
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
