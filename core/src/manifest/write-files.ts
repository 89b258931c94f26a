import type { Json, JsonObject } from '../json/json.js';
import { MAX_FILE_LENGTH } from './limits.js';
import type { ManifestFile } from './manifest.js';
import { type Inline, itemLines, memberLines } from './yaml-text.js';

/** A file is closed and continued in another one from this length on, well below what the reader takes. */
const FULL = MAX_FILE_LENGTH / 4;

const NAME_LENGTH = 80;

interface OpenFile {
  lines: string[];
  length: number;
  /** The keys of the mapping that the next line would stand in. */
  at: readonly string[];
}

/** The files of a tree while they are written. Files are known by their path without ending. */
export class FileSet {
  private readonly files = new Map<string, OpenFile>();
  /** Their paths, folded. */
  private readonly taken = new Set<string>();
  /** By folded path, how many files wanted it. */
  private readonly wanted = new Map<string, number>();
  private readonly current = new Map<string, string>();

  /** A path for the file about `name` in a folder: readable, and unlike the others' on any file system. */
  fileFor(folder: string, name: string): string {
    const readable =
      name
        .replace(/[^\p{L}\p{N}_-]+/gu, '-')
        .replace(/^-+|-+$/g, '')
        .slice(0, NAME_LENGTH) || 'unnamed';
    return this.unused(`${folder}/${readable}`);
  }

  private unused(path: string): string {
    const name = folded(path);
    let number = this.wanted.get(name) ?? 1;
    let candidate = number === 1 ? path : `${path}-${number}`;
    while (this.taken.has(folded(candidate))) candidate = `${path}-${++number}`;
    this.wanted.set(name, number);
    return candidate;
  }

  /** Single values at the top of a file. */
  settings(file: string, values: JsonObject): void {
    const open = this.openFile(file);
    for (const [key, value] of Object.entries(values)) this.add(open, memberLines(key, value, ''));
  }

  /** A list at the top of a file. */
  list(file: string, name: string, items: readonly Json[]): void {
    for (const item of items) this.add(this.enter(file, [name]), itemLines(item, '  '));
  }

  /** One `key: value` in the mapping that the keys `at` lead to. */
  member(file: string, at: readonly string[], key: string, value: Json, inline: Inline): void {
    const lines = memberLines(key, value, '  '.repeat(at.length), inline);
    this.add(this.enter(file, at), lines);
  }

  finish(): ManifestFile[] {
    return [...this.files].map(([path, { lines }]) => ({ path: `${path}.yaml`, text: `${lines.join('\n')}\n` }));
  }

  /** Writes the keys that lead to a mapping, as far as the last line does not stand in it already. */
  private enter(file: string, at: readonly string[]): OpenFile {
    let open = this.openFile(file);
    if (open.length > FULL) {
      this.current.set(file, this.unused(file));
      open = this.openFile(file);
    }
    const same = at.findIndex((key, depth) => open.at[depth] !== key);
    for (let depth = same < 0 ? at.length : same; depth < at.length; depth += 1) {
      const [line = ''] = memberLines(at[depth] ?? '', {}, '  '.repeat(depth));
      this.add(open, [line.slice(0, -' {}'.length)]);
    }
    open.at = at;
    return open;
  }

  private openFile(file: string): OpenFile {
    const path = this.current.get(file) ?? file;
    let open = this.files.get(path);
    if (open === undefined) {
      open = { lines: ['version: 1'], length: 0, at: [] };
      this.files.set(path, open);
      this.taken.add(folded(path));
    }
    return open;
  }

  private add(open: OpenFile, lines: readonly string[]): void {
    for (const line of lines) {
      open.lines.push(line);
      open.length += line.length + 1;
    }
  }
}

/** File systems that fold case or normalize letters see these as one. */
function folded(path: string): string {
  return path.normalize('NFKC').toLowerCase();
}
