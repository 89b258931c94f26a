import type { Kind } from './kinds.js';

/** The names in a path, in words for remedies. A leading `[application]` may be absent: a record of the tenant. */
export const PATH_FORMS: Record<Kind, readonly string[]> = {
  application: ['application'],
  resource_type: ['application', 'type'],
  resource: ['application', 'type', 'name'],
  subject_type: ['name'],
  subject: ['type', 'id'],
  context_attribute: ['name'],
  directory: ['name'],
  role: ['[application]', 'role'],
  group: ['group'],
  policy: ['[application]', 'policy'],
  role_assignment: ['role', '', 'holder'],
  policy_assignment: ['policy', '', 'holder'],
  group_membership: ['group', '', 'member'],
  access_rule: ['name'],
  api_key: ['name'],
  oauth_client: ['name'],
};

/** How a path of this kind is written: `APPLICATION/TYPE`. */
export function formText(kind: Kind): string {
  const form = PATH_FORMS[kind];
  const whole = form.map((name) => name.replace(/[[\]]/g, '').toUpperCase()).join('/');
  return form[0] === '[application]' ? `${whole}, or ${form[1]?.toUpperCase()} for one of the tenant` : whole;
}

/** Whether the text has as many names as a path of this kind. */
export function hasForm(kind: Kind, text: string): boolean {
  const [first, ...rest] = PATH_FORMS[kind];
  const count = text.split('/').length;
  return count === rest.length + 1 || (first === '[application]' && count === rest.length);
}
