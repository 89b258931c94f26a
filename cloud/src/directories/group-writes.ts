import type { Json, JsonObject } from '@authz-service/core/json/json';
import { type Address, encodeSegment, splitAddress } from '@authz-service/core/records/address';
import { addressOf, type Fields } from '@authz-service/core/records/registry';
import type { Change } from '@authz-service/core/state/change';
import { type AttributePath, GROUP, parsePath } from '../scim/attribute-path.js';
import { isObject, itemsOf, own } from '../scim/attribute-values.js';
import { matches } from '../scim/match-filter.js';
import { type PatchOperation, patched, placed } from '../scim/resource.js';
import { ScimError } from '../scim/scim-error.js';
import { folded } from '../tenants/name-index.js';
import type { DirectoryView, GroupRecord } from './directory-view.js';
import { assertFree, assertMatch, notFound } from './entry-checks.js';
import type { PlannedWrite } from './planned-write.js';
import { required, textAt } from './user-mapping.js';
import { removal } from './user-writes.js';
import { versionOf } from './versions.js';

/** A group as the directory sees it, without its members and what only the cloud sets. */
export function groupResource({ fields }: GroupRecord): JsonObject {
  const { entry, name } = fields;
  return {
    schemas: [GROUP],
    ...(entry !== undefined && { id: entry.id }),
    ...(entry?.external_id !== undefined && { externalId: entry.external_id }),
    displayName: entry?.name ?? name,
  };
}

export function createGroup(view: DirectoryView, body: JsonObject, id: string): PlannedWrite {
  const resource = placed(body);
  const fields = groupFields(view, resource, id);
  const at = addressOf('group', fields);
  const present = view.state.get(at) as GroupRecord | undefined;
  assertFree(view, view.groups.byName(view.owner, fields.name), `A group with the displayName "${fields.name}"`);
  assertFree(view, present === undefined ? [] : [at], `"${at}"`);
  const change: Change =
    present === undefined
      ? { op: 'create', kind: 'group', fields }
      : { op: 'update', address: at, fields: { ...present.fields, ...fields } };
  // A group that is taken up keeps its members until the directory sends others.
  const members = new Members(view, present);
  const given = own(resource, 'members');
  if (given !== undefined) members.set(given);
  return { changes: [change, ...members.changes(fields.name)], shown: at, claims: [`group ${folded(fields.name)}`] };
}

export function replaceGroup(view: DirectoryView, id: string, body: JsonObject, ifMatch?: string): PlannedWrite {
  const present = groupBy(view, id, ifMatch);
  const resource = placed(body);
  const members = new Members(view, present);
  members.set(own(resource, 'members') ?? []);
  return write(view, present, resource, members);
}

export function patchGroup(
  view: DirectoryView,
  id: string,
  operations: readonly PatchOperation[],
  ifMatch?: string,
): PlannedWrite {
  const present = groupBy(view, id, ifMatch);
  const members = new Members(view, present);
  const rest = operations.flatMap((operation) => withoutMembers(operation, members));
  return write(view, present, patched(groupResource(present), rest), members);
}

/** Takes away the members of a group and the group. One that others mention stays, empty. */
export function deleteGroup(view: DirectoryView, id: string, ifMatch?: string): PlannedWrite {
  const present = groupBy(view, id, ifMatch);
  const { entry: _, ...left } = present.fields;
  return { changes: removal(view, present, left), claims: [present.address] };
}

function groupBy(view: DirectoryView, id: string, ifMatch: string | undefined): GroupRecord {
  const present = view.group(id) ?? notFound('Group', id);
  // Its version takes a while to make of many members.
  if (ifMatch !== undefined) assertMatch(ifMatch, versionOf(view, present), present.address);
  return present;
}

function groupFields({ directory }: DirectoryView, resource: JsonObject, id: string): Fields<'group'> {
  const name = required(resource, 'displayName');
  const prefix = directory.groups?.prefix ?? '';
  if (!name.startsWith(prefix)) {
    throw new ScimError(
      'invalidValue',
      `The directory "${directory.name}" takes groups whose names begin with "${prefix}", and "${name.slice(0, 200)}" does not: send no other groups.`,
    );
  }
  const externalId = textAt(resource, 'externalId');
  return { name, entry: { id, ...(externalId !== undefined && { external_id: externalId }) } };
}

function write(view: DirectoryView, present: GroupRecord, resource: JsonObject, members: Members): PlannedWrite {
  const fields = groupFields(view, resource, present.fields.entry?.id ?? '');
  const at = addressOf('group', fields);
  const others = view.groups.byName(view.owner, fields.name).filter((other) => other !== present.address);
  assertFree(view, others, `A group with the displayName "${fields.name}"`);
  const changes: Change[] = [];
  if (at !== present.address) {
    assertFree(view, view.state.get(at) === undefined ? [] : [at], `"${at}"`);
    changes.push({ op: 'move', from: present.address, to: at });
  }
  const { entry: _, ...kept } = present.fields;
  changes.push({ op: 'update', address: at, fields: { ...kept, ...fields } });
  changes.push(...members.changes(fields.name));
  return { changes, shown: at, claims: [present.address, `group ${folded(fields.name)}`] };
}

/** The members of a group that a request leaves, as differences from those that it has. */
class Members {
  readonly #add = new Set<Address>();
  readonly #remove = new Set<Address>();

  constructor(
    private readonly view: DirectoryView,
    private readonly group: GroupRecord | undefined,
  ) {}

  /** The members that there are: as many as a large group has, so that only who replaces or seeks members reads them. */
  *#present(): Generator<Address> {
    if (this.group === undefined) return;
    for (const { fields } of this.view.membersOf(this.group.address))
      yield `${fields.entity_type}/${fields.entity}` as Address;
  }

  set(values: Json): void {
    const wanted = itemsOf(values).map((value) => this.#member(value));
    this.#add.clear();
    for (const member of this.#present()) this.#remove.add(member);
    for (const member of wanted) this.#put(member);
  }

  add(values: Json): void {
    for (const value of itemsOf(values)) this.#put(this.#member(value));
  }

  /** Who is no member is none afterwards either. */
  remove(values: Json): void {
    for (const value of itemsOf(values)) {
      const id = idIn(value);
      const member = (this.view.user(id) ?? this.view.group(id))?.address;
      if (member === undefined) continue;
      this.#add.delete(member);
      this.#remove.add(member);
    }
  }

  removeFitting({ filter }: AttributePath): void {
    if (filter === undefined) {
      this.set([]);
      return;
    }
    if (filter.op === 'eq' && 'compValue' in filter && filter.attrPath.toLowerCase() === 'value') {
      this.remove(String(filter.compValue));
      return;
    }
    for (const member of [...this.#present(), ...this.#add]) {
      const record = this.view.state.get(member);
      const id = record?.kind === 'subject' || record?.kind === 'group' ? record.fields.entry?.id : undefined;
      const type = record?.kind === 'group' ? 'Group' : 'User';
      if (id !== undefined && matches(filter, { value: id, type })) this.remove(id);
    }
  }

  /** `name` is that of the group afterwards: memberships follow its rename. */
  changes(name: string): Change[] {
    const before = this.group?.fields.name ?? name;
    const changes: Change[] = [];
    for (const member of this.#remove)
      if (this.#isOwn(this.#at(before, member))) changes.push({ op: 'delete', address: this.#at(name, member) });
    for (const member of this.#add) {
      const at = this.#at(before, member);
      if (this.#isOwn(at)) continue;
      const fields = membership(name, member);
      assertFree(this.view, [at], `"${at}"`);
      changes.push({ op: 'create', kind: 'group_membership', fields });
    }
    return changes;
  }

  #isOwn(at: Address): boolean {
    return this.group !== undefined && this.view.state.get(at)?.managed_by === this.view.owner;
  }

  #at(name: string, member: Address): Address {
    return addressOf('group_membership', membership(name, member));
  }

  #put(member: Address): void {
    this.#remove.delete(member);
    this.#add.add(member);
  }

  #member(value: Json): Address {
    return this.view.member(idIn(value));
  }
}

function membership(group: string, member: Address): Fields<'group_membership'> {
  const { kind, path } = splitAddress(member);
  return { group: encodeSegment(group), entity_type: kind as 'subject' | 'group', entity: path };
}

function idIn(value: Json): string {
  const id = isObject(value) ? own(value, 'value') : value;
  if (typeof id === 'string' && id !== '') return id;
  throw new ScimError('invalidValue', 'A member has no "value": send the id of a user or group.');
}

/** Takes what an operation does to members, and returns what else it does. */
function withoutMembers(operation: PatchOperation, members: Members): PatchOperation[] {
  const { op, path, value = null } = operation;
  if (path === undefined || path === '') {
    if (op === 'remove' || !isObject(value)) return [operation];
    const rest = { ...value };
    for (const key of Object.keys(value)) {
      const at = parsePath(key);
      if (at.name !== 'members') continue;
      changeMembers(members, op, at, value[key] ?? null);
      delete rest[key];
    }
    return [{ op, value: rest }];
  }
  const at = parsePath(path);
  if (at.name !== 'members') return [operation];
  changeMembers(members, op, at, value);
  return [];
}

function changeMembers(members: Members, op: PatchOperation['op'], at: AttributePath, value: Json): void {
  if (op === 'remove') {
    if (at.filter === undefined && value !== null) members.remove(value);
    else members.removeFitting(at);
  } else if (at.filter !== undefined || at.sub !== undefined) {
    throw new ScimError('invalidPath', 'Members are added and replaced as a whole: leave out the filter of the path.');
  } else if (op === 'add') members.add(value);
  else members.set(value);
}
