import { append } from '../collections/append.js';
import type { Json, JsonObject } from '../json/json.js';
import { type Address, decodeSegment, encodeSegment, type Path } from '../records/address.js';
import type { Kind } from '../records/kinds.js';
import { type DeclaredRecord, definitionOf, referencesOf } from '../records/registry.js';
import type { ManifestFile } from './manifest.js';
import { COLLECTIONS, fieldsOf, LINK_LISTS, type RecordsNotation } from './notation.js';
import { FileSet } from './write-files.js';
import { applicationOf, type LinkRecord, placeLinks, type WrittenLinks } from './write-links.js';

export interface WriteOptions {
  tenant?: string;
  stack: string;
}

const byAddress = (left: { address: Address }, right: { address: Address }): number =>
  left.address < right.address ? -1 : left.address > right.address ? 1 : 0;

const LINK_KINDS = new Set<Kind>([...LINK_LISTS.values()].map(({ kind }) => kind));

/** Whether a record only joins two others. */
export function isLink(record: DeclaredRecord): record is LinkRecord {
  return LINK_KINDS.has(record.kind);
}

/**
 * Writes records as a tree of files that `readManifest` reads back as the same records. Links stand on the records
 * they join, types and resources of one application under short names; what is mentioned and not among the records is
 * listed as `external`.
 */
export function writeManifest(records: Iterable<DeclaredRecord>, options: WriteOptions): ManifestFile[] {
  const sorted = [...records].sort(byAddress);
  const standing = new Map<Address, DeclaredRecord>();
  const links: LinkRecord[] = [];
  for (const record of sorted) {
    if (isLink(record)) links.push(record);
    else standing.set(record.address, record);
  }
  const external = externalOf(sorted);
  const placed = placeLinks(links, standing, new Set([...standing.keys(), ...external]));
  const files = new FileSet();
  const tenant: JsonObject = { ...(options.tenant !== undefined && { tenant: options.tenant }), stack: options.stack };
  files.settings('tenant', tenant);
  if (external.length > 0) files.list('tenant', 'external', external);
  writeApplications(sorted, placed, files);
  for (const [name, notation] of COLLECTIONS) {
    if (notation.kind === 'application') continue;
    const mine = sorted.filter((record) => record.kind === notation.kind && applicationOf(record) === undefined);
    const file = notation.kind === 'subject' ? 'subjects' : 'tenant';
    writeCollection(mine, notation, placed, undefined, (key, value) =>
      files.member(file, [name], key, value, styleOf(notation)),
    );
  }
  for (const name of LINK_LISTS.keys()) {
    const items = placed.apart[name];
    if (items !== undefined) files.list('tenant', name, items);
  }
  return files.finish();
}

/** Records that these mention and that are not among them, and applications that only lend their name. */
function externalOf(records: readonly DeclaredRecord[]): Address[] {
  const own = new Set(records.map(({ address }) => address));
  const external = new Set<Address>();
  for (const record of records) {
    for (const { target } of referencesOf(record.kind, record.fields)) if (!own.has(target)) external.add(target);
    const application = applicationOf(record);
    if (application !== undefined && !own.has(`application/${application}`)) external.add(`application/${application}`);
  }
  return [...external].sort();
}

function writeApplications(records: readonly DeclaredRecord[], placed: WrittenLinks, files: FileSet): void {
  const notation = COLLECTIONS.get(definitionOf('application').yaml);
  if (notation === undefined) return;
  const byApplication = new Map<Path, DeclaredRecord[]>();
  for (const record of records) {
    const application = record.kind === 'application' ? encodeSegment(record.fields.name) : applicationOf(record);
    if (application === undefined) continue;
    append(byApplication, application, record);
  }
  for (const [application, mine] of byApplication) {
    const name = decodeSegment(application);
    const file = files.fileFor('applications', name);
    const at = [definitionOf('application').yaml, name];
    const own = mine.find((record) => record.kind === 'application');
    if (mine.length === 1 && own !== undefined && own.fields.description === undefined) {
      files.member(file, at.slice(0, 1), name, {}, 'fitting');
    }
    for (const [key, value] of Object.entries(own === undefined ? {} : fieldsIn(own, notation))) {
      files.member(file, at, key, value, 'fitting');
    }
    for (const [collection, nested] of notation.collections) {
      const some = mine.filter(({ kind }) => kind === nested.kind);
      const put = (key: string, value: Json) => files.member(file, [...at, collection], key, value, styleOf(nested));
      writeCollection(some, nested, placed, application, put);
    }
  }
}

function styleOf({ kind }: RecordsNotation): 'fitting' | 'never' {
  return kind === 'policy' ? 'never' : 'fitting';
}

function writeCollection(
  records: readonly DeclaredRecord[],
  notation: RecordsNotation,
  placed: WrittenLinks,
  application: Path | undefined,
  put: (key: string, value: Json) => void,
): void {
  const paths = notation.key === 'resource' ? underPaths(records) : undefined;
  for (const record of records) {
    const value = fieldsIn(record, notation, application);
    if (paths?.has(record.address)) delete value.type;
    const lists = placed.onRecords.get(record.address);
    for (const name of notation.links.keys()) {
      const items = lists?.[name];
      if (items !== undefined) value[name] = items;
    }
    put(keyOf(record, paths?.has(record.address)), value);
  }
}

/** The key that a record is written under in its collection; with `underPath`, a resource's with its type. */
export function keyOf(record: DeclaredRecord, underPath = false): string {
  const { kind, address, fields } = record;
  const path = address.slice(kind.length + 1);
  if (kind === 'subject') return path;
  if (underPath) return path.slice(path.indexOf('/') + 1);
  return 'name' in fields ? (fields.name ?? '') : path;
}

/**
 * The resources of one application that must be written as `TYPE/NAME`: those whose name another one of the
 * application has too, and those whose name looks like such a path.
 */
function underPaths(records: readonly DeclaredRecord[]): ReadonlySet<Address> {
  const byKey = new Map<string, Address[]>();
  for (const record of records) append(byKey, keyOf(record), record.address);
  const paths = new Set<Address>();
  for (const addresses of byKey.values()) if (addresses.length > 1) for (const address of addresses) paths.add(address);
  if (paths.size === 0) return paths;
  for (const record of records) if (keyOf(record).includes('/')) paths.add(record.address);
  return paths;
}

/** The mappings around a record that is no link, from the top of a file, and what it says there without its links. */
export function writtenRecord(record: DeclaredRecord): { collection: string[]; body: JsonObject } {
  const { yaml } = definitionOf(record.kind);
  const application = record.kind === 'application' ? undefined : applicationOf(record);
  if (application === undefined) {
    const notation = COLLECTIONS.get(yaml);
    return { collection: [yaml], body: notation === undefined ? {} : fieldsIn(record, notation) };
  }
  const applications = definitionOf('application').yaml;
  const notation = COLLECTIONS.get(applications)?.collections.get(yaml);
  return {
    collection: [applications, decodeSegment(application), yaml],
    body: notation === undefined ? {} : fieldsIn(record, notation, application),
  };
}

/** The fields that are written in the record's value, paths within the application shortened. */
function fieldsIn(record: DeclaredRecord, { kind, body }: RecordsNotation, application?: Path): JsonObject {
  const { plain, renamed, references } = fieldsOf(kind);
  const fields = record.fields as unknown as JsonObject;
  const value: JsonObject = {};
  const noted = plain.includes('description') ? ['description'] : [];
  for (const name of new Set([...noted, ...body, ...plain])) {
    const field = fields[name];
    if (field !== undefined && !isDefault(kind, name, field)) value[renamed.get(name) ?? name] = structuredClone(field);
  }
  if (Array.isArray(value.from_requests) && value.from_requests.length === 0) value.from_requests = false;
  if (application === undefined) return value;
  // A bare name could be that of a role of the application as well as of one of the tenant.
  if (record.kind === 'role') {
    const { includes } = record.fields;
    if (includes !== undefined) value.includes = includes.map((path) => (path.includes('/') ? path : `/${path}`));
    return value;
  }
  for (const { steps, all } of references) shorten(value, steps, application, all);
  return value;
}

/** Values equal to the schema's defaults are omitted. */
function isDefault(kind: Kind, name: string, value: Json): boolean {
  const schema = definitionOf(kind).schema.shape[name];
  return schema !== undefined && 'defaultValue' in schema._zod.def && schema._zod.def.defaultValue === value;
}

function shorten(
  value: Json | undefined,
  [step, ...rest]: readonly string[],
  application: Path,
  all: string | undefined,
): void {
  if (step === undefined || value === undefined || value === null || typeof value !== 'object') return;
  const container = value as JsonObject;
  for (const key of step === '*' ? Object.keys(container) : [step]) {
    const inner = container[key];
    if (rest.length > 0) shorten(inner, rest, application, all);
    else if (typeof inner === 'string' && inner.startsWith(`${application}/`)) {
      const short = inner.slice(application.length + 1);
      if (short !== all) container[key] = short;
    }
  }
}
