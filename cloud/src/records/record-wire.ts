import type { Json, JsonObject } from '@authz-service/core/json/json';
import { type Address, address, encodeSegment, splitAddress } from '@authz-service/core/records/address';
import type { Fault } from '@authz-service/core/records/issue-faults';
import { isKind, type Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { type Mention, wireShape } from './wire-shape.js';

/** The other records of the tenant that both directions need. */
export interface RecordLookup {
  get(address: Address): Pick<StoredRecord, 'id' | 'address'> | undefined;
  find(kind: Kind, id: string): Pick<StoredRecord, 'id' | 'address'> | undefined;
}

/** A record over HTTP: flat, with its fields, what the server adds, and the id beside every path. */
export interface WireRecord {
  /** The record's id; for a subject, the caller's own string. */
  id: string;
  kind: Kind;
  address: Address;
  managed_by: string;
  created_at: string;
  updated_at: string;
  revision: number;
  [field: string]: Json;
}

/** The members that only the server sets. */
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
 * The fields that a record declares, from a body in any of the accepted forms: a referenced record is given by its
 * path, by its id in the same field, or by its id in `<field>_id`; a resource's type can also be a bare name beside the
 * application. Members that are unknown or have a wrong type are left for the record's schema to refuse; null is kept
 * for a merge patch. `present` is the existing record if a part of it is changed; what the server sets may then be
 * repeated unchanged.
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
  for (const { name, kind: target } of shape.paths) {
    const items = members.get(name);
    if (Array.isArray(items))
      members.set(
        name,
        items.map((item) => reader.path(target, item)),
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
    if (members.delete(name) && value !== same) this.#fault(`/${name}`, 'is set by the service: leave it out');
  }

  /** The path of the application that a body names beside a type, which is not a field of its own. */
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

  /** Replaces ids with paths, and removes the `_id` members. */
  mentions(members: Members, mentions: readonly Mention[], at: string, present?: WireRecord, scope?: string): void {
    for (const mention of mentions) {
      const { name } = mention;
      const kind = kindOf(mention, { ...present, ...Object.fromEntries(members) });
      if (kind === undefined) continue;
      const application = scope ?? members.get('application') ?? present?.application;
      const byPath = this.path(kind, members.get(name), application);
      const byId = this.#byId(members, name, kind, at);
      const isOld = byId !== undefined && byId === (present?.[name] ?? null);
      const chosen = byPath === undefined || (byId !== undefined && byPath === present?.[name]) ? byId : byPath;
      if (byPath !== undefined && byId !== undefined && byPath !== byId && chosen === byPath && !isOld) {
        this.#fault(`${at}/${name}_id`, `is "${String(byId)}" by its path, but ${name} is "${String(byPath)}"`);
      }
      if (chosen !== undefined) members.set(name, chosen);
    }
  }

  /** The path for `<name>_id`; null stays null, and undefined means that the member is absent. */
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

  /** A path as it is, the path of the record with that id, or the path of a bare type in the application. */
  path(kind: Kind, value: Json, application?: Json): Json;
  path(kind: Kind, value: Json | undefined, application?: Json): Json | undefined;
  path(kind: Kind, value: Json | undefined, application?: Json): Json | undefined {
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
