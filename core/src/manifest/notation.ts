import type * as z from 'zod';
import type { Kind } from '../records/kinds.js';
import { definitionOf } from '../records/registry.js';
import { metaOf, type ReferenceField, referenceFields } from '../records/schema-shape.js';

/** The kinds of record that only join two others. */
export type LinkKind = 'role_assignment' | 'policy_assignment' | 'group_membership';

/** How the key of a mapping names its records: a bare name, `TYPE/ID`, or a name with `type` or `TYPE/NAME`. */
export type KeyForm = 'name' | 'subject' | 'resource';

/**
 * A list on a record that joins it to others: `members` of a group. Items say the end `end`, a field of the link; the
 * record that holds the list is the other end. `item` is the key of that end where an item is a mapping.
 */
export interface LinksNotation {
  kind: LinkKind;
  end: string;
  item: string;
  docs: string;
}

/** A mapping from keys to records of one kind. All fields that are not in the key are read by the kind's schema. */
export interface RecordsNotation {
  kind: Kind;
  key: KeyForm;
  /** The record belongs to the application whose mapping this is in. */
  inApplication: boolean;
  /** Fields of the natural key that stand in the value, not in the key. */
  body: readonly string[];
  links: ReadonlyMap<string, LinksNotation>;
  collections: ReadonlyMap<string, RecordsNotation>;
}

/** A list at the top of a file, of links that stand on no record. `to` is the key of the entity. */
export interface LinkListNotation {
  kind: LinkKind;
  to: string;
}

function records(
  kind: Kind,
  key: KeyForm,
  more: Partial<Pick<RecordsNotation, 'inApplication' | 'body'>> & {
    links?: Record<string, LinksNotation>;
    collections?: RecordsNotation[];
  } = {},
): RecordsNotation {
  const { links = {}, collections = [], inApplication = false, body = [] } = more;
  return {
    kind,
    key,
    inApplication,
    body,
    links: new Map(Object.entries(links)),
    collections: byYamlName(collections),
  };
}

function byYamlName(collections: RecordsNotation[]): ReadonlyMap<string, RecordsNotation> {
  return new Map(collections.map((notation) => [definitionOf(notation.kind).yaml, notation]));
}

const roleHolders: LinksNotation = {
  kind: 'role_assignment',
  end: 'entity',
  item: 'to',
  docs: 'The subjects and groups that hold the role.',
};
const policyHolders: LinksNotation = {
  kind: 'policy_assignment',
  end: 'entity',
  item: 'to',
  docs: 'The roles, groups and subjects that the policy is assigned to.',
};
const members: LinksNotation = {
  kind: 'group_membership',
  end: 'entity',
  item: 'member',
  docs: 'The subjects and groups in the group.',
};
const heldRoles: LinksNotation = { kind: 'role_assignment', end: 'role', item: 'role', docs: 'The roles it holds.' };
const ownPolicies: LinksNotation = {
  kind: 'policy_assignment',
  end: 'policy',
  item: 'policy',
  docs: 'The policies assigned to it.',
};
const groups: LinksNotation = { kind: 'group_membership', end: 'group', item: 'group', docs: 'The groups it is in.' };

const roleLinks = { assigned_to: roleHolders, policies: ownPolicies };
const policyLinks = { assigned_to: policyHolders };

/** The mappings at the top of a file. */
export const COLLECTIONS = byYamlName([
  records('application', 'name', {
    collections: [
      records('resource_type', 'name', { inApplication: true }),
      records('resource', 'resource', { inApplication: true, body: ['type'] }),
      records('role', 'name', { inApplication: true, links: roleLinks }),
      records('policy', 'name', { inApplication: true, links: policyLinks }),
    ],
  }),
  records('role', 'name', { links: roleLinks }),
  records('policy', 'name', { links: policyLinks }),
  records('group', 'name', { links: { members, roles: heldRoles, policies: ownPolicies } }),
  records('subject_type', 'name'),
  records('context_attribute', 'name'),
  records('directory', 'name'),
  records('subject', 'subject', { links: { roles: heldRoles, groups, policies: ownPolicies } }),
  records('access_rule', 'name'),
  records('api_key', 'name'),
  records('oauth_client', 'name'),
]);

/** The lists at the top of a file. */
export const LINK_LISTS: ReadonlyMap<string, LinkListNotation> = new Map(
  (
    [
      { kind: 'role_assignment', to: 'to' },
      { kind: 'policy_assignment', to: 'to' },
      { kind: 'group_membership', to: 'member' },
    ] as const
  ).map((notation) => [definitionOf(notation.kind).yaml, notation]),
);

/** The single values at the top of a file. */
export const SETTINGS = {
  version: 'The version of this notation: 1. At least one file says it.',
  tenant: 'The only tenant that this tree may be applied to.',
  stack: 'The owner of what this tree declares; `default` unless said.',
  defaults: 'What holds for all that this tree declares and that does not say it itself.',
  variables: 'Typed values that environments give. `var.NAME` stands for one in a condition.',
} as const;

/** The other lists at the top of a file. */
export const ADDRESS_LISTS = {
  moved: 'Renamed records: each keeps its id, and whatever mentions it follows.',
  external: 'Addresses of records that another stack declares and this tree mentions.',
} as const;

/** Facts about a kind's schema that readers need, computed once. */
export interface KindFields {
  /** Fields that may be written beside a key or in a link's long form. */
  plain: readonly string[];
  /** Fields of a link's natural key that are no end of it, and may be written in its long form: `resource`. */
  places: readonly string[];
  /** The keys of the plain fields that YAML names otherwise, by field. */
  renamed: ReadonlyMap<string, string>;
  /** The fields of the natural key. */
  keys: readonly { name: string; optional: boolean }[];
  references: readonly ReferenceField[];
}

const fieldsOfKind = new Map<Kind, KindFields>();

export function fieldsOf(kind: Kind): KindFields {
  let found = fieldsOfKind.get(kind);
  if (found === undefined) {
    const { shape } = definitionOf(kind).schema;
    const plain: string[] = [];
    const renamed = new Map<string, string>();
    const keys: { name: string; optional: boolean }[] = [];
    for (const [name, field] of Object.entries(shape) as [string, z.core.$ZodType][]) {
      const { key, yaml } = metaOf(field);
      if (yaml !== undefined) renamed.set(name, yaml);
      if (key) keys.push({ name, optional: field._zod.optin === 'optional' });
      else plain.push(name);
    }
    const places = isLink(kind) ? keys.flatMap(({ name, optional }) => (optional ? [name] : [])) : [];
    found = { plain, renamed, places, keys, references: referenceFields(definitionOf(kind).schema) };
    fieldsOfKind.set(kind, found);
  }
  return found;
}

/** The keys that a record of the kind may have beside those of its natural key. */
export function keysOf({ kind, links, body = [] }: Pick<RecordsNotation, 'kind'> & Partial<RecordsNotation>): string[] {
  const { plain, renamed } = fieldsOf(kind);
  return [...body, ...plain.map((name) => renamed.get(name) ?? name), ...(links?.keys() ?? [])];
}

function isLink(kind: Kind): boolean {
  return LINK_LISTS.has(definitionOf(kind).yaml);
}

/** The field of a link that holds the path of what is given: `role`, `policy`, `group`. */
export function givenField(kind: LinkKind): 'role' | 'policy' | 'group' {
  return kind === 'role_assignment' ? 'role' : kind === 'policy_assignment' ? 'policy' : 'group';
}
