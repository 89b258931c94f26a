import type { Json, JsonObject } from '@authz-service/core/json';
import { type Address, address, encodeSegment, splitAddress } from '@authz-service/core/records/address';
import type { Fault } from '@authz-service/core/records/issue-faults';
import { isKind, type Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { type Mention, wireShape } from './wire-shape.js';

/** What the two directions need to know of the tenant's other records. */
export interface RecordLookup {
  get(address: Address): Pick<StoredRecord, 'id' | 'address'> | undefined;
  find(kind: Kind, id: string): Pick<StoredRecord, 'id' | 'address'> | undefined;
}

/** A record over HTTP: flat, its fields beside what the server adds, and beside every path the id it stands for. */
export interface WireRecord {
  /** The record's id; of a subject, the caller's own string. */
  id: string;
  kind: Kind;
  address: Address;
  managed_by: string;
  created_at: string;
  updated_at: string;
  revision: number;
  [field: string]: Json;
}

/** What the server gives a record, and nobody else may. */
export const SERVER_FIELDS = ['kind', 'address', 'managed_by', 'created_at', 'updated_at', 'revision'] as const;

export function toWire(record: StoredRecord, lookup: RecordLookup): WireRecord {
  const { kind, id, managed_by, created_at, updated_at, revision } = record;
  const fields = record.fields as unknown as JsonObject;
  const shape = wireShape(kind);
  const wire: WireRecord = {
    id,
    kind,
    address: record.address,
    ...fields,
    managed_by,
    created_at,
    updated_at,
    revision,
  };
  addIds(wire, shape.mentions, lookup);
  for (const { name, mentions } of shape.lists) {
    const items = wire[name];
    if (Array.isArray(items)) wire[name] = items.map((item) => addIds({ ...(item as JsonObject) }, mentions, lookup));
  }
  if (shape.within !== undefined) {
    wire.application = applicationOf(wire[shape.within]);
    addIds(wire, [{ name: 'application', kind: 'application' }], lookup);
  }
  return wire;
}

function addIds<T extends JsonObject>(object: T, mentions: readonly Mention[], lookup: RecordLookup): T {
  for (const mention of mentions) {
    const path = object[mention.name];
    const kind = kindOf(mention, object);
    if (typeof path !== 'string' || kind === undefined) continue;
    const mentioned = lookup.get(address(kind, path));
    if (mentioned) Object.assign(object, { [`${mention.name}_id`]: mentioned.id });
  }
  return object;
}

function applicationOf(path: Json | undefined): string {
  return String(path).split('/')[0] ?? '';
}

/**
 * Fields as a record declares them, from a body as callers write it: a mentioned record stands there by its path, by
 * its id in the same field, or by its id in `<field>_id`; a resource's type also by its bare name beside the
 * application. Members that are unknown or of a wrong type stay as they are, for the record's schema to refuse; null
 * stays null, for a merge patch. `present` is the record as it is, when a part of it is to be changed: what the server
 * gives may then be repeated unchanged.
 */
export function fromWire(
  kind: Kind,
  body: JsonObject,
  lookup: RecordLookup,
  present?: WireRecord,
): { fields: JsonObject; faults: Fault[] } {
  const reader = new Reader(lookup);
  const shape = wireShape(kind);
  const members = new Map(Object.entries(body));
  for (const name of kind === 'subject' ? SERVER_FIELDS : ['id', ...SERVER_FIELDS]) {
    reader.refuseGiven(members, name, name === 'kind' ? kind : present?.[name]);
  }
  const scope = shape.within === undefined ? undefined : reader.application(members, present);
  reader.mentions(members, shape.mentions, '', present, scope);
  for (const { name, mentions } of shape.lists) {
    const items = members.get(name);
    if (!Array.isArray(items)) continue;
    members.set(
      name,
      items.map((item, index) => {
        if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
        const inner = new Map(Object.entries(item));
        reader.mentions(inner, mentions, `/${name}/${index}`);
        return Object.fromEntries(inner);
      }),
    );
  }
  if (shape.within !== undefined && scope !== undefined) reader.agree(members, shape.within, scope);
  return { fields: Object.fromEntries(members), faults: reader.faults };
}

type Members = Map<string, Json>;

class Reader {
  readonly faults: Fault[] = [];

  constructor(private readonly lookup: RecordLookup) {}

  refuseGiven(members: Members, name: string, same: Json | undefined): void {
    const value = members.get(name);
    if (members.delete(name) && value !== same) this.#fault(`/${name}`, 'is given by the service: leave it out');
  }

  /** The path of the application that a body names beside a type, which is no field of its own. */
  application(members: Members, present?: WireRecord): string | undefined {
    this.mentions(members, [{ name: 'application', kind: 'application' }], '', present);
    const value = members.get('application');
    members.delete('application');
    if (value === undefined || typeof value === 'string') return value;
    this.#fault('/application', 'must be the path of an application');
    return undefined;
  }

  agree(members: Members, name: string, application: string): void {
    const path = members.get(name);
    if (typeof path === 'string' && path.includes('/') && applicationOf(path) !== application) {
      this.#fault('/application', `is "${application}", but ${name} is "${path}": leave one of them out`);
    }
  }

  /** Puts paths where ids stand, and takes the `_id` members away. */
  mentions(members: Members, mentions: readonly Mention[], at: string, present?: WireRecord, scope?: string): void {
    for (const mention of mentions) {
      const { name } = mention;
      const kind = kindOf(mention, { ...present, ...Object.fromEntries(members) });
      if (kind === undefined) continue;
      const application = scope ?? members.get('application') ?? present?.application;
      const byPath = this.#path(kind, members.get(name), application);
      const byId = this.#byId(members, name, kind, at);
      const isOld = byId !== undefined && byId === (present?.[name] ?? null);
      const chosen = byPath === undefined || (byId !== undefined && byPath === present?.[name]) ? byId : byPath;
      if (byPath !== undefined && byId !== undefined && byPath !== byId && chosen === byPath && !isOld) {
        this.#fault(`${at}/${name}_id`, `is "${String(byId)}" by its path, but ${name} is "${String(byPath)}"`);
      }
      if (chosen !== undefined) members.set(name, chosen);
    }
  }

  /** The path that `<name>_id` stands for; null stays null, and undefined is a member that is not there. */
  #byId(members: Members, name: string, kind: Kind, at: string): Json | undefined {
    const member = `${name}_id`;
    const id = members.get(member);
    if (id === undefined || id === null) {
      members.delete(member);
      return id;
    }
    members.delete(member);
    const found = typeof id === 'string' ? this.lookup.find(kind, id) : undefined;
    if (found) return splitAddress(found.address).path;
    this.#fault(`${at}/${member}`, `is ${JSON.stringify(id)}: there is no ${kind} with that id`);
    return undefined;
  }

  /** A path as it stands; or the path of the record whose id stands there; or a bare type's within the application. */
  #path(kind: Kind, value: Json | undefined, application: Json | undefined): Json | undefined {
    if (typeof value !== 'string' || this.lookup.get(address(kind, value))) return value;
    const found = this.lookup.find(kind, value);
    if (found) return splitAddress(found.address).path;
    const bare = kind === 'resource_type' && typeof application === 'string' && value !== '' && !value.includes('/');
    return bare ? `${application}/${encodeSegment(value)}` : value;
  }

  #fault(pointer: string, detail: string): void {
    this.faults.push({ pointer, detail });
  }
}

function kindOf(mention: Mention, object: JsonObject): Kind | undefined {
  if (typeof mention.kind === 'string') return mention.kind;
  const said = object[mention.kind.said];
  return typeof said === 'string' && isKind(said) ? said : undefined;
}
