import { type Document, isMap, isSeq, LineCounter, parse, parseDocument } from 'yaml';
import type { Json } from '../json.js';
import type { ManifestFile, ManifestResult } from '../manifest/manifest.js';
import { ProblemError } from '../problem.js';
import { type Address, names, splitAddress } from '../records/address.js';
import { type DeclaredRecord, definitionOf } from '../records/registry.js';
import { equalJson } from '../state/equal-json.js';
import { type FoundNode, nodeAt, removeNode } from './document-node.js';
import type { Proposal, ProposedChange } from './proposal.js';

/** Throws `conflict` where the record is not found in its file. */
type NodeFinder = (record: Address) => FoundNode;

/**
 * The files of a tree that a proposal changes, with comments kept. Throws `conflict` for a change that cannot be written
 * into the files as they are, naming the place.
 */
export function patchFiles(
  files: readonly ManifestFile[],
  placeOf: ManifestResult['placeOf'],
  { changes }: Proposal,
): ManifestFile[] {
  const documents = new Map<string, Document>();
  const lines = new Map<Document, LineCounter>();
  const documentIn = (file: ManifestFile | undefined): Document | undefined => {
    const known = file && documents.get(file.path);
    if (file === undefined || known !== undefined) return known;
    const lineCounter = new LineCounter();
    const document = parseDocument(file.text, { lineCounter });
    if (document.errors.length > 0) {
      const detail = `"${file.path}" holds several YAML documents and cannot be patched: write them into files of their own.`;
      throw new ProblemError('conflict', detail);
    }
    documents.set(file.path, document);
    lines.set(document, lineCounter);
    return document;
  };
  const documentOf = (record: Address) => documentIn(files.find(({ path }) => path === placeOf(record)?.file));
  // A new subject goes beside the others.
  const documentOfSubjects = () => documentIn(files.find(({ text }) => /^subjects:/m.test(text)) ?? files[0]);
  const places: NodeFinder = (record) => {
    const [document, place] = [documentOf(record), placeOf(record)];
    const found = document && place && nodeAt(document, lines.get(document), place);
    if (found === undefined) throw refused(record, placeOf, 'it is written in another form');
    return found;
  };
  // They are found before any is gone, since one may be written within another.
  const removals = changes.flatMap(({ before, after }) =>
    before !== undefined && after === undefined ? places(before.address) : [],
  );
  for (const change of changes) apply(change, places, documentOf, documentOfSubjects, placeOf);
  for (const removal of removals) removeNode(removal);
  return [...documents].map(([path, document]) => {
    const before = files.find((file) => file.path === path)?.text ?? '';
    return { path, text: withLinesOf(before, textOf(path, document)) };
  });
}

function textOf(path: string, document: Document): string {
  try {
    return document.toString({ lineWidth: 0 });
  } catch {
    // What an alias stands for is gone.
    const detail = `The change cannot be written into the files: "${path}" says it for other records, too, by an alias.`;
    throw new ProblemError('conflict', detail);
  }
}

/** The text after, whose lines that differ from those before in the space within brackets alone are as they were. */
function withLinesOf(before: string, after: string): string {
  const plain = (line: string) => line.replace(/([[{])\s+/g, '$1').replace(/\s+([\]}])/g, '$1');
  const known = new Map<string, string[]>();
  for (const line of before.split('\n')) known.set(plain(line), [...(known.get(plain(line)) ?? []), line]);
  const restored = after
    .split('\n')
    .map((line) => known.get(plain(line))?.shift() ?? line)
    .join('\n');
  return equalJson(parse(restored), parse(after)) ? restored : after;
}

function apply(
  { before, after }: ProposedChange,
  places: NodeFinder,
  documentOf: (record: Address) => Document | undefined,
  documentOfSubjects: () => Document | undefined,
  placeOf: ManifestResult['placeOf'],
): void {
  if (before === undefined && after !== undefined) {
    const document = documentOf(nearestOf(after)) ?? documentOfSubjects();
    if (document === undefined) throw refused(after.address, placeOf, 'no file declares what it belongs to');
    add(document, after);
    return;
  }
  if (before === undefined || after === undefined) return;
  if (isLink(after)) {
    const { node } = places(after.address);
    for (const [name] of differences(before.fields, after.fields)) if (isMap(node)) node.deleteIn(name);
    return;
  }
  const document = documentOf(before.address);
  const path = document && pathsOf(before).find((one) => document.hasIn(one));
  if (document === undefined || path === undefined)
    throw refused(before.address, placeOf, 'it is written in another form');
  for (const [name, value] of differences(before.fields, after.fields)) {
    if (value === undefined) document.deleteIn([...path, ...name]);
    else {
      if (!isMap(document.getIn(path))) document.setIn(path, document.createNode({}));
      document.setIn([...path, ...name], document.createNode(value));
    }
  }
}

/** A proposal changes nothing of an existing link but its period. */
function isLink({ kind }: DeclaredRecord): boolean {
  return kind === 'role_assignment' || kind === 'policy_assignment' || kind === 'group_membership';
}

/** The record in whose file a new one is written: the one that is given something, or that gives it. */
function nearestOf({ kind, fields }: DeclaredRecord): Address {
  switch (kind) {
    case 'role_assignment':
      return `role/${fields.role}`;
    case 'policy_assignment':
      return `policy/${fields.policy}`;
    case 'group_membership':
      return `group/${fields.group}`;
    default:
      return '';
  }
}

function add(document: Document, { kind, fields }: DeclaredRecord): void {
  const { yaml } = definitionOf(kind);
  if (kind === 'role_assignment') {
    const { role, entity, resource } = fields;
    append(document, yaml, { role, to: entity, ...(resource !== undefined && { resource }) });
  } else if (kind === 'policy_assignment') append(document, yaml, { policy: fields.policy, to: fields.entity });
  else if (kind === 'group_membership') append(document, yaml, { group: fields.group, member: fields.entity });
  else if (kind === 'subject') document.setIn([yaml, `${fields.type}/${fields.id}`], document.createNode({}));
}

function append(document: Document, list: string, item: Json): void {
  const present = document.get(list);
  if (isSeq(present)) present.add(document.createNode(item));
  else document.set(list, document.createNode([item]));
}

/** Where a record may be written in its file. */
function pathsOf({ kind, address, fields }: DeclaredRecord): string[][] {
  const { yaml } = definitionOf(kind);
  const parts = [...names(splitAddress(address).path)];
  if (kind === 'subject') return [[yaml, `${fields.type}/${fields.id}`]];
  if (kind === 'resource') {
    const [application = '', type = '', name = ''] = parts;
    return [name, `${type}/${name}`].map((key) => ['applications', application, yaml, key]);
  }
  const name = parts.pop() ?? '';
  return parts.length === 0 ? [[yaml, name]] : [['applications', ...parts, yaml, name]];
}

/** The changed fields, and of properties and modifiers the changed members. */
function differences(before: object, after: object): [path: string[], value: Json | undefined][] {
  const [left, right] = [before as Record<string, Json>, after as Record<string, Json>];
  const changed = [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (name) => JSON.stringify(left[name]) !== JSON.stringify(right[name]),
  );
  return changed.flatMap((name): [string[], Json | undefined][] => {
    const [was, is] = [left[name], right[name]];
    if (!isObject(was) || !isObject(is)) return [[[name], is]];
    return differences(was, is).map(([path, value]) => [[name, ...path], value]);
  });
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(record: Address, placeOf: ManifestResult['placeOf'], why: string): ProblemError {
  const place = placeOf(record);
  const where = place === undefined ? '' : ` at ${place.file}:${place.line}`;
  return new ProblemError('conflict', `The change of ${record}${where} cannot be written into the files: ${why}.`);
}
