import { loadTree } from '../../tree/load-tree.js';
import { labelIn, type Source, treeSource } from './source.js';

/** The records of a folder of YAML files, or of one file. Throws `InvalidTree`. */
export async function folderSource(
  folder: string,
  warn: (text: string) => Promise<void>,
  environment?: string,
): Promise<Source> {
  return treeSource(labelIn(folder, environment), await loadTree(folder, warn, { environment }));
}
