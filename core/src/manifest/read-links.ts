import type * as z from 'zod';
import type { Json } from '../json/json.js';
import { type Address, address as addressIn, encodeSegment, type Path } from '../records/address.js';
import { quote } from '../records/describe.js';
import { EVERY_TYPE, EVERYONE } from '../records/everyone.js';
import { unknownKeyText } from '../records/issue-text.js';
import type { Kind } from '../records/kinds.js';
import { definitionOf } from '../records/registry.js';
import { aboutRecord } from './about.js';
import type { Declarations } from './declarations.js';
import { describeNode, expectedMapping } from './describe.js';
import { fieldsOf, givenField, type LinkKind, type LinkListNotation } from './notation.js';
import { attempt, NotationError, oneOf, type ReadEntity, type ReadPath, readEntity, readPath } from './paths.js';
import { type PendingLinks, readFields } from './read-records.js';
import type { About } from './source.js';
import { type Entry, UNUSABLE, type YamlDocument } from './yaml-document.js';
import type { MapNode, YamlNode } from './yaml-node.js';

/** An end of a link that items say: a field of the link's record, and the key that it stands under. */
interface End {
  field: string;
  key: string;
}

/** The properties shared by all items of one list. */
interface Site {
  kind: LinkKind;
  document: YamlDocument;
  ends: readonly End[];
  /** The fields of the end that is the record holding the list. */
  fixed: Record<string, Json>;
  application?: Path;
}

/** Reads links, on records and in lists of their own, when all records are known: bare names need that. */
export class LinkReader {
  /** Whom a bare name may mean, as entities write it; made when the first one is met. */
  private entities: Map<string, string> | undefined;

  constructor(
    private readonly declarations: Declarations,
    private readonly external: ReadonlySet<Address>,
    private readonly take: Declarations['declare'] = declarations.declare.bind(declarations),
  ) {}

  /** The links that a record's list says. */
  onRecord({ notation, document, node, holder, label, application }: PendingLinks): void {
    const { kind, end, item: key } = notation;
    const fixed: Record<string, Json> =
      end === 'entity' ? { [givenField(kind)]: holder.path } : { entity_type: holder.kind, entity: holder.path };
    const site = { kind, document, ends: [{ field: end, key }], fixed, application };
    for (const [index, item] of document.items(node, { label }).entries()) {
      const about = { label: `${label}[${index}]` };
      if (item.type === 'scalar') this.link(site, item, [{ key, keyNode: item, value: item }], about);
      else if (item.type === 'map') this.mapping(site, item, about);
      else document.fault(item, about, `is a list: write a text, or a mapping with ${quote(key)}.`);
    }
  }

  /** The links of a list at the top of a file. */
  list({ kind, to }: LinkListNotation, document: YamlDocument, node: YamlNode, label: string): void {
    const given = givenField(kind);
    const ends = [
      { field: given, key: given },
      { field: 'entity', key: to },
    ];
    const site = { kind, document, ends, fixed: {} };
    for (const [index, item] of document.items(node, { label }).entries()) {
      const about = { label: `${label}[${index}]` };
      if (item.type === 'map') this.mapping(site, item, about);
      else document.fault(item, about, expectedMapping(item));
    }
  }

  private mapping(site: Site, node: MapNode, about: About): void {
    const body = site.document.entries(node, () => about);
    this.link(site, node, body, about);
  }

  private link(site: Site, node: YamlNode, body: readonly Entry[], about: About): void {
    const { kind, document, ends } = site;
    const { plain, places } = fieldsOf(kind);
    const input = { ...site.fixed };
    const parts: Entry[] = [];
    let missing = ends;
    let usable = true;
    let more = false;
    for (const entry of body) {
      const end = ends.find(({ key }) => key === entry.key);
      if (end !== undefined) {
        missing = missing.filter((other) => other !== end);
        if (!this.end(site, end, entry.value, input, about)) usable = false;
        parts.push({ ...entry, key: end.field });
      } else if (places.includes(entry.key)) {
        if (!this.place(site, entry, input, about)) usable = false;
        parts.push(entry);
      } else if (plain.includes(entry.key)) {
        parts.push(entry);
        more = true;
      } else {
        const known = [...ends.map(({ key }) => key), ...places, ...plain];
        document.fault(entry.keyNode, about, unknownKeyText(entry.key, known));
      }
    }
    for (const { key } of missing) document.fault(node, about, `the key ${quote(key)} is missing: add it.`);
    if (!usable || missing.length > 0) return;
    const origin = { document, node, parts, input };
    const here = aboutRecord(kind, input, about.label);
    const read = [...ends.map(({ field }) => field), ...places];
    const faults = more ? readFields({ kind, body: read }, origin, here) : undefined;
    this.take(kind, origin, here, faults);
  }

  /** Reads one end into the link's fields. Says whether it could. */
  private end(site: Site, { field }: End, node: YamlNode, input: Record<string, Json>, about: About): boolean {
    const { kind, document, application } = site;
    const text = textOf(document, node, about);
    if (text === undefined) return false;
    const read = attempt(
      () => {
        if (field === 'entity') {
          const entity = this.entity(kind, text, application);
          if (entity.kind === EVERYONE) return { entity_type: entity.kind, entity: entity.path };
          return { entity_type: entity.kind, entity: this.choose(kind, entity.kind, entity, text) };
        }
        const target = field as Kind;
        return { [field]: this.choose(kind, target, readPath(target, text, application), text) };
      },
      (fault) => document.fault(node, about, fault),
    );
    Object.assign(input, read);
    return read !== undefined;
  }

  /** Reads the resource on which a link counts into its fields. Says whether it could. */
  private place({ document, application }: Site, entry: Entry, input: Record<string, Json>, about: About): boolean {
    const { key, value } = entry;
    const text = textOf(document, value, { label: `${about.label}: ${key}` });
    if (text === undefined) return false;
    const path = attempt(
      () => readPath('resource', text, application).path,
      (fault) => document.fault(value, about, fault),
    );
    if (path !== undefined) input[key] = path;
    return path !== undefined;
  }

  /** Whom a text names, if a link of the kind may lead there. */
  private entity(link: LinkKind, text: string, application: Path | undefined): ReadEntity {
    if (!text.includes('/') && text !== EVERYONE && text !== EVERY_TYPE)
      throw new NotationError(this.namelessText(text));
    const entity = readEntity(text, application);
    const { options } = definitionOf(link).schema.shape.entity_type as z.ZodEnum;
    if (options.includes(entity.kind)) return entity;
    const allowed = options.filter((option) => option !== EVERYONE).join(' or a ');
    throw new NotationError(`${quote(text)} is ${oneOf(entity.kind)}: only a ${allowed} may stand here.`);
  }

  /** The application's record of a bare name, or else the tenant's; a name that fits both is refused. */
  private choose(link: LinkKind, kind: Kind, { path, tenantPath }: ReadPath, text: string): Path {
    if (tenantPath === undefined || !this.known(addressIn(kind, tenantPath))) return path;
    if (!this.known(addressIn(kind, path))) return tenantPath;
    const first = text.startsWith(`${kind}/`) ? `${kind}/${path}` : path;
    throw new NotationError(
      `${quote(text)} fits ${kind}/${path} and ${kind}/${tenantPath}: write ${quote(first)} for the one; for the other, ` +
        `put this into ${quote(definitionOf(link).yaml)} at the top of a file.`,
    );
  }

  /** The remedy for a bare name where whom it means must be said: the record of that name, if there is one. */
  private namelessText(text: string): string {
    if (this.entities === undefined) {
      this.entities = new Map();
      for (const address of this.declarations.origins.keys()) {
        const [kind, ...rest] = address.split('/');
        const entity = kind === 'subject' ? rest.join('/') : address;
        const known = kind === 'subject' || kind === 'group' || kind === 'role';
        if (known && !address.includes('//')) this.entities.set(rest.at(-1) ?? '', entity);
      }
    }
    // A colon is what the command line writes between a subject's type and id.
    const path = text.replace(':', '/');
    const meant = this.known(`subject/${path}`) ? path : this.entities.get(encodeSegment(text));
    const remedy =
      meant === undefined ? 'write TYPE/ID for a subject, group/NAME or role/PATH.' : `did you mean ${quote(meant)}?`;
    return `${quote(text)} does not say of what kind it is: ${remedy}`;
  }

  private known(address: Address): boolean {
    return this.declarations.origins.has(address) || this.external.has(address);
  }
}

function textOf(document: YamlDocument, node: YamlNode, about: About): string | undefined {
  const value = document.json(node, () => about);
  if (typeof value === 'string') return value;
  if (value === null) document.fault(node, about, 'is empty: write a text, or remove it.');
  else if (value !== UNUSABLE) {
    const remedy = node.type === 'scalar' ? `: write ${JSON.stringify(node.source)} in quotes.` : '.';
    document.fault(node, about, `${describeNode(node)}, a text is expected${remedy}`);
  }
  return undefined;
}
