import {
  type EntityKind,
  EntityTextError,
  entityPath,
  readEntityText,
  readingsOf,
} from '@authz-service/core/records/entity-text';

type Filled = { mode: string; subject: string; resource: string };

/**
 * The question with its subject and resource as paths, however they were written: `user:alice`, `billing/invoice:INV-1`. Where a
 * resource may mean several, the type that `types` has is meant. A text that names nothing, or may name several, stays.
 */
export function withPaths<T extends Filled>(asked: T, types?: ReadonlySet<string>): T {
  const { mode, subject, resource } = asked;
  return {
    ...asked,
    ...(mode !== 'who' && { subject: pathOf('subject', subject) }),
    ...(mode !== 'what' && { resource: pathOf('resource', resource, types) }),
  };
}

/** The types that decide what the resource of a question means; none where that is plain. */
export function typesInQuestion({ mode, resource }: Filled): string[] {
  const readings = mode === 'what' ? [] : readingsOf('resource', resource);
  return readings.length < 2 ? [] : readings.map(({ type }) => type);
}

function pathOf(kind: EntityKind, text: string, types?: ReadonlySet<string>): string {
  try {
    return entityPath(kind, readEntityText(kind, text, types && (({ type }) => types.has(type))));
  } catch (error) {
    if (error instanceof EntityTextError) return text;
    throw error;
  }
}
