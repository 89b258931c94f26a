import { loadGitTree } from '../../tree/load-tree.js';
import { labelIn, type Source, treeSource } from './source.js';

/**
 * The records of a tree of YAML files as a Git revision holds it, like `main:tenant/`. Throws `invalid_config` where there
 * is none, and `InvalidTree`.
 */
export async function gitSource(
  spec: string,
  warn: (text: string) => Promise<void>,
  environment?: string,
): Promise<Source> {
  return treeSource(labelIn(spec, environment), await loadGitTree(spec, warn, environment));
}
