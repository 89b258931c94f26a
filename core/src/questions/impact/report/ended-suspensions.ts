import { activityOf } from '../../../access/grants/period.js';
import type { TenantSide } from '../../../access/universe/side.js';
import { splitAddress } from '../../../records/address.js';
import type { Fields } from '../../../records/registry.js';
import { plural } from './phrase.js';

const NAMED_MAX = 3;

/**
 * Subjects that are suspended no longer, or not as long, as a gap: findings look at roles that requests name for subjects
 * without a record alone (docs/semantics.md 10.12). None where requests can name no role.
 */
export function endedSuspensions(before: TenantSide, after: TenantSide, now: number): string[] {
  const since = new Map<string, number>();
  for (const { kind, address: at, fields } of before.records) {
    const start = kind === 'subject' ? activeFrom(fields as Fields<'subject'>, now) : now;
    if (start > now) since.set(at, start);
  }
  if (since.size === 0) return [];
  const roles: string[] = [];
  for (const { kind, address: at, fields } of after.records) {
    if (kind === 'role' && (fields as Fields<'role'>).from_requests !== false) roles.push(at);
    if (kind === 'subject' && activeFrom(fields as Fields<'subject'>, now) >= (since.get(at) ?? 0)) since.delete(at);
  }
  if (since.size === 0 || roles.length === 0) return [];
  const subjects = [...since.keys()].map((at) => splitAddress(at).path);
  return [
    `${listed(subjects, 'subject')} ${since.size === 1 ? 'is' : 'are'} suspended no longer, or not as long, and what requests get then by naming ${listed(roles, 'role')} for such subjects was not looked at.`,
  ];
}

/** When a subject may act from `now` on: infinity for never. */
function activeFrom(fields: Fields<'subject'>, now: number): number {
  const activity = activityOf(fields);
  if (activity === null) return now;
  return activity.end > now ? Math.max(activity.start, now) : Number.POSITIVE_INFINITY;
}

function listed(names: readonly string[], noun: string): string {
  const shown = [...names].sort().slice(0, NAMED_MAX).join(', ');
  return names.length <= NAMED_MAX ? shown : `${shown} and ${plural(names.length - NAMED_MAX, `more ${noun}`)}`;
}
