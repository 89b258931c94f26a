import type { FoundRecord } from '../api/answers.js';

const SET_BY_SERVICE = ['id', 'kind', 'address', 'managed_by', 'created_at', 'updated_at', 'revision', 'operator'];

/** The fields of a record that somebody declared: without what the service sets, and the ids that stand beside paths. */
export function declaredFields(record: FoundRecord): Record<string, unknown> {
  const entries = Object.entries(record).filter(([name, value]) => {
    if (name === 'id') return record.kind === 'subject';
    return value !== undefined && !SET_BY_SERVICE.includes(name) && !isIdBesidePath(name, record);
  });
  // The application of a resource follows from its type.
  return Object.fromEntries(entries.filter(([name]) => name !== 'application' || record.kind !== 'resource'));
}

function isIdBesidePath(name: string, record: FoundRecord): boolean {
  return name.endsWith('_id') && name.slice(0, -3) in record;
}
