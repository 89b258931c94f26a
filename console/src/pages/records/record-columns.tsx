import type { Kind } from '@authz-service/sdk/wire';
import type { FoundRecord } from '../../api/answers.js';
import { text } from '../../text/english.js';
import type { Column } from '../../ui/data-table.js';
import { Owner } from '../../ui/owner.js';
import { pathOf, RecordLink } from '../../ui/record-link.js';
import { When } from '../../ui/when.js';
import { FieldValue } from './field-value.js';

/** The fields that a list of the kind shows beside the path, which has the natural key; several may share a column. */
const FIELDS: { readonly [K in Kind]: readonly (string | readonly [title: string, ...fields: string[]])[] } = {
  application: ['description'],
  resource_type: ['actions', 'parents', 'max_age', 'description'],
  resource: ['parents', 'properties', 'description'],
  subject_type: ['properties', 'description'],
  subject: ['name', 'properties'],
  context_attribute: ['type', 'description'],
  directory: ['subject_type', 'id_from', 'description'],
  role: ['includes', 'description'],
  group: ['description'],
  policy: [
    ['effect', 'effect', 'priority'],
    ['covers', 'resource_type', 'resource_types', 'resources', 'actions'],
    'condition',
  ],
  policy_assignment: ['policy', 'entity', 'starts_at', 'expires_at'],
  role_assignment: ['role', 'entity', 'resource', 'expires_at'],
  group_membership: ['group', 'entity', 'expires_at'],
  access_rule: ['mode', 'description'],
  api_key: ['scopes', 'expires_at'],
  oauth_client: ['scopes', 'expires_at'],
};

/** A column for each of these fields that some record of the page has. */
export function columnsOf(kind: Kind, records: readonly FoundRecord[]): Column<FoundRecord>[] {
  const held = FIELDS[kind]
    .map((column) => (typeof column === 'string' ? [column, column] : column))
    .filter(([, ...fields]) => records.some((record) => fields.some((field) => record[field] !== undefined)));
  return [
    { title: text.records.path, cell: ({ address }) => <RecordLink address={address}>{pathOf(address)}</RecordLink> },
    ...held.map(([title = '', ...fields], index) => ({
      title: titleOf(title),
      cell: (record: FoundRecord) =>
        fields.flatMap((field) =>
          record[field] === undefined ? [] : <FieldValue key={field} record={record} field={field} brief />,
        ),
      lesser: index > 1,
    })),
    { title: text.common.owner, cell: ({ managed_by }) => <Owner name={managed_by} />, lesser: true },
    { title: text.common.changed, cell: ({ updated_at }) => <When at={String(updated_at)} />, lesser: true },
  ];
}

/** `Resource types` of `resource_types`. */
export function titleOf(field: string): string {
  const words = field.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
