import { posix } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import { isRecordFile, isSkipped } from '@authz-service/embedded/tree/read-tree';

/** A file, link or submodule in a Git tree; `name` is that of its content. */
export interface GitEntry {
  mode: string;
  name: string;
  path: string;
}

const LINK = '120000';
const SUBMODULE = '160000';
/** As many links as Linux follows. */
const LINKS_MAX = 40;

/**
 * The files with records in a Git tree, by the rules of a folder (`readTree`): hidden names, `node_modules` and tests are
 * skipped, and links are followed inside the tree but never out of it. `targetOf` is the text of a link. Throws
 * `invalid_config` for a link that is broken, leads out or round, and for a submodule.
 */
export function filesIn(
  entries: readonly GitEntry[],
  targetOf: (name: string) => string,
  shown: (path: string) => string,
): { path: string; name: string }[] {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const folders = new Map<string, Set<string>>([['', new Set()]]);
  for (const { path } of entries) {
    for (let at = path; at !== ''; at = parentOf(at)) {
      const siblings = folders.get(parentOf(at)) ?? new Set();
      folders.set(parentOf(at), siblings.add(posix.basename(at)));
    }
  }
  const files: { path: string; name: string }[] = [];

  const walk = (folder: string, seenAs: string, above: readonly string[]): void => {
    for (const child of folders.get(folder) ?? []) {
      if (isSkipped(child)) continue;
      const path = posix.join(folder, child);
      const as = posix.join(seenAs, child);
      const target = byPath.get(path)?.mode === LINK ? followed(path) : path;
      if (target === undefined) continue;
      if (folders.has(target)) {
        if (above.includes(target)) throw refused(`${shown(as)} is a link in a circle: remove it.`);
        walk(target, as, [...above, target]);
        continue;
      }
      const entry = byPath.get(target);
      if (entry?.mode === SUBMODULE) {
        throw refused(`${shown(as)} is a submodule, whose files the revision does not hold: compare a folder.`);
      }
      if (entry !== undefined && isRecordFile(as)) files.push({ path: as, name: entry.name });
    }
  };

  /** Returns where a link ends; undefined if it is none that a tree is read through. */
  const followed = (link: string): string | undefined => {
    const matters = isRecordFile(link) || posix.extname(link) === '';
    const at = resolved(link, LINKS_MAX);
    if (at !== undefined && (byPath.has(at) || folders.has(at))) return at;
    if (!matters) return undefined;
    throw refused(
      at === undefined
        ? `${shown(link)} is a link that leads out of the tree, or round: copy its target into the tree.`
        : `${shown(link)} is a link to "${at}", which the tree does not hold: remove it.`,
    );
  };

  /** The path without links, folder by folder; undefined where it leaves the tree or follows too many links. */
  const resolved = (path: string, left: number): string | undefined => {
    let at = '';
    const names = path.split('/');
    for (const [index, name] of names.entries()) {
      const next = posix.join(at, name);
      if (next === '..' || next.startsWith('../')) return undefined;
      const entry = byPath.get(next);
      if (entry?.mode !== LINK) {
        at = next === '.' ? '' : next;
        continue;
      }
      const target = targetOf(entry.name);
      if (left === 0 || target.startsWith('/')) return undefined;
      return resolved(posix.join(at, target, ...names.slice(index + 1)), left - 1);
    }
    return at;
  };

  walk('', '', ['']);
  return files.sort((left, right) => (left.path < right.path ? -1 : 1));
}

function refused(detail: string): ProblemError {
  return new ProblemError('invalid_config', detail);
}

function parentOf(path: string): string {
  const parent = posix.dirname(path);
  return parent === '.' ? '' : parent;
}
