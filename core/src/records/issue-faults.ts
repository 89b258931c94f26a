import type * as z from 'zod';
import type { Json } from '../json/json.js';
import { jsonPointer } from '../json/json-pointer.js';
import { JSON_WORDS } from './describe.js';
import { issueText, unknownKeyText } from './issue-text.js';
import { keysAt } from './schema-shape.js';

/** An error at one place in a JSON value: `pointer` is an RFC 6901 JSON pointer. */
export interface Fault {
  pointer: string;
  detail: string;
}

/** The member that holds a credential's secret in bodies: a text about it does not repeat it. */
const SECRET = 'secret';
const UNUSABLE_SECRET = 'is no usable secret: write a string of at most 1024 characters.';

/** All that a schema finds wrong with a JSON value. */
export function issueFaults(schema: z.core.$ZodType, issues: readonly z.core.$ZodIssue[], value: unknown): Fault[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') {
      const secret = issue.path.at(-1) === SECRET;
      const detail = secret ? UNUSABLE_SECRET : issueText(issue, valueAt(value, issue.path), JSON_WORDS);
      return [{ pointer: jsonPointer(...issue.path), detail }];
    }
    const known = keysAt(schema, issue.path) ?? [];
    return issue.keys.map((key) => ({
      pointer: jsonPointer(...issue.path, key),
      detail: unknownKeyText(key, known),
    }));
  });
}

/** Undefined where nothing stands at the path. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): Json | undefined {
  let at = value;
  for (const token of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, token)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[token];
  }
  return at as Json | undefined;
}
