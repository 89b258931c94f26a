import type { Kind } from '@authz-service/core/records/kinds';
import type { WireRecord } from '@authz-service/sdk/wire';
import type { Style } from '../output/terminal.js';
import { printable } from '../output/text.js';

/** A record of any kind, for code that shows all kinds alike. */
type AnyRecord = { [field: string]: unknown } & Pick<WireRecord, 'id' | 'address' | 'managed_by' | 'updated_at'>;

/** What a list shows of each kind between the path and the owner. */
const COLUMNS: { [K in Kind]: readonly string[] } = {
  application: ['description'],
  resource_type: ['actions', 'properties'],
  resource: ['properties'],
  subject: ['name', 'properties'],
  role: ['description'],
  group: ['description'],
  policy: ['effect', 'priority', 'covers', 'condition'],
  policy_assignment: ['expires_at'],
  role_assignment: ['expires_at'],
  group_membership: ['expires_at'],
  api_key: ['scopes', 'expires_at'],
  oauth_client: ['id', 'scopes'],
};

export function headings(kind: Kind): string[] {
  return ['path', ...COLUMNS[kind], 'managed by'].map((word) => word.replaceAll('_', ' ').toUpperCase());
}

export function row(kind: Kind, record: AnyRecord): string[] {
  const path = record.address.slice(kind.length + 1);
  return [
    path,
    ...COLUMNS[kind].map((column) => cell(column === 'covers' ? covered(record) : record[column])),
    record.managed_by,
  ];
}

function covered({ resource_type, actions, resources }: AnyRecord): string {
  if (resource_type !== undefined) return `${cell(actions)} on ${cell(resource_type)}`;
  const list = (resources ?? []) as { resource: string; actions: string[] }[];
  return list.map((item) => `${cell(item.actions)} on ${item.resource}`).join('; ');
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cell).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** One record, a field a line; what is empty is left out. */
export function renderRecord(record: AnyRecord, style: Style): string {
  const { address, ...rest } = record;
  const entries = Object.entries(rest).filter(([name, value]) => value !== undefined && name !== 'kind');
  const column = Math.max(...entries.map(([name]) => name.length));
  const lines = entries.map(([name, value]) => `  ${name.padEnd(column)}  ${printable(cell(value))}`);
  return [style.bold(printable(address)), ...lines].join('\n');
}
