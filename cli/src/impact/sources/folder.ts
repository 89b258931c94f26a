import { loadTree } from '../../tree/load-tree.js';
import { type Source, treeSource } from './source.js';

/** The records of a folder of YAML files, or of one file. Throws `InvalidTree`. */
export async function folderSource(folder: string, warn: (text: string) => Promise<void>): Promise<Source> {
  return treeSource(folder, await loadTree(folder, warn));
}
