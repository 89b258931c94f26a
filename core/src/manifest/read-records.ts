import type { Json } from '../json/json.js';
import { type Path, path as pathOf } from '../records/address.js';
import { quote } from '../records/describe.js';
import { unknownKeyText } from '../records/issue-text.js';
import { aboutRecord, inField } from './about.js';
import { type Declarations, FieldFaults } from './declarations.js';
import { expectedMapping } from './describe.js';
import type { Changes } from './environment-changes.js';
import { type FromRequests, isSendable } from './from-requests.js';
import { nodeAt, type Origin } from './locate.js';
import { fieldsOf, keysOf, type LinksNotation, type RecordsNotation } from './notation.js';
import { attempt, NotationError, readNames, readPath } from './paths.js';
import { isClaim, longClaim } from './rule-shorthand.js';
import type { BareInclusion } from './settle-includes.js';
import type { About } from './source.js';
import { type Entry, UNUSABLE, type YamlDocument } from './yaml-document.js';
import { isEmpty, type YamlNode } from './yaml-node.js';

/** The position of a mapping: its keys from the top, and the application it is in. */
interface Scope {
  label: string;
  application?: Path;
}

/** A list of links on a record, kept until all records are known. */
export interface PendingLinks {
  notation: LinksNotation;
  document: YamlDocument;
  node: YamlNode;
  holder: { kind: string; path: Path };
  label: string;
  application?: Path;
}

/** One mention of an application. Several may add to it; it is declared once, when all are known. */
export interface ApplicationMention {
  name: string;
  document: YamlDocument;
  entry: Entry;
  fields: Entry[];
}

/** Reads the mappings from keys to records. Links and applications are left for when all files have been read. */
export class RecordReader {
  readonly links: PendingLinks[] = [];
  readonly applications: ApplicationMention[] = [];
  readonly bareInclusions: BareInclusion[] = [];

  constructor(
    private readonly declarations: Declarations,
    private readonly fromRequests: FromRequests,
    private readonly changes?: Changes,
  ) {}

  collection(notation: RecordsNotation, document: YamlDocument, node: YamlNode, scope: Scope): void {
    if (isEmpty(node)) return;
    if (node.type !== 'map') {
      document.leaveUnread(node);
      document.fault(node, scope, expectedMapping(node));
      return;
    }
    for (const entry of document.entries(node, () => scope)) {
      const label = `${scope.label}.${entry.key}`;
      const body = this.body(document, entry, { label });
      if (body === undefined) continue;
      if (notation.kind === 'application') this.application(notation, document, entry, body);
      else this.record(notation, document, entry, body, { ...scope, label });
    }
  }

  /** The entries of a record's value; a record with nothing to say may have none. */
  private body(document: YamlDocument, entry: Entry, about: About): Entry[] | undefined {
    if (isEmpty(entry.value)) return [];
    if (entry.value.type === 'map') return document.entries(entry.value, () => about);
    document.fault(entry.value, about, expectedMapping(entry.value));
    return undefined;
  }

  private application(notation: RecordsNotation, document: YamlDocument, entry: Entry, body: Entry[]): void {
    const fields: Entry[] = [];
    const label = `applications.${entry.key}`;
    const application = pathOf(entry.key);
    const known = [...fieldsOf('application').plain, ...notation.collections.keys()];
    for (const part of body) {
      const nested = notation.collections.get(part.key);
      if (nested !== undefined) {
        this.collection(nested, document, part.value, { label: `${label}.${part.key}`, application });
      } else if (known.includes(part.key)) {
        fields.push(part);
      } else {
        document.leaveUnread(part.value);
        const about = aboutRecord('application', { name: entry.key }, label);
        document.fault(part.keyNode, about, unknownKeyText(part.key, known));
      }
    }
    this.applications.push({ name: entry.key, document, entry, fields });
  }

  private record(notation: RecordsNotation, document: YamlDocument, entry: Entry, base: Entry[], scope: Scope): void {
    const { kind } = notation;
    const { application } = scope;
    const { body, links: changeLinks } = this.changes?.applied(
      { notation, application, key: entry.key, body: base },
      document,
      entry.keyNode,
    ) ?? { body: base };
    const input = this.key(notation, document, entry, body, scope);
    if (input === undefined) return;
    const about = aboutRecord(kind, input, scope.label);
    const origin = { document, node: entry.keyNode, parts: this.underFields(notation, document, body, about), input };
    const faults = readFields(notation, origin, about, scope.application, this.bareInclusions);
    if (isSendable(kind, 'properties')) this.fromRequests.read(kind, origin, about);
    this.declarations.declare(kind, origin, about, faults);
    if (about.address === undefined) return;
    const holder = { kind, path: about.address.slice(kind.length + 1) };
    for (const part of body) {
      const links = notation.links.get(part.key);
      if (links === undefined) continue;
      const label = `${about.label}: ${part.key}`;
      this.links.push({ notation: links, document, node: part.value, holder, label, application });
    }
    changeLinks?.(holder.path, about.label);
  }

  /** The entries of a record, those that YAML names otherwise under their fields' names. */
  private underFields(notation: RecordsNotation, document: YamlDocument, body: Entry[], about: About): Entry[] {
    const { renamed } = fieldsOf(notation.kind);
    if (renamed.size === 0) return body;
    const fields = new Map([...renamed].map(([field, key]) => [key, field]));
    return body.flatMap((entry) => {
      if (!renamed.has(entry.key)) return { ...entry, key: fields.get(entry.key) ?? entry.key };
      document.leaveUnread(entry.value);
      document.fault(entry.keyNode, about, unknownKeyText(entry.key, keysOf(notation)));
      return [];
    });
  }

  /** The fields that the key says, with those of the natural key that stand in the body. */
  private key(
    notation: RecordsNotation,
    document: YamlDocument,
    entry: Entry,
    body: readonly Entry[],
    { label, application = '' }: Scope,
  ): Record<string, Json> | undefined {
    const { key } = entry;
    if (notation.key === 'name') return notation.inApplication ? { application, name: key } : { name: key };
    return attempt(
      () => (notation.key === 'subject' ? subjectKey(key) : resourceKey(document, key, body, { label, application })),
      (text) => document.fault(entry.keyNode, { label }, text),
    );
  }
}

function subjectKey(key: string): Record<string, Json> {
  const [type = '', id = ''] = readNames(readPath('subject', key).path);
  return { type, id };
}

function resourceKey(
  document: YamlDocument,
  key: string,
  body: readonly Entry[],
  { label, application }: Required<Scope>,
): Record<string, Json> | undefined {
  const typed = body.find((part) => part.key === 'type');
  if (typed === undefined) {
    const [type, name, more] = key.includes('/') ? readNames(key) : [];
    if (type !== undefined && name !== undefined && more === undefined) {
      return { type: `${application}/${pathOf(type)}`, name };
    }
    const escaped = more === undefined ? '' : ', "/" in a name as "%2F"';
    throw new NotationError(`has no type: add "type: TYPE", or write the key as TYPE/NAME${escaped}.`);
  }
  const about = { label: `${label}: type` };
  const type = document.json(typed.value, () => about);
  if (type === UNUSABLE) return undefined;
  if (typeof type !== 'string') return { type, name: key };
  const path = attempt(
    () => ownType(type, application),
    (text) => document.fault(typed.value, about, text),
  );
  return path === undefined ? undefined : { type: path, name: key };
}

function ownType(type: string, application: Path): Path {
  const { path } = readPath('resource_type', type, application);
  if (path.startsWith(`${application}/`)) return path;
  throw new NotationError(`${quote(type)} is a type of another application: declare the resource there.`);
}

/** Reads the plain fields among the origin's parts into its input, and reports those that cannot be. */
export function readFields(
  notation: Pick<RecordsNotation, 'kind'> & Partial<RecordsNotation>,
  origin: Origin,
  about: About,
  application?: Path,
  bareInclusions?: BareInclusion[],
): FieldFaults | undefined {
  const { kind, links, body = [] } = notation;
  const { document, parts, input } = origin;
  const { plain, references } = fieldsOf(kind);
  let faults: FieldFaults | undefined;
  for (const { key, keyNode, value } of parts) {
    if (plain.includes(key)) {
      const json = document.json(value, () => inField(about, [key]), key === 'properties');
      if (json !== UNUSABLE) {
        input[key] = isClaim(kind, key) ? longClaim(json) : json;
        continue;
      }
      faults ??= new FieldFaults();
      faults.unread.push(key);
    } else if (!links?.has(key) && !body.includes(key)) {
      document.fault(keyNode, about, unknownKeyText(key, keysOf(notation)));
    }
  }
  for (const { steps, kind: target, all } of references) {
    if (!plain.includes(steps[0] ?? '')) continue;
    replaceTexts(input, steps, [], (text, path) => {
      if (text === all) return text;
      const read = attempt(
        () => {
          const { path: own, tenantPath } = readPath(target, text, application);
          if (tenantPath !== undefined) bareInclusions?.push({ origin, about, path, own, tenants: tenantPath });
          return own;
        },
        (fault) => document.fault(nodeAt(origin, path), inField(about, path), fault),
      );
      if (read !== undefined) return read;
      faults ??= new FieldFaults();
      faults.wrong.push(String(path[0]));
      return text;
    });
  }
  return faults;
}

/** Replaces every text that the steps lead to. */
function replaceTexts(
  value: Json | undefined,
  steps: readonly string[],
  path: readonly PropertyKey[],
  replace: (text: string, path: readonly PropertyKey[]) => string,
): void {
  const [step, ...rest] = steps;
  if (step === undefined || value === null || typeof value !== 'object') return;
  const container = value as { [key: string]: Json };
  for (const key of step === '*' ? Object.keys(container) : [step]) {
    const inner = container[key];
    const here = [...path, step === '*' ? Number(key) : key];
    if (rest.length > 0) replaceTexts(inner, rest, here, replace);
    else if (typeof inner === 'string') container[key] = replace(inner, here);
  }
}
