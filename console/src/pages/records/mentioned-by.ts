import type { Address } from '@authz-service/sdk/wire';
import type { FoundRecord } from '../../api/answers.js';

/** The kinds of records that fields of this name mention by their paths. */
const KIND_OF_FIELD: Readonly<Record<string, string>> = {
  application: 'application',
  resource_type: 'resource_type',
  resource_types: 'resource_type',
  role: 'role',
  includes: 'role',
  policy: 'policy',
  group: 'group',
  resource: 'resource',
};

/** The address of what a field of the record mentions; undefined where its value is no reference. */
export function mentionedBy(record: FoundRecord, field: string, value: string): Address | undefined {
  if (value === '*') return undefined;
  if (field === 'entity')
    return record.entity_type === 'everyone' ? undefined : `${String(record.entity_type)}/${value}`;
  if (record.kind === 'resource' && field === 'type') return `resource_type/${value}`;
  if (record.kind === 'resource' && field === 'parents') return `resource/${value}`;
  const kind = KIND_OF_FIELD[field];
  return kind === undefined ? undefined : `${kind}/${value}`;
}
