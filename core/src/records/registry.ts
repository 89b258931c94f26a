import type * as z from 'zod';
import { accessRule } from './access-rule.js';
import { type Address, address } from './address.js';
import { apiKey } from './api-key.js';
import { application } from './application.js';
import { contextAttribute } from './context-attribute.js';
import type { KindDefinition, Reference } from './definition.js';
import { directory } from './directory.js';
import { group } from './group.js';
import { groupMembership } from './group-membership.js';
import type { Kind } from './kinds.js';
import { oauthClient } from './oauth-client.js';
import { policy } from './policy.js';
import { policyAssignment } from './policy-assignment.js';
import { resource } from './resource.js';
import { resourceType } from './resource-type.js';
import { role } from './role.js';
import { roleAssignment } from './role-assignment.js';
import { subject } from './subject.js';
import { subjectType } from './subject-type.js';

/** Every kind's definition. To add a kind, add it to `KINDS` and `COLLECTIONS` and here; all notations follow. */
export const definitions = {
  application,
  resource_type: resourceType,
  resource,
  subject_type: subjectType,
  subject,
  context_attribute: contextAttribute,
  directory,
  role,
  group,
  policy,
  policy_assignment: policyAssignment,
  role_assignment: roleAssignment,
  group_membership: groupMembership,
  access_rule: accessRule,
  api_key: apiKey,
  oauth_client: oauthClient,
} as const satisfies { [K in Kind]: unknown };

/** The normalized fields of a kind. */
export type Fields<K extends Kind = Kind> = { [P in K]: z.output<(typeof definitions)[P]['schema']> }[K];

/** The fields of a kind as a caller may write them: what has a default may be left out. */
export type FieldsInput<K extends Kind = Kind> = { [P in K]: z.input<(typeof definitions)[P]['schema']> }[K];

/** A record as declared: nothing of the server's. */
export type DeclaredRecord<K extends Kind = Kind> = {
  [P in K]: { kind: P; address: Address; fields: Fields<P> };
}[K];

/** A record as the cloud keeps it. */
export type StoredRecord<K extends Kind = Kind> = DeclaredRecord<K> & {
  /** UUID; of an OAuth client, the client id; of a subject, its path `type/id`. */
  id: string;
  /** The stack that owns the record: the name of a Git tree or a Terraform stack, or `api`. */
  managed_by: string;
  /** RFC 3339, UTC. */
  created_at: string;
  updated_at: string;
  /** The number of the revision that last changed the record; the ETag of a single read. */
  revision: number;
};

/** A definition without its kind's own field types, for code that treats all kinds alike. */
export function definitionOf(kind: Kind): KindDefinition {
  return definitions[kind] as unknown as KindDefinition;
}

/** The address of a record with these normalized fields. */
export function addressOf(kind: Kind, fields: Record<string, unknown>): Address {
  return address(kind, definitionOf(kind).path(fields));
}

/** Every record that one with these normalized fields needs to exist. */
export function referencesOf(kind: Kind, fields: Record<string, unknown>): Reference[] {
  return definitionOf(kind).references(fields);
}

/** A declared record from normalized fields. */
export function declare<K extends Kind>(kind: K, fields: Fields<K>): DeclaredRecord<K> {
  return { kind, address: addressOf(kind, fields), fields } as unknown as DeclaredRecord<K>;
}
