import type { JsonObject } from '../json/json.js';
import type { ManifestFile, ManifestResult } from '../manifest/manifest.js';
import { readManifest } from '../manifest/read.js';
import { placeText } from '../manifest/source.js';
import { ProblemError } from '../problem.js';
import type { DeclaredRecord } from '../records/registry.js';
import { equalJson } from '../state/equal-json.js';
import { type Patch, patchFiles } from './patch-files.js';

/** The files that a patch changes, and all records of the tree with these changes. */
export interface PatchedTree {
  changed: ManifestFile[];
  records: readonly DeclaredRecord[];
}

/**
 * Writes changes into the files of a valid tree and reads them again. Throws `conflict` where it cannot be written, or
 * where anything but these would change, since files may say one thing for several records.
 */
export function patchTree(files: readonly ManifestFile[], patch: Patch, now: number): PatchedTree {
  const before = readManifest(files, { now });
  demandBase(before, patch);
  const changed = patchFiles(files, before, patch);
  const texts = new Map(changed.map(({ path, text }) => [path, text]));
  const after = readManifest(
    files.map(({ parsed: _, ...file }) => ({ ...file, text: texts.get(file.path) ?? file.text })),
    { now },
  );
  const [fault] = after.faults;
  if (fault !== undefined || after.manifest === undefined) throw refused(fault?.detail ?? 'the tree is not valid then');
  const expected = new Map(before.manifest?.records.map((record) => [record.address, record]));
  const all = [...patch.changes, ...(patch.renamed ?? [])];
  for (const { before: gone } of all) if (gone !== undefined) expected.delete(gone.address);
  for (const { after: made } of all) if (made !== undefined) expected.set(made.address, made);
  for (const { address, fields } of after.manifest.records) {
    if (!equalJson(expected.get(address)?.fields, fields)) throw refused(`${address} would change, too`);
    expected.delete(address);
  }
  for (const address of expected.keys()) throw refused(`${address} would change, too`);
  return { changed, records: after.manifest.records };
}

/** Refuses changes of what the environment says, or has given a variable of, since the base would lose that. */
function demandBase({ environmentPlaceOf }: ManifestResult, { changes }: Patch): void {
  for (const { before, after } of changes) {
    if (before === undefined) continue;
    const changed = Object.keys({ ...before.fields, ...after?.fields }).filter(
      (name) => !equalJson((before.fields as JsonObject)[name], (after?.fields as JsonObject | undefined)?.[name]),
    );
    for (const field of after === undefined ? [undefined] : changed) {
      const place = environmentPlaceOf(before.address, field);
      if (place === undefined) continue;
      const what = field === undefined ? before.address : `"${field}" of ${before.address}`;
      throw refused(`the environment says ${what} at ${placeText(place)}: change it there by hand`);
    }
  }
}

function refused(why: string): ProblemError {
  return new ProblemError('conflict', `The change cannot be written into the files: ${why}. Nothing was written.`);
}
