import type { Lines } from '../../manifest/manifest.js';

/** The lines that have changed, by file; `all` of a new one. */
export type ChangedLines = ReadonlyMap<string, ReadonlySet<number> | 'all'>;

/** Whether any of the lines of a record has changed. */
export function isChanged({ file, first, last }: Lines, changed: ChangedLines): boolean {
  const lines = changed.get(file);
  if (lines === undefined || lines === 'all') return lines === 'all';
  for (let line = first; line <= last; line++) if (lines.has(line)) return true;
  return false;
}
