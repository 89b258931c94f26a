import { canonicalJson, type Json } from '../json/json.js';
import type { Kind } from '../records/kinds.js';
import { definitionOf } from '../records/registry.js';
import { visible } from '../text/visible.js';
import type { Difference, Follower, PlannedChange } from './plan.js';

/** One change as shown by a renderer, as text that is safe on a terminal; see `visible`. */
export interface Description {
  mark: '+' | '~' | '-' | '>';
  title: string;
  details: Detail[];
}

/** One line of a change: something there, something gone, or one value in place of another. */
export interface Detail {
  name: string;
  before?: string;
  after?: string;
}

export function describe(change: PlannedChange): Description {
  const taken =
    'taken_from' in change && change.taken_from !== undefined
      ? `, taken over from "${visible(change.taken_from)}"`
      : '';
  const removed =
    'removed_from' in change && change.removed_from !== undefined
      ? `, which belongs to "${visible(change.removed_from)}"`
      : '';
  const title = `${visible(change.address)}${taken}${removed}`;
  switch (change.action) {
    case 'create':
      return { mark: '+', title, details: createdDetails(change.kind, change.fields) };
    case 'update':
      return { mark: '~', title, details: change.differences.flatMap(detailsOf) };
    case 'move':
      return { mark: '>', title: `${visible(change.from)} → ${title}`, details: change.differences.flatMap(detailsOf) };
    case 'adopt':
      return { mark: '~', title, details: [] };
    case 'delete': {
      const lost = change.differences.filter(({ pointer }) => !isKey(change.kind, pointer.slice(1)));
      return { mark: '-', title, details: lost.flatMap(detailsOf) };
    }
  }
}

export function describeFollower({ address, from, managed_by }: Follower): Description {
  const owner = `, which belongs to "${visible(managed_by)}" and follows`;
  if (from === address) return { mark: '~', title: `${visible(address)}${owner}`, details: [] };
  return { mark: '>', title: `${visible(from)} → ${visible(address)}${owner}`, details: [] };
}

/** The address says the key already. */
function createdDetails(kind: Kind, fields: Record<string, Json>): Detail[] {
  return Object.entries(fields)
    .filter(([name]) => !isKey(kind, name))
    .map(([name, value]) => ({ name: visible(name), after: valueText(value) }));
}

function isKey(kind: Kind, field: string): boolean {
  return definitionOf(kind).schema.shape[field]?.meta()?.key === true;
}

/** The elements that come and go, where both sides are lists; else the one value in place of the other. */
function detailsOf({ pointer, before, after }: Difference): Detail[] {
  const name = visible(nameOf(pointer));
  if (Array.isArray(before) && Array.isArray(after)) {
    const gone = missingFrom(after, before).map((item) => ({ name, before: valueText(item) }));
    const come = missingFrom(before, after).map((item) => ({ name, after: valueText(item) }));
    if (gone.length + come.length > 0) return [...gone, ...come];
  }
  return [
    {
      name,
      ...(before !== undefined && { before: valueText(before) }),
      ...(after !== undefined && { after: valueText(after) }),
    },
  ];
}

/** The elements of `list` that `other` does not hold. */
function missingFrom(other: readonly Json[], list: readonly Json[]): Json[] {
  const present = new Set(other.map(canonicalJson));
  return list.filter((item) => !present.has(canonicalJson(item)));
}

/** `/properties/amount` as people write it: `properties.amount`. */
function nameOf(pointer: string): string {
  const tokens = pointer.slice(1).split('/');
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

function valueText(value: Json): string {
  return visible(canonicalJson(value));
}
