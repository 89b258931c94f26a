import type { DeclaredRecord, Fields } from '../records/registry.js';
import { equalJson } from './equal-json.js';

/** Whether a change of a record touches nothing but the suspension of a subject. */
export function onlySuspends(before: DeclaredRecord, after: DeclaredRecord['fields']): boolean {
  return before.kind === 'subject' && equalJson(unsuspended(before.fields), unsuspended(after as Fields<'subject'>));
}

function unsuspended(fields: Fields<'subject'>): Fields<'subject'> {
  const { suspended: _, suspended_until: __, suspension_reason: ___, ...others } = fields;
  return others;
}
