import { type EntityKind, entityText } from '@authz-service/core/records/entity-text';
import type { FoundEntity } from '@authz-service/sdk/question';
import { integer } from '@oclif/core/flags';
import { printable } from '../output/text.js';

export const limitFlag = {
  limit: integer({ description: 'Stop after this many results.', helpValue: 'N', min: 1 }),
};

/** The results of the searches, one after the other, up to `limit`. */
export async function taken<T>(searches: Iterable<AsyncIterable<T>>, limit = Number.POSITIVE_INFINITY): Promise<T[]> {
  const results: T[] = [];
  for (const search of searches) {
    for await (const result of search) {
      if (results.push(result) >= limit) return results;
    }
  }
  return results;
}

/** One line per result, in the form of flags and arguments: "user:alice". */
export function shownEntities(kind: EntityKind, results: readonly FoundEntity[]): string | undefined {
  return results.length === 0 ? undefined : results.map((one) => shownEntity(kind, one)).join('\n');
}

export function shownEntity(kind: EntityKind, { type, id }: FoundEntity): string {
  return printable(entityText(kind, { type, name: id }));
}
