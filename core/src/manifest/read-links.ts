import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { z } from 'zod';
import type { Json } from '../json.js';
import { type Address, address as addressIn, encodeSegment, type Path } from '../records/address.js';
import type { Kind } from '../records/kinds.js';
import { definitionOf } from '../records/registry.js';
import { type Declarations, expectedMapping, unknownKeyText } from './declarations.js';
import { describeNode, quote } from './describe.js';
import { fieldsOf, givenField, type LinkKind, type LinkListNotation } from './notation.js';
import { NotationError, nounOf, type ReadPath, readEntity, readPath } from './paths.js';
import { isEmpty, type PendingLinks, readFields } from './read-records.js';
import type { About } from './source.js';
import { type Entry, UNUSABLE, type YamlDocument } from './yaml-document.js';

/** An end of a link as written: a field of the link's record, the key it stands under, and what it stands in. */
interface End {
  field: string;
  key: string;
}

/** Reads links, on records and in lists of their own, when all records are known: bare names need that. */
export class LinkReader {
  /** Whom a bare name may mean, as entities write it; made when the first one is met. */
  private entities: Map<string, string> | undefined;

  constructor(
    private readonly declarations: Declarations,
    private readonly external: ReadonlySet<Address>,
  ) {}

  /** The links that a record's list says. */
  onRecord({ notation, document, node, holder, label, application }: PendingLinks): void {
    const fixed =
      notation.end === 'entity'
        ? { [givenField(notation.kind)]: holder.path }
        : { entity_type: holder.kind, entity: holder.path };
    const end = { field: notation.end, key: notation.item };
    for (const [index, item] of this.items(document, node, label).entries()) {
      const about = { label: `${label}[${index}]` };
      if (isScalar(item)) {
        const text = this.text(document, item, about);
        const entry = { key: end.key, keyNode: item, value: item };
        if (text !== undefined) this.link(notation.kind, document, item, [entry], [end], fixed, about, application);
      } else if (isMap(item)) {
        const body = document.entries(item, () => about);
        this.link(notation.kind, document, item, body, [end], fixed, about, application);
      } else {
        document.fault(item, about, `${describeNode(item)}: write a text, or a mapping with ${quote(end.key)}.`);
      }
    }
  }

  /** The links of a list at the top of a file. */
  list({ kind, to }: LinkListNotation, document: YamlDocument, node: Node | null, label: string): void {
    const given = givenField(kind);
    const ends = [
      { field: given, key: given },
      { field: 'entity', key: to },
    ];
    for (const [index, item] of this.items(document, node, label).entries()) {
      const about = { label: `${label}[${index}]` };
      if (!isMap(item)) document.fault(item, about, expectedMapping(item));
      else
        this.link(
          kind,
          document,
          item,
          document.entries(item, () => about),
          ends,
          {},
          about,
          undefined,
        );
    }
  }

  private items(document: YamlDocument, node: Node | null, label: string): (Node | null)[] {
    if (isEmpty(node)) return [];
    if (isSeq(node)) return node.items.map((item) => document.follow(item));
    const source = isScalar(node) && node.source !== undefined ? `: write [${node.source}].` : '.';
    document.fault(node, { label }, `${describeNode(node)}, a list is expected${source}`);
    return [];
  }

  private link(
    kind: LinkKind,
    document: YamlDocument,
    node: Node,
    body: readonly Entry[],
    ends: readonly End[],
    fixed: Record<string, Json>,
    about: About,
    application: Path | undefined,
  ): void {
    const input: Record<string, Json> = { ...fixed };
    const parts: Entry[] = [];
    const rest: Entry[] = [];
    let usable = true;
    for (const entry of body) {
      const end = ends.find(({ key }) => key === entry.key);
      if (end === undefined) {
        rest.push(entry);
        continue;
      }
      usable = this.end(kind, end, document, entry.value, input, about, application) && usable;
      parts.push({ ...entry, key: end.field });
    }
    const { plain } = fieldsOf(kind);
    const known = [...ends.map(({ key }) => key), ...plain];
    for (const { key, keyNode } of rest) {
      if (!plain.includes(key)) document.fault(keyNode, about, unknownKeyText(key, known));
    }
    for (const { key, field } of ends) {
      if (parts.some((part) => part.key === field)) continue;
      document.fault(node, about, `the key ${quote(key)} is missing: add it.`);
      usable = false;
    }
    if (!usable) return;
    const fields = rest.filter(({ key }) => plain.includes(key));
    const faulty = readFields({ kind }, document, fields, input, about);
    this.declarations.declare(kind, { document, node, parts: [...parts, ...fields], input }, about.label, faulty);
  }

  /** Reads one end into the link's fields. Says whether it could. */
  private end(
    kind: LinkKind,
    { field, key }: End,
    document: YamlDocument,
    node: Node | null,
    input: Record<string, Json>,
    about: About,
    application: Path | undefined,
  ): boolean {
    const text = this.text(document, node, { label: node === null ? about.label : `${about.label}: ${key}` });
    if (text === undefined) return false;
    try {
      if (field !== 'entity') {
        const target = field as Kind;
        input[field] = this.choose(kind, target, readPath(target, text, application), text);
        return true;
      }
      if (!text.includes('/')) throw new NotationError(this.namelessText(text));
      const entity = readEntity(text, application);
      const { options } = definitionOf(kind).schema.shape.entity_type as z.ZodEnum;
      if (!options.includes(entity.kind)) {
        throw new NotationError(
          `${quote(text)} is ${nounOf(entity.kind)}: only a ${options.join(' or a ')} may stand here.`,
        );
      }
      input.entity_type = entity.kind;
      input.entity = this.choose(kind, entity.kind, entity, text);
      return true;
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      document.fault(node, about, error.message);
      return false;
    }
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
    const meant = this.entities.get(encodeSegment(text));
    const remedy =
      meant === undefined ? 'write TYPE/ID for a subject, group/NAME or role/PATH.' : `did you mean ${quote(meant)}?`;
    return `${quote(text)} does not say of what kind it is: ${remedy}`;
  }

  private known(address: Address): boolean {
    return this.declarations.origins.has(address) || this.external.has(address);
  }

  private text(document: YamlDocument, node: Node | null, about: About): string | undefined {
    const value = document.json(node, () => about);
    if (typeof value === 'string') return value;
    if (value === UNUSABLE) return undefined;
    if (value === null) {
      document.fault(node, about, 'is empty: write a text, or remove it.');
      return undefined;
    }
    const source = isScalar(node) && node.source ? `: write ${JSON.stringify(node.source)} in quotes.` : '.';
    document.fault(node, about, `${describeNode(node)}, a text is expected${source}`);
    return undefined;
  }
}
