import { KINDS, type Kind } from '@authz-service/core/records/kinds';
import { nearest } from '@authz-service/core/text/nearest';
import { UsageError } from '../errors/usage-error.js';

/** "role", "roles", "resource-types", "policies": the ways to write a kind. */
const SPELLINGS: ReadonlyMap<string, Kind> = new Map(
  KINDS.flatMap((kind) =>
    [kind, plural(kind)].flatMap((word) => [word, word.replaceAll('_', '-')].map((text) => [text, kind] as const)),
  ),
);

/** The kind that a word means. Throws `UsageError` naming the most similar one, or all. */
export function kindOf(word: string): Kind {
  const kind = SPELLINGS.get(word.toLowerCase());
  if (kind !== undefined) return kind;
  const meant = nearest(word.toLowerCase(), SPELLINGS.keys());
  const remedy =
    meant === undefined
      ? `Kinds are: ${KINDS.map((known) => plural(known).replaceAll('_', '-')).join(', ')}.`
      : `Did you mean "${meant}"?`;
  throw new UsageError(`"${word}" is not a kind of record. ${remedy}`);
}

export function plural(kind: Kind): string {
  return kind === 'policy' ? 'policies' : `${kind}s`;
}

/** "role/billing/accountant" as one argument names both the kind and the record. */
export function splitTarget(word: string): { kind: Kind; path?: string } {
  const slash = word.indexOf('/');
  const kind = SPELLINGS.get(word.slice(0, Math.max(0, slash)).toLowerCase());
  if (kind !== undefined && slash < word.length - 1) return { kind, path: word.slice(slash + 1) };
  return { kind: kindOf(word) };
}
