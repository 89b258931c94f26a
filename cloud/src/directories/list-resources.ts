import { eachInSteps } from '@authz-service/core/concurrency/time-slicing';
import type { JsonObject } from '@authz-service/core/json/json';
import type { Address } from '@authz-service/core/records/address';
import type { Filter } from 'scim2-parse-filter';
import { parsePath } from '../scim/attribute-path.js';
import { matches } from '../scim/match-filter.js';
import { valuesAt } from '../scim/resource.js';
import type { EntryRecord } from '../tenants/entry-index.js';
import type { DirectoryView, MembershipRecord } from './directory-view.js';
import { groupResource } from './group-writes.js';
import { userResource } from './user-mapping.js';

const STEP = 50;

export interface ListOrder {
  type: 'User' | 'Group';
  filter?: Filter | undefined;
  sortBy?: string | undefined;
  descending: boolean;
  /** From 1. */
  startIndex: number;
  count: number;
}

/** A page of a directory's resources, and how many there are in all. */
export function* listResources(
  view: DirectoryView,
  { type, filter, sortBy, descending, startIndex, count }: ListOrder,
): Generator<undefined, { total: number; records: EntryRecord[] }> {
  const index = type === 'User' ? view.users : view.groups;
  const addresses = [...(candidates(view, type, filter) ?? index.all(view.owner))];
  const recordAt = (address: Address) => view.state.get(address) as EntryRecord | undefined;
  if (filter === undefined && sortBy === undefined) {
    const page = addresses.slice(startIndex - 1, startIndex - 1 + count);
    return { total: addresses.length, records: page.flatMap((address) => recordAt(address) ?? []) };
  }
  const readsMembers = filter !== undefined && /members/i.test(JSON.stringify(filter));
  const by = sortBy === undefined ? undefined : parsePath(sortBy);
  const found: { record: EntryRecord; key: string }[] = [];
  yield* eachInSteps(addresses, STEP, (address) => {
    const record = recordAt(address);
    if (record === undefined) return;
    const resource = shownResource(view, record, readsMembers);
    if (filter !== undefined && !matches(filter, resource)) return;
    const [key = ''] = by === undefined ? [] : valuesAt(resource, by);
    found.push({ record, key: String(key).toLowerCase() });
  });
  const sign = descending ? -1 : 1;
  if (by !== undefined) found.sort((left, right) => (left.key < right.key ? -sign : left.key > right.key ? sign : 0));
  const page = found.slice(startIndex - 1, startIndex - 1 + count);
  return { total: found.length, records: page.map(({ record }) => record) };
}

/** The resource of a record, as filters and clients read it. */
export function shownResource(view: DirectoryView, record: EntryRecord, withMembers: boolean): JsonObject {
  if (record.kind === 'subject') return userResource(view, record);
  const resource = groupResource(record);
  if (!withMembers) return resource;
  const members = [...view.membersOf(record.address)].flatMap((link) => memberOf(view, link) ?? []);
  return members.length > 0 ? { ...resource, members } : resource;
}

function memberOf(view: DirectoryView, link: MembershipRecord): JsonObject | undefined {
  const value = view.entryIdOf(link);
  if (value === undefined) return undefined;
  return { value, type: link.fields.entity_type === 'subject' ? 'User' : 'Group' };
}

/** The few addresses of resources that a filter can fit, where it names one; undefined where all can. */
function candidates(
  view: DirectoryView,
  type: ListOrder['type'],
  filter: Filter | undefined,
): readonly Address[] | undefined {
  if (filter === undefined) return undefined;
  if (filter.op === 'and' && 'filters' in filter) {
    for (const each of filter.filters) {
      const found = candidates(view, type, each);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (filter.op === '[]' && 'valFilter' in filter) {
    const { attrPath, valFilter } = filter;
    const isOne = valFilter.op === 'eq' && 'compValue' in valFilter && /^value$/i.test(valFilter.attrPath);
    return isOne && /^members$/i.test(attrPath) ? groupsOf(view, String(valFilter.compValue)) : undefined;
  }
  if (filter.op !== 'eq' || !('compValue' in filter) || typeof filter.compValue !== 'string') return undefined;
  const { owner } = view;
  const index = type === 'User' ? view.users : view.groups;
  const { name, sub } = parsePath(filter.attrPath);
  if (name === 'members') return groupsOf(view, filter.compValue);
  if (sub !== undefined) return undefined;
  if (name === 'id') return [index.byId(owner, filter.compValue) ?? []].flat();
  if (name === 'externalId') return index.byExternalId(owner, filter.compValue);
  return name === (type === 'User' ? 'userName' : 'displayName') ? index.byName(owner, filter.compValue) : undefined;
}

function groupsOf(view: DirectoryView, id: string): Address[] {
  const member = (view.user(id) ?? view.group(id))?.address;
  if (member === undefined) return [];
  return [...view.membershipsOf(member)].map(({ fields }): Address => `group/${fields.group}`);
}
