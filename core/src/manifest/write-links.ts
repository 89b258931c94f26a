import type { Json } from '../json/json.js';
import type { Address, Path } from '../records/address.js';
import { EVERY_TYPE, EVERYONE } from '../records/everyone.js';
import type { Kind } from '../records/kinds.js';
import type { DeclaredRecord } from '../records/registry.js';
import { COLLECTIONS, fieldsOf, givenField, LINK_LISTS, type LinkKind, type LinksNotation } from './notation.js';

/** The places where links are written: lists on records, or the top of a file if no record is at hand. */
export interface WrittenLinks {
  /** The lists of each record by the key of the list, in the order of the notation. */
  onRecords: ReadonlyMap<Address, Record<string, Json[]>>;
  /** The lists at the top by their name. */
  apart: Record<string, Json[]>;
}

export type LinkRecord = DeclaredRecord<LinkKind>;

/** The end whose list is preferred: where people look for it first. */
const PREFERRED: Record<LinkKind, 'given' | 'entity'> = {
  role_assignment: 'entity',
  policy_assignment: 'given',
  group_membership: 'given',
};

/** The lists that a record of each kind may hold. */
const listsOf = new Map<Kind, ReadonlyMap<string, LinksNotation>>();
for (const notation of COLLECTIONS.values()) listsOf.set(notation.kind, notation.links);

/**
 * Puts every link into a list of one of its ends, if that end is among the records written. `known` are all addresses
 * that the tree declares or calls external.
 */
export function placeLinks(
  links: Iterable<LinkRecord>,
  records: ReadonlyMap<Address, DeclaredRecord>,
  known: ReadonlySet<Address>,
): WrittenLinks {
  const onRecords = new Map<Address, Record<string, Json[]>>();
  const apart: Record<string, Json[]> = {};
  for (const link of links) {
    const { given, entity } = endsOf(link);
    const order = PREFERRED[link.kind] === 'given' ? [given, entity] : [entity, given];
    const place = order
      .map((holder) => listOn(holder, holder === given ? entity : given, link, records, known))
      .find((found) => found !== undefined);
    if (place === undefined) {
      const [name, to] = topList(link.kind);
      const item = { [givenField(link.kind)]: given.path, [to]: entityText(entity), ...more(link) };
      apart[name] ??= [];
      apart[name].push(item);
      continue;
    }
    const lists = onRecords.get(place.holder) ?? {};
    const list = lists[place.name] ?? [];
    list.push(place.item);
    lists[place.name] = list;
    onRecords.set(place.holder, lists);
  }
  return { onRecords, apart };
}

interface End {
  kind: Kind | typeof EVERYONE;
  path: Path;
}

function endsOf({ kind, fields }: LinkRecord): { given: End; entity: End } {
  const field = givenField(kind);
  const path = (fields as Record<string, unknown>)[field] as Path;
  return { given: { kind: field, path }, entity: { kind: fields.entity_type, path: fields.entity } };
}

/** The list on `holder` that can say the link to `other`, and the item that says it. */
function listOn(
  holder: End,
  other: End,
  link: LinkRecord,
  records: ReadonlyMap<Address, DeclaredRecord>,
  known: ReadonlySet<Address>,
): { holder: Address; name: string; item: Json } | undefined {
  const address = `${holder.kind}/${holder.path}`;
  const record = records.get(address);
  const { entity } = endsOf(link);
  const end = other.kind === entity.kind && other.path === entity.path ? 'entity' : other.kind;
  const found = [...(listsOf.get(holder.kind as Kind) ?? [])].find(
    ([, list]) => list.kind === link.kind && list.end === end,
  );
  if (record === undefined || found === undefined || !canSay(other, applicationOf(record), known)) return undefined;
  const [name, { item }] = found;
  const text = end === 'entity' ? entityText(other) : other.path;
  const said = more(link);
  return { holder: address, name, item: Object.keys(said).length > 0 ? { [item]: text, ...said } : text };
}

/** Inside an application a bare role or policy means the application's own, if there is one of that name. */
function canSay({ kind, path }: End, application: Path | undefined, known: ReadonlySet<Address>): boolean {
  if (application === undefined || (kind !== 'role' && kind !== 'policy') || path.includes('/')) return true;
  return !known.has(`${kind}/${application}/${path}`);
}

export function applicationOf(record: DeclaredRecord): Path | undefined {
  if (record.kind === 'resource') return record.fields.type.split('/')[0];
  return 'application' in record.fields ? record.fields.application : undefined;
}

function entityText({ kind, path }: End): string {
  if (kind === EVERYONE) return path === EVERY_TYPE ? EVERYONE : `${EVERYONE}/${path}`;
  return kind !== 'subject' || /^(?:role|group|subject)\//.test(path) ? `${kind}/${path}` : path;
}

/** The fields of a link besides its ends. */
function more({ kind, fields }: LinkRecord): Record<string, string> {
  const { places, plain } = fieldsOf(kind);
  const values = fields as unknown as Record<string, string | undefined>;
  return Object.fromEntries(
    [...places, ...plain].flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function topList(kind: LinkKind): [name: string, to: string] {
  for (const [name, notation] of LINK_LISTS) if (notation.kind === kind) return [name, notation.to];
  throw new Error(`${kind} has no list`);
}
