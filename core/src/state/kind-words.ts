import type { Kind } from '../records/kinds.js';

const WORDS: { readonly [K in Kind]: readonly [one: string, many: string] } = {
  application: ['application', 'applications'],
  resource_type: ['resource type', 'resource types'],
  resource: ['resource', 'resources'],
  subject_type: ['subject type', 'subject types'],
  subject: ['subject', 'subjects'],
  context_attribute: ['context attribute', 'context attributes'],
  directory: ['directory', 'directories'],
  role: ['role', 'roles'],
  group: ['group', 'groups'],
  policy: ['policy', 'policies'],
  policy_assignment: ['policy assignment', 'policy assignments'],
  role_assignment: ['role assignment', 'role assignments'],
  group_membership: ['group membership', 'group memberships'],
  access_rule: ['access rule', 'access rules'],
  api_key: ['API key', 'API keys'],
  oauth_client: ['OAuth client', 'OAuth clients'],
};

/** The display name of a kind: `role`, `API key`. */
export function nounOf(kind: Kind): string {
  return WORDS[kind][0];
}

/** A number of records in words: `1 role`, `3 API keys`. */
export function countOf(number: number, kind: Kind): string {
  return `${number} ${WORDS[kind][number === 1 ? 0 : 1]}`;
}

/** A kind at the start of a sentence: `Role`, `API key`. */
export function titleOf(kind: Kind): string {
  const word = nounOf(kind);
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** A kind as a heading of many: `roles`, `API keys`. */
export function pluralOf(kind: Kind): string {
  return WORDS[kind][1];
}
