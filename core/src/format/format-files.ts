import { documentsOf, sourceOf } from '../manifest/documents.js';
import { ENVIRONMENT_KEYS } from '../manifest/environment.js';
import { foreignText, isForeign } from '../manifest/foreign.js';
import type { ManifestFault, ManifestFile } from '../manifest/manifest.js';
import { byPlace, Findings } from '../manifest/source.js';
import type { Entry } from '../manifest/yaml-document.js';
import { TEST_FILE_KEYS } from '../questions/policy-tests/test-schema.js';
import { unknownKeyText } from '../records/issue-text.js';
import { type FileKind, formatText } from './format-text.js';

export interface FormattedFiles {
  /** Files that are not YAML, are of another program, or cannot be written in another style: with any, nothing is formatted. */
  faults: ManifestFault[];
  /** The files whose text differs from theirs, with the new one. */
  changed: ManifestFile[];
}

const UNWRITABLE =
  'cannot be written in another style without losing a comment or a value: give each key a name, and each comment a line of its own.';

/** Formats files of trees. What they declare is not checked. */
export function formatFiles(files: readonly (ManifestFile & { kind: FileKind })[]): FormattedFiles {
  const findings = new Findings();
  const changed: ManifestFile[] = [];
  for (const { kind, ...file } of files) {
    const before = findings.faults.length;
    const source = sourceOf(file);
    for (const document of documentsOf(file, source, findings)) {
      const { root } = document;
      const foreign = root.type === 'map' ? foreignKeys(document.entries(root), kind) : undefined;
      if (foreign !== undefined) document.fault(root, { label: '' }, foreign);
    }
    if (findings.faults.length > before) continue;
    const text = formatText(source.text, kind);
    if (text === undefined) findings.fault(source, 0, { label: '' }, `The file ${UNWRITABLE}`);
    else if (text !== source.text) changed.push({ path: file.path, text });
  }
  return { faults: findings.faults.sort(byPlace), changed };
}

/** Why keys are those of no file of the kind: none of them is known. */
function foreignKeys(entries: readonly Entry[], kind: FileKind): string | undefined {
  if (kind === 'records') return isForeign(entries) ? foreignText(entries) : undefined;
  const known = kind === 'tests' ? TEST_FILE_KEYS : Object.keys(ENVIRONMENT_KEYS);
  const [first] = entries;
  if (first === undefined || entries.some(({ key }) => known.includes(key))) return undefined;
  return unknownKeyText(first.key, known);
}
