import type { ManifestFile, ManifestResult } from '@authz-service/core/manifest/manifest';
import { parsedFiles } from '../tree/load-tree.js';

/** The records that are looked at, and their files. */
export interface LintedTree {
  files: readonly ManifestFile[];
  tree: ManifestResult;
  gaps: readonly string[];
  /** The file that has no lines. */
  lineless?: string;
}

/** Reads a folder, in an environment if one is named. */
export async function lintedTree(folder: string, environment: string | undefined): Promise<LintedTree> {
  const [{ readTree }, { readManifest }] = await Promise.all([
    import('@authz-service/embedded/tree/read-tree'),
    import('@authz-service/core/manifest/read'),
  ]);
  const files = await parsedFiles(await readTree(folder, environment));
  // Without a clock, so that what has ended is a finding here and no warning of the reader.
  return { files, tree: readManifest(files), gaps: [] };
}
