import { COLLECTIONS } from '@authz-service/sdk/generated/record-types';
import type { Kind } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import type { FieldSchema } from './field-schema.js';

export interface RecordSchema {
  required: string[];
  fields: [name: string, schema: FieldSchema][];
}

interface Reference {
  components: {
    schemas: Record<string, { required?: string[]; properties: Record<string, FieldSchema & { $ref?: string }> }>;
  };
}

/**
 * The fields of a new record of the kind, out of the API's own reference: a field that is added there appears in the form
 * by itself. Ids stand for paths and are left out.
 */
export function useRecordSchema(kind: Kind) {
  return useQuery({
    queryKey: ['openapi'],
    queryFn: async ({ signal }) => {
      const answer = await fetch('/openapi.json', { signal });
      if (!answer.ok) throw new Error(`the reference was answered with ${answer.status}`);
      return (await answer.json()) as Reference;
    },
    staleTime: Number.POSITIVE_INFINITY,
    select: ({ components: { schemas } }): RecordSchema => {
      const { required = [], properties = {} } = schemas[`New${schemaName(kind)}`] ?? {};
      const names = Object.keys(properties);
      const fields = names
        .filter((name) => !(name.endsWith('_id') && names.includes(name.slice(0, -3))))
        .map((name): [string, FieldSchema] => [name, properties[name] ?? {}]);
      return { required, fields };
    },
  });
}

/** `PolicyAssignment` of `policy_assignment`. */
function schemaName(kind: Kind): string {
  return kind
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** The kinds that a draft can change: credentials are made in the settings, where their secrets are shown once. */
export const DRAFTED_KINDS = (Object.keys(COLLECTIONS) as Kind[]).filter(
  (kind) => kind !== 'api_key' && kind !== 'oauth_client',
);
