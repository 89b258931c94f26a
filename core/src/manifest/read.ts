import { unknownKeyText } from '../records/issue-text.js';
import { AddressLists } from './address-lists.js';
import { declareApplications } from './applications.js';
import { checkRecords } from './check-records.js';
import { Declarations } from './declarations.js';
import { expectedMapping } from './describe.js';
import { documentsOf, sourceOf } from './documents.js';
import { Environment, type Removal } from './environment.js';
import { foreignText, isForeign, TOP_KEYS } from './foreign.js';
import { FromRequests } from './from-requests.js';
import type { ManifestFile, ManifestResult } from './manifest.js';
import { COLLECTIONS, LINK_LISTS } from './notation.js';
import { LinkReader } from './read-links.js';
import { RecordReader } from './read-records.js';
import { Settings } from './settings.js';
import { settleIncludes } from './settle-includes.js';
import { byPlace, Findings, Source } from './source.js';
import { Variables } from './variables.js';
import type { Entry, YamlDocument } from './yaml-document.js';
import { isEmpty } from './yaml-node.js';

/** How far a reading has come: the files that have been begun, and the records found in them. */
export interface ReadProgress {
  files: number;
  records: number;
}

/** Records between two reports: some tens of milliseconds. */
const PROGRESS_STEP = 500;

export interface ReadOptions {
  onProgress?: ((read: ReadProgress) => void) | undefined;
  /** The present moment, in milliseconds since the epoch: with it, what has expired is warned of. */
  now?: number;
  /** The file whose records may stand for those that are listed as external. */
  standIns?: string;
}

/**
 * Reads YAML files as one declaration of records. Every fault of every file is reported, not only the first; with any
 * of them there is no manifest. The order of the files means nothing. With the file of an environment among them, the others
 * are read as they are there.
 */
export function readManifest(
  files: readonly ManifestFile[],
  { onProgress, now, standIns }: ReadOptions = {},
): ManifestResult {
  const findings = new Findings();
  let filesBegun = 0;
  const declarations = new Declarations((records) => {
    if (records % PROGRESS_STEP === 0) onProgress?.({ files: filesBegun, records });
  });
  const fromRequests = new FromRequests();
  const settings = new Settings();
  const variables = new Variables(findings);
  const lists = new AddressLists();
  const linkLists: { document: YamlDocument; entry: Entry }[] = [];
  const foreign = new Set<string>();

  const readTop = (document: YamlDocument, entry: Entry): void => {
    const { key, keyNode, value } = entry;
    const collection = COLLECTIONS.get(key);
    if (collection !== undefined) records.collection(collection, document, value, { label: key });
    else if (LINK_LISTS.has(key)) linkLists.push({ document, entry });
    else if (key === 'version' || key === 'tenant' || key === 'stack') settings.read(key, document, value);
    else if (key === 'defaults') fromRequests.readDefaults(document, value);
    else if (key === 'moved') lists.readMoved(document, value);
    else if (key === 'external') lists.readExternal(document, value);
    else if (key !== 'variables') {
      document.leaveUnread(value);
      document.fault(keyNode, { label: '' }, unknownKeyText(key, TOP_KEYS));
    }
  };

  const environmentFile = files.find(({ isEnvironment }) => isEnvironment);
  const sources = files
    .filter(({ isEnvironment }) => !isEnvironment)
    .sort((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0))
    .map((file) => ({ file, source: sourceOf(file) }))
    .map(({ file, source }) => ({ file, source, documents: documentsOf(file, source, findings) }));
  const documents = sources.flatMap((file) => file.documents);
  for (const document of documents) {
    const entries = document.root.type === 'map' ? document.entries(document.root) : [];
    if (isForeign(entries)) continue;
    for (const { key, value } of entries) if (key === 'variables') variables.declare(document, value);
  }
  const environment = environmentFile && new Environment(environmentFile, findings, settings, variables);
  declarations.environmentFile = environmentFile?.path;
  const records = new RecordReader(declarations, fromRequests, environment?.changes);
  for (const { file, documents } of sources) {
    filesBegun++;
    onProgress?.({ files: filesBegun, records: declarations.origins.size });
    for (const document of documents) {
      variables.fold(document);
      const { root } = document;
      if (isEmpty(root)) continue;
      if (root.type === 'map') {
        const entries = document.entries(root, () => ({ label: '' }));
        if (isForeign(entries)) {
          document.leaveUnread(root);
          if (!foreign.has(file.path)) document.fault(root, { label: '' }, foreignText(entries));
          foreign.add(file.path);
        } else for (const entry of entries) readTop(document, entry);
      } else document.fault(root, { label: '' }, `The document ${expectedMapping(root)}`);
    }
  }
  for (const document of environment?.documents ?? [])
    if (document.root.type === 'map')
      for (const entry of document.entries(document.root, () => ({ label: 'add' }))) readTop(document, entry);
  if (findings.unread.length === 0) settings.requireVersion(sources[0]?.source ?? new Source('.', ''), findings);

  declareApplications(records.applications, lists.external, declarations, environment?.changes);
  environment?.changes.checkUsed();
  variables.warnOfUnused();
  settleIncludes(
    records.bareInclusions,
    declarations,
    (address) => declarations.origins.has(address) || lists.external.has(address),
  );
  fromRequests.settle(declarations);
  const external = new Set(lists.external.keys());
  const links = new LinkReader(declarations, external);
  const readLinks = (isAdded: boolean) => {
    const isWanted = ({ document }: { document: YamlDocument }) =>
      (environment?.documents.includes(document) ?? false) === isAdded;
    for (const pending of records.links.filter(isWanted)) links.onRecord(pending);
    for (const { document, entry } of linkLists.filter(isWanted)) {
      const notation = LINK_LISTS.get(entry.key);
      if (notation !== undefined) links.list(notation, document, entry.value, entry.key);
    }
  };
  readLinks(false);
  if (environment !== undefined) {
    // What is removed goes first, so that a link may be put back with another time.
    const left: Removal[] = [];
    const leaving = new LinkReader(declarations, external, (_, { document, node }, about) => {
      if (about.address !== undefined) left.push({ document, node, about, address: about.address });
    });
    for (const pending of environment.changes.removed) leaving.onRecord(pending);
    environment.takeOut(declarations, left);
    readLinks(true);
    for (const pending of environment.changes.added) links.onRecord(pending);
  }
  checkRecords(declarations, lists, findings.unread, { now, standIns });

  const faults = findings.faults.sort(byPlace);
  const warnings = findings.warnings.sort(byPlace);
  const result: ManifestResult = {
    faults,
    warnings,
    fromRequests: fromRequests.byDefault,
    needsEnvironment: variables.hasOpen && environment === undefined,
    placeOf: (address, pointer, offset) =>
      declarations.placeOf(address, pointer, offset) ?? lists.placeOfExternal(address),
    environmentPlaceOf: (address, field) => declarations.environmentPlaceOf(address, field),
    linesOf: (address) => declarations.linesOf(address),
  };
  if (faults.length === 0) {
    const { tenant, stack } = settings;
    result.manifest = {
      version: 1,
      ...(tenant !== undefined && { tenant }),
      stack,
      ...(environment !== undefined && { environment: environment.name }),
      ...(environment?.gates !== undefined && { gates: environment.gates }),
      records: [...declarations.sound()],
      moves: lists.moves.map(({ from, to }) => ({ from, to })),
      external: [...lists.external.keys()],
    };
  }
  return result;
}
