import { RULE_FORMS } from '@authz-service/core/records/access-rule';
import { isCredential, type Kind } from '@authz-service/core/records/kinds';
import type { WireRecord } from '@authz-service/sdk/wire';
import type { Style } from '../output/terminal.js';
import { moment, printable } from '../output/text.js';

/** A record of any kind, for code that shows all kinds alike. */
type AnyRecord = { [field: string]: unknown } & Pick<WireRecord, 'id' | 'address' | 'managed_by' | 'updated_at'>;

/** Columns of a list by kind, between the path and the owner. */
const COLUMNS: { [K in Kind]: readonly string[] } = {
  application: ['description'],
  resource_type: ['actions', 'properties'],
  resource: ['properties'],
  subject_type: ['properties', 'description'],
  subject: ['name', 'properties', 'suspended'],
  context_attribute: ['type', 'description'],
  directory: ['subject_type', 'id_from', 'description'],
  role: ['description'],
  group: ['description'],
  policy: ['effect', 'priority', 'covers', 'condition'],
  policy_assignment: ['starts_at', 'expires_at'],
  role_assignment: ['starts_at', 'expires_at'],
  group_membership: ['starts_at', 'expires_at'],
  access_rule: ['says', 'mode', 'suspended_until'],
  api_key: ['id', 'scopes', 'expires_at', 'last_used_at'],
  oauth_client: ['id', 'scopes', 'last_used_at'],
};

/** The headings of the columns that `row` returns; the owner is the last. */
export function headings(kind: Kind): string[] {
  return [isCredential(kind) ? 'name' : 'path', ...COLUMNS[kind], 'managed by'].map((word) =>
    word.replaceAll('_', ' ').toUpperCase(),
  );
}

export function row(kind: Kind, record: AnyRecord): string[] {
  const path = record.address.slice(kind.length + 1);
  return [path, ...COLUMNS[kind].map((column) => CELLS[column]?.(record) ?? cell(record[column])), record.managed_by];
}

/** Columns that are not simply a field. */
const CELLS: Record<string, (record: AnyRecord) => string> = {
  covers: covered,
  starts_at: ({ starts_at }) => {
    if (typeof starts_at !== 'string') return '';
    return `${moment(starts_at)}${Date.parse(starts_at) > Date.now() ? ' (to come)' : ''}`;
  },
  expires_at: ({ expires_at }) => {
    if (typeof expires_at !== 'string') return '';
    return `${moment(expires_at)}${Date.parse(expires_at) <= Date.now() ? ' (expired)' : ''}`;
  },
  suspended: ({ suspended, suspended_until: until }) => {
    if (suspended === true) return 'yes';
    return typeof until === 'string' && Date.parse(until) > Date.now() ? `until ${moment(until)}` : '';
  },
  last_used_at: ({ last_used_at }) => (typeof last_used_at === 'string' ? moment(last_used_at) : ''),
  says: ruled,
  scopes: ({ scopes, operator }) => cell(operator === true ? [...(scopes as string[]), 'operator'] : scopes),
};

function covered({ resource_type, resource_types, actions, resources }: AnyRecord): string {
  const types = resource_type ?? resource_types;
  if (types !== undefined) return `${cell(actions)} on ${cell(types)}`;
  const list = (resources ?? []) as { resource: string; actions: string[] }[];
  return list.map((item) => `${cell(item.actions)} on ${item.resource}`).join('; ');
}

function ruled(record: AnyRecord): string {
  const form = RULE_FORMS.find((one) => record[one] !== undefined && record[one] !== null);
  return form === undefined ? '' : `${form} ${cell((record[form] as { actions: string[] }).actions)}`;
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cell).join(', ');
  if (typeof value !== 'object') return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${memberText(member)}`);
  return members.join(', ');
}

/** Plain words need no quotes. */
function memberText(member: unknown): string {
  return typeof member === 'string' && /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(member) ? member : JSON.stringify(member);
}

/** One record, one field per line; empty fields are omitted. */
export function renderRecord(record: AnyRecord, style: Style): string {
  const { address, ...rest } = record;
  const entries = Object.entries(rest).filter(([name, value]) => value !== undefined && name !== 'kind');
  const column = Math.max(...entries.map(([name]) => name.length));
  const lines = entries.map(([name, value]) => `  ${name.padEnd(column)}  ${printable(cell(value))}`);
  return [style('bold', printable(address)), ...lines].join('\n');
}
