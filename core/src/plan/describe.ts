import { canonicalJson, type Json } from '../json/json.js';
import type { Kind } from '../records/kinds.js';
import { definitionOf } from '../records/registry.js';
import { MASKED } from '../text/masked.js';
import { visible } from '../text/visible.js';
import type { Difference, Follower, PlannedChange } from './plan.js';
import { propertyAt } from './sensitive-properties.js';

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

export function describe(full: PlannedChange): Description {
  const change = masked(full);
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

/** The change without the values of its sensitive properties; one that differs still does. */
function masked(change: PlannedChange): PlannedChange {
  const { sensitive } = change;
  if (sensitive === undefined) return change;
  const names = new Set(sensitive);
  const properties = (value: Json | undefined): Json | undefined =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, names.has(name) ? MASKED : one]));
  const sides = (
    pointer: string,
    mask: (value: Json | undefined) => Json | undefined,
    one: Difference,
  ): Difference => ({
    pointer,
    ...(one.before !== undefined && { before: mask(one.before) as Json }),
    ...(one.after !== undefined && { after: mask(one.after) as Json }),
  });
  const differences = change.differences.map((one) => {
    if (one.pointer === '/properties') return sides(one.pointer, properties, one);
    const name = propertyAt(one.pointer);
    if (name === undefined || !names.has(name)) return one;
    const [, root, property] = one.pointer.split('/');
    return sides(`/${root}/${property}`, () => MASKED, one);
  });
  if (change.action !== 'create' || change.fields.properties === undefined) return { ...change, differences };
  return { ...change, fields: { ...change.fields, properties: properties(change.fields.properties) as Json } };
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
