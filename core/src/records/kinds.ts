/**
 * Every kind of record in the order of dependency: a kind refers only to kinds before it (or, for groups' members,
 * to its own). Creations walk the list forwards, deletions backwards.
 */
export const KINDS = [
  'application',
  'resource_type',
  'resource',
  'subject_type',
  'subject',
  'context_attribute',
  'directory',
  'role',
  'group',
  'policy',
  'policy_assignment',
  'role_assignment',
  'group_membership',
  'access_rule',
  'api_key',
  'oauth_client',
] as const;

export type Kind = (typeof KINDS)[number];

/** The plural of each kind, used in URLs (`/v1/role-assignments`) and in names of files. */
export const COLLECTIONS: { readonly [K in Kind]: string } = {
  application: 'applications',
  resource_type: 'resource-types',
  resource: 'resources',
  subject_type: 'subject-types',
  subject: 'subjects',
  context_attribute: 'context-attributes',
  directory: 'directories',
  role: 'roles',
  group: 'groups',
  policy: 'policies',
  policy_assignment: 'policy-assignments',
  role_assignment: 'role-assignments',
  group_membership: 'group-memberships',
  access_rule: 'access-rules',
  api_key: 'api-keys',
  oauth_client: 'oauth-clients',
};

/** Kinds whose records are credentials: they take the scope `credentials`, and are in no bundle and no digest. */
export const CREDENTIAL_KINDS = ['api_key', 'oauth_client'] as const satisfies readonly Kind[];

const rank = new Map<string, number>(KINDS.map((kind, index) => [kind, index]));

export function isKind(text: string): text is Kind {
  return rank.has(text);
}

export function isCredential(kind: Kind): boolean {
  return kind === 'api_key' || kind === 'oauth_client';
}

const UNDISTRIBUTED: ReadonlySet<Kind> = new Set(['directory', 'access_rule', ...CREDENTIAL_KINDS]);

/** The schemas that are in bundles only if they say one of these: agents need to know it. */
const DISTRIBUTED_BY: { readonly [K in Kind]?: readonly string[] } = {
  subject_type: ['from_requests', 'sensitive'],
  context_attribute: ['sensitive'],
};

/** Whether only some records of the kind are in bundles and digests, and others become so by a change. */
export function isSometimesDistributed(kind: Kind): boolean {
  return DISTRIBUTED_BY[kind] !== undefined;
}

/**
 * Whether decisions, or what is logged of them, follow from a record. Access rules, credentials, directories and schemas are not of that
 * kind: they are in no bundle and no digest. A schema is, if it says what requests may send, or what is sensitive.
 */
export function isDistributed({ kind, fields }: { readonly kind: Kind; readonly fields: object }): boolean {
  return mayBeDistributed(kind) && (DISTRIBUTED_BY[kind]?.some((field) => field in fields) ?? true);
}

/** The fields of a record that decisions follow from, besides notes for people: those in bundles and digests. */
export function distributedFields<F extends object>(kind: Kind, fields: F): F {
  if (kind !== 'resource_type' || !('filterable' in fields)) return fields;
  const { filterable: _, ...rest } = fields;
  return rest as F;
}

/** Whether a record of the kind may be one that decisions follow from. */
export function mayBeDistributed(kind: Kind): boolean {
  return !UNDISTRIBUTED.has(kind);
}

/** The place of a kind in the order of dependency, from 0. */
export function kindRank(kind: Kind): number {
  return rank.get(kind) ?? KINDS.length;
}
