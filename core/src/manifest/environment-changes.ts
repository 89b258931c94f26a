import * as z from 'zod';
import type { Path } from '../records/address.js';
import { path as pathOf } from '../records/address.js';
import { quote } from '../records/describe.js';
import { unknownKeyText } from '../records/issue-text.js';
import { definitionOf } from '../records/registry.js';
import { unwrap } from '../records/schema-shape.js';
import { nearest } from '../text/nearest.js';
import { describeNode } from './describe.js';
import { isSame, lend } from './lend-nodes.js';
import { COLLECTIONS, fieldsOf, keysOf, type RecordsNotation } from './notation.js';
import type { PendingLinks } from './read-records.js';
import type { About, Findings } from './source.js';
import type { Entry, YamlDocument } from './yaml-document.js';
import { isEmpty, type YamlNode } from './yaml-node.js';

/** The fields and lists of one record that an environment changes. */
interface Change {
  notation: RecordsNotation;
  document: YamlDocument;
  entry: Entry;
  body: Entry[];
  label: string;
  /** The number of records of the base that it fits. */
  fits: number;
}

/** The position of a record: the application it is in, and its key. */
interface Position {
  notation: RecordsNotation;
  application?: Path | undefined;
  key: string;
  body: readonly Entry[];
}

/** Changes of an environment in records of the base, by the keys that these have there. */
export class Changes {
  readonly #changes = new Map<string, Change>();
  /** The keys of the base's records, for those that may be meant. */
  readonly #known = new Set<string>();
  readonly added: PendingLinks[] = [];
  readonly removed: PendingLinks[] = [];

  constructor(private readonly findings: Findings) {}

  /** Reads the mapping `change` of an environment's file. */
  read(document: YamlDocument, node: YamlNode): void {
    for (const { key, keyNode, value } of document.mapping(node, { label: 'change' })) {
      const notation = COLLECTIONS.get(key);
      if (notation !== undefined) this.#collection(notation, document, value, { label: `change.${key}` });
      else document.fault(keyNode, { label: 'change' }, unknownKeyText(key, [...COLLECTIONS.keys()]));
    }
  }

  #collection(
    notation: RecordsNotation,
    document: YamlDocument,
    node: YamlNode,
    { label: around, application }: About & { application?: Path },
  ): void {
    for (const entry of document.mapping(node, { label: around })) {
      const label = `${around}.${entry.key}`;
      const entries = document.mapping(entry.value, { label });
      const body = entries.filter(({ key }) => !notation.collections.has(key));
      for (const { key, value } of entries) {
        const nested = notation.collections.get(key);
        const within = { label: `${label}.${key}`, application: pathOf(entry.key) };
        if (nested !== undefined) this.#collection(nested, document, value, within);
      }
      // An application stands here for what is in it, too.
      if (notation.kind === 'application' && body.length === 0) continue;
      const identity = identityOf({ notation, application, key: entry.key, body });
      this.#changes.set(identity, { notation, document, entry, body, label, fits: 0 });
    }
  }

  /** The change of a record of the base, if there is one. */
  #of(position: Position): Change | undefined {
    const identity = identityOf(position);
    this.#known.add(identity);
    const change = this.#changes.get(identity) ?? this.#changes.get(bare(position));
    if (change !== undefined && ++change.fits > 1)
      change.document.fault(
        change.entry.keyNode,
        { label: change.label },
        'fits several records of the base: write the key as TYPE/NAME.',
      );
    return change;
  }

  /**
   * The body of a record of the base with what the environment changes in it. Links go to `added` and `removed` by
   * `links`, once the record's path is known.
   */
  applied(
    position: Position,
    document: YamlDocument,
    at: YamlNode,
  ): { body: Entry[]; links?: (path: Path, label: string) => void } {
    const change = this.#of(position);
    if (change === undefined) return { body: [...position.body] };
    const { notation } = change;
    const body = [...position.body];
    const lists: Entry[] = [];
    for (const part of change.body) {
      if (notation.links.has(part.key)) lists.push(part);
      else if (!notation.body.includes(part.key)) this.#field(change, part, { document, at, body });
    }
    if (lists.length === 0) return { body };
    return { body, links: (path, label) => this.#links(change, lists, { path, label }, position.application) };
  }

  #field(
    { notation, document: from, label }: Change,
    part: Entry,
    { document, at, body }: { document: YamlDocument; at: YamlNode; body: Entry[] },
  ): void {
    const about = { label: `${label}.${part.key}` };
    const index = body.findIndex(({ key }) => key === part.key);
    const present = body[index]?.value;
    const edit = isList(notation, part.key) ? editOf(from, part.value, about) : undefined;
    let value: YamlNode | undefined;
    if (edit !== undefined) value = this.#edited(edit, present, from, { document, at, about });
    else if (!isEmpty(part.value)) value = lend(this.findings, { document: from, node: part.value }, { document, at });
    if (value === undefined && present === undefined) {
      from.warning(part.keyNode, about, 'is not in the base either: remove it.');
      return;
    }
    if (edit === undefined && value !== undefined && present !== undefined && isSame(value, present))
      from.warning(part.keyNode, about, 'is so in the base already: remove it.');
    if (value === undefined) body.splice(index, 1);
    else {
      const keyNode = lend(this.findings, { document: from, node: part.keyNode }, { document, at });
      body.splice(index < 0 ? body.length : index, index < 0 ? 0 : 1, { key: part.key, keyNode, value });
    }
  }

  #edited(
    { add, remove }: Edit,
    present: YamlNode | undefined,
    from: YamlDocument,
    { document, at, about }: { document: YamlDocument; at: YamlNode; about: About },
  ): YamlNode {
    const items = present?.type === 'list' ? [...present.items] : [];
    for (const item of remove) {
      const index = items.findIndex((other) => isSame(other, item));
      if (index >= 0) items.splice(index, 1);
      else from.fault(item, about, `${describeNode(item)} and not in the base's list: "remove" names what is there.`);
    }
    for (const item of add) {
      if (items.some((other) => isSame(other, item)))
        from.warning(item, about, `${describeNode(item)} and in the base's list already: remove it.`);
      else items.push(lend(this.findings, { document: from, node: item }, { document, at }));
    }
    return { type: 'list', start: present?.start ?? at.start, end: present?.end ?? at.end, items };
  }

  #links(
    { notation, document }: Change,
    lists: readonly Entry[],
    { path, label: record }: { path: Path; label: string },
    application: Path | undefined,
  ): void {
    for (const { key, value } of lists) {
      const links = notation.links.get(key);
      const label = `${record}: ${key}`;
      const edit = editOf(document, value, { label });
      if (links === undefined) continue;
      if (edit === undefined) {
        const text = `${describeNode(value)}, and links are added and removed: write "{ add: [], remove: [] }" with items in the lists.`;
        document.fault(value, { label }, text);
        continue;
      }
      const at = { notation: links, document, holder: { kind: notation.kind, path }, label };
      const list = (items: YamlNode[]): YamlNode => ({ type: 'list', start: value.start, end: value.end, items });
      const within = application === undefined ? {} : { application };
      this.added.push({ ...at, ...within, node: list(edit.add) });
      this.removed.push({ ...at, ...within, node: list(edit.remove) });
    }
  }

  /** Reports changes of what is not in the base, and keys that no record of the kind has. */
  checkUsed(): void {
    for (const [identity, { notation, document, entry, body, label, fits }] of this.#changes) {
      if (fits > 0) continue;
      const near = nearest(identity, this.#known)?.split('\n').at(-1);
      const meant = near === undefined ? 'write what is to be added under "add"' : `did you mean ${quote(near)}?`;
      document.fault(entry.keyNode, { label }, `is not in the base, so there is nothing to change: ${meant}`);
      for (const { key, keyNode } of body)
        if (!keysOf(notation).includes(key)) document.fault(keyNode, { label }, unknownKeyText(key, keysOf(notation)));
    }
  }
}

/** Items that a mapping `{ add, remove }` takes into a list and out of it. */
interface Edit {
  add: YamlNode[];
  remove: YamlNode[];
}

/** The edit that a node says; undefined where it is no mapping of `add` and `remove`. */
function editOf(document: YamlDocument, node: YamlNode, about: About): Edit | undefined {
  if (node.type !== 'map') return undefined;
  const entries = document.entries(node, () => about);
  if (entries.length === 0 || !entries.every(({ key }) => key === 'add' || key === 'remove')) return undefined;
  const edit: Edit = { add: [], remove: [] };
  for (const { key, value } of entries) edit[key as keyof Edit].push(...document.items(value, about));
  return edit;
}

function isList({ kind }: RecordsNotation, key: string): boolean {
  const { shape } = definitionOf(kind).schema;
  const field = [...fieldsOf(kind).renamed].find(([, written]) => written === key)?.[0] ?? key;
  const schema = shape[field];
  return schema !== undefined && unwrap(schema) instanceof z.ZodArray;
}

/** Tells records apart: collection, application and key, with the type of a resource. */
function identityOf({ notation, application, key, body }: Position): string {
  if (notation.key !== 'resource') return [notation.kind, application ?? '', key].join('\n');
  const typed = body.find((part) => part.key === 'type')?.value;
  const type = typed?.type === 'scalar' ? String(typed.value).split('/').at(-1) : undefined;
  return [notation.kind, application ?? '', type === undefined ? key : `${type}/${key}`].join('\n');
}

/** The identity of a resource without its type. */
function bare({ notation, application, key, body }: Position): string {
  const isTyped = body.some((part) => part.key === 'type');
  return [notation.kind, application ?? '', isTyped ? key : (key.split('/').at(-1) ?? key)].join('\n');
}
