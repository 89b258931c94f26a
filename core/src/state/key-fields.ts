import { ProblemError } from '../problem.js';
import { type Address, decodeSegment, splitAddress } from '../records/address.js';
import type { Kind } from '../records/kinds.js';

/** The fields that make up a kind's path, in order; of several forms the one with as many segments. */
const FORMS: { readonly [K in Kind]?: readonly (readonly string[])[] } = {
  application: [['name']],
  subject_type: [['name']],
  subject: [['type', 'id']],
  context_attribute: [['name']],
  directory: [['name']],
  role: [['name'], ['application', 'name']],
  group: [['name']],
  policy: [['name'], ['application', 'name']],
  resource_type: [['application', 'name']],
  access_rule: [['name']],
  api_key: [['name']],
  oauth_client: [['name']],
};

const LINK_ENDS: { readonly [K in Kind]?: string } = {
  policy_assignment: 'policy',
  role_assignment: 'role',
  group_membership: 'group',
};

/**
 * The key fields that give a record of this kind this address; one that the address leaves out is undefined. Throws
 * `invalid_address` where no record of the kind can have it.
 */
export function keyFieldsOf(address: Address): Record<string, string | undefined> {
  const { kind, path } = splitAddress(address);
  const end = LINK_ENDS[kind];
  if (end !== undefined) return linkFields(address, end, path);
  const segments = path.split('/');
  if (segments.includes('')) throw malformed(address);
  if (kind === 'resource') {
    if (segments.length !== 3) throw malformed(address);
    return { type: segments.slice(0, 2).join('/'), name: decodeSegment(segments[2] ?? '') };
  }
  const form = FORMS[kind]?.find((fields) => fields.length === segments.length);
  if (!form) throw malformed(address);
  const fields: Record<string, string | undefined> =
    kind === 'role' || kind === 'policy' ? { application: undefined } : {};
  form.forEach((field, index) => {
    const segment = segments[index] ?? '';
    fields[field] = field === 'application' ? segment : decodeSegment(segment);
  });
  return fields;
}

function linkFields(address: Address, end: string, path: string): Record<string, string | undefined> {
  const [left, right, place, ...more] = path.split('//');
  const slash = right?.indexOf('/') ?? -1;
  if (!left || !right || slash < 1 || slash === right.length - 1 || more.length > 0) throw malformed(address);
  const fields = { [end]: left, entity_type: right.slice(0, slash), entity: right.slice(slash + 1) };
  if (end !== 'role') {
    if (place !== undefined) throw malformed(address);
    return fields;
  }
  if (place === '') throw malformed(address);
  return { ...fields, resource: place };
}

function malformed(address: Address): ProblemError {
  return new ProblemError(
    'invalid_address',
    `"${address}" is not an address: write the kind and its names, like "role/billing/accountant" or "subject/user/alice".`,
  );
}
