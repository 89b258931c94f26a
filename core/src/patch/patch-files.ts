import { type Document, isMap, isPair, isSeq, LineCounter, parse, parseDocument, type YAMLMap } from 'yaml';
import { plainEnds, withEndsOf } from '../manifest/line-ends.js';
import type { ManifestFile, ManifestResult } from '../manifest/manifest.js';
import { isLink } from '../manifest/write.js';
import { applicationOf, type LinkRecord, placeLinks } from '../manifest/write-links.js';
import { ProblemError } from '../problem.js';
import type { ProposedChange } from '../questions/why-not/proposal.js';
import type { Address } from '../records/address.js';
import type { DeclaredRecord } from '../records/registry.js';
import { equalJson } from '../state/equal-json.js';
import { type FoundNode, nodeAt, removeNode } from './document-node.js';
import { type RenamedRecord, renameIn } from './rename-records.js';
import { ParsedDocument } from './splice-document.js';
import { addRecord, append, changeLink, changeRecord, emptyMap } from './write-record.js';

/** The changes to write into the files of a tree. */
export interface Patch {
  changes: readonly ProposedChange[];
  /** Records that get other names, and those that mention them; the other changes are about none of these. */
  renamed?: readonly RenamedRecord[];
  /** Records of other stacks that the changes mention and the tree does not list yet. */
  external?: readonly Address[];
}

/** The files of a tree while they are changed. */
interface OpenTree {
  /** Throws `conflict` where the record is not found in its file. */
  places(record: Address): FoundNode;
  documentFor(record: DeclaredRecord): Document;
  placeOf: ManifestResult['placeOf'];
  fromRequests: boolean;
  records: ReadonlyMap<Address, DeclaredRecord>;
  /** All addresses that the tree declares or calls external. */
  known: ReadonlySet<Address>;
}

/**
 * The files of a tree that changes are written into, with comments kept. Throws `conflict` for a change that cannot be
 * written into the files as they are, naming the place.
 */
export function patchFiles(
  files: readonly ManifestFile[],
  { placeOf, manifest, fromRequests }: ManifestResult,
  { changes, renamed = [], external = [] }: Patch,
): ManifestFile[] {
  const documents = new Map<string, Document>();
  const parsed = new Map<Document, ParsedDocument>();
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
    parsed.set(document, new ParsedDocument(document, file.text));
    lines.set(document, lineCounter);
    return document;
  };
  const documentOf = (record: Address) => documentIn(files.find(({ path }) => path === placeOf(record)?.file));
  const records = new Map(manifest?.records.map((record) => [record.address, record]));
  const environment = files.find(({ isEnvironment }) => isEnvironment)?.path;
  const inBase = [...records.values()].filter(({ address }) => placeOf(address)?.file !== environment);
  const tree: OpenTree = {
    placeOf,
    fromRequests,
    records,
    known: new Set([...records.keys(), ...(manifest?.external ?? []), ...external]),
    places(record) {
      const [document, place] = [documentOf(record), placeOf(record)];
      const found = document && place && nodeAt(document, lines.get(document), place);
      if (found === undefined) throw refused(record, placeOf, 'it is written in another form');
      return found;
    },
    documentFor(record) {
      const nearest = nearestOf(record, inBase);
      const document = (nearest === undefined ? undefined : documentOf(nearest)) ?? documentIn(mainOf(files));
      if (document === undefined) throw refused(record.address, placeOf, 'no file declares what it belongs to');
      return document;
    },
  };
  // They are found before any is gone, since one may be written within another.
  const removals = changes.flatMap(({ before, after }) =>
    before !== undefined && after === undefined ? tree.places(before.address) : [],
  );
  if (!renameIn(tree.places, renamed)) {
    const [first] = renamed;
    throw refused(first?.before.address ?? '', placeOf, 'its name is written in another form');
  }
  for (const change of changes) apply(change, tree);
  for (const removal of removals) removeNode(removal);
  const moves = renamed.flatMap(({ before, after, explicit }) =>
    explicit ? [{ from: before.address, to: after.address }] : [],
  );
  const main = external.length + moves.length > 0 ? documentIn(mainOf(files)) : undefined;
  for (const address of external) if (main !== undefined) append(main, 'external', address);
  for (const move of moves) if (main !== undefined) append(main, 'moved', move);
  return [...documents].sort(byPath).flatMap(([path, document]) => {
    const before = files.find((file) => file.path === path)?.text ?? '';
    const spliced = parsed.get(document)?.spliced();
    if (spliced !== undefined) return spliced === before ? [] : [{ path, text: spliced }];
    const plain = withLinesOf(plainEnds(before), plainEnds(textOf(path, document)));
    return plain === plainEnds(before) ? [] : [{ path, text: withEndsOf(before, plain) }];
  });
}

const byPath = ([left]: [string, unknown], [right]: [string, unknown]) => (left < right ? -1 : 1);

/** The file that says whose tree it is: what stands beside nothing else is written there. */
function mainOf(files: readonly ManifestFile[]): ManifestFile | undefined {
  const base = files.filter(({ isEnvironment }) => !isEnvironment);
  return base.find(({ text }) => /^stack:/m.test(text)) ?? base.find(({ text }) => /^version:/m.test(text)) ?? base[0];
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

/**
 * The text after, whose lines that differ from those before in the space within brackets or before a comment alone are as
 * they were; the others have none within square brackets where the text before has none.
 */
function withLinesOf(before: string, after: string): string {
  const plain = (line: string) =>
    line
      .replace(/([[{])\s+/g, '$1')
      .replace(/\s+([\]}])/g, '$1')
      .replace(/(?<=\S)\s+#/g, ' #');
  const known = new Map<string, string[]>();
  for (const line of before.split('\n')) known.set(plain(line), [...(known.get(plain(line)) ?? []), line]);
  const fitting = (line: string) => (before.includes('[ ') ? line : line.replace(/\[ +/g, '[').replace(/ +\]/g, ']'));
  const restored = after
    .split('\n')
    .map((line) => known.get(plain(line))?.shift() ?? fitting(line))
    .join('\n');
  return equalJson(parse(restored), parse(after)) ? restored : after;
}

function apply({ before, after }: ProposedChange, tree: OpenTree): void {
  if (after === undefined) return;
  if (before === undefined) {
    add(after, tree);
    return;
  }
  const { node, within } = tree.places(before.address);
  const document = within[0] as Document;
  if (isLink(before) && isLink(after)) {
    if (isMap(node)) changeLink(document, node, before, after);
    else {
      // An item that only names the other end says no more than that.
      removeNode({ node, within });
      addApart(after, tree);
    }
    return;
  }
  if (!isPair(node)) throw refused(before.address, tree.placeOf, 'it is written in another form');
  if (!isMap(node.value)) node.value = emptyMap(document, node.value);
  changeRecord(document, node.value as YAMLMap, { before, after, fromRequests: tree.fromRequests });
}

function add(record: DeclaredRecord, tree: OpenTree): void {
  if (!isLink(record)) {
    addRecord(tree.documentFor(record), record, tree.fromRequests);
    return;
  }
  const [on] = placeLinks([record], tree.records, tree.known).onRecords;
  if (on !== undefined) {
    const [holder, lists] = on;
    const { node, within } = tree.places(holder);
    const document = within[0] as Document;
    for (const [name, [item]] of Object.entries(lists)) {
      const list = isPair(node) && isMap(node.value) ? node.value.get(name) : undefined;
      if (!isSeq(list)) continue;
      list.add(document.createNode(item));
      return;
    }
  }
  addApart(record, tree);
}

/** Writes a link at the top of a file, where it needs no record to stand on. */
function addApart(link: LinkRecord, tree: OpenTree): void {
  const document = tree.documentFor(link);
  const { apart } = placeLinks([link], new Map(), tree.known);
  for (const [name, items] of Object.entries(apart)) for (const item of items) append(document, name, item);
}

/** The record in whose file a new one is written: what a link gives, or the last one that it would stand beside. */
function nearestOf(record: DeclaredRecord, records: Iterable<DeclaredRecord>): Address | undefined {
  if (isLink(record)) {
    const { kind, fields } = record;
    if (kind === 'role_assignment') return `role/${fields.role}`;
    return kind === 'policy_assignment' ? `policy/${fields.policy}` : `group/${fields.group}`;
  }
  const application = applicationOf(record);
  let nearest: Address | undefined;
  for (const one of records) if (one.kind === record.kind && applicationOf(one) === application) nearest = one.address;
  return nearest ?? (application === undefined ? undefined : `application/${application}`);
}

function refused(record: Address, placeOf: ManifestResult['placeOf'], why: string): ProblemError {
  const place = placeOf(record);
  const where = place === undefined ? '' : ` at ${place.file}:${place.line}`;
  return new ProblemError('conflict', `The change of ${record}${where} cannot be written into the files: ${why}.`);
}
