import type { ManifestFile } from '@authz-service/core/manifest/manifest';
import { ParseCache } from './parse-cache.js';
import { parseTexts } from './parse-texts.js';

/** With fewer characters in all files, threads and a cache cost about as much as they save. */
const LEAST_TEXT = 64 * 1024;

export interface ParseOptions {
  /** Hears of each file that is begun, before it is, with the number of those begun; `characters` are those of its text. */
  onFile?: ((begun: number, characters: number) => void) | undefined;
  variables?: Readonly<Record<string, string | undefined>>;
}

/**
 * Parses files before they are read, if there is much of them: in threads, and only what this machine has not parsed
 * before. What is read of the files is the same without it. Threads begin within the call, so that the caller can do
 * something else meanwhile.
 */
export async function parsedAhead(
  files: readonly ManifestFile[],
  { onFile, variables = process.env }: ParseOptions = {},
): Promise<ManifestFile[]> {
  const length = files.reduce((sum, { text }) => sum + text.length, 0);
  if (length < LEAST_TEXT) return [...files];
  const cache = ParseCache.open(variables);
  const known = files.map((file) => ({ file, key: cache?.keyOf(file.text) ?? '' }));
  const parsed = new Map<string, ManifestFile['parsed']>();
  for (const { key } of known) if (cache !== undefined && !parsed.has(key)) parsed.set(key, cache.read(key));
  const missing = known.filter(({ key }) => parsed.get(key) === undefined);
  if (missing.length === 0) return known.map(({ file, key }) => withParsed(file, parsed.get(key)));

  const found = await parseTexts(
    missing.map(({ file }) => file.text),
    (begun, characters) => onFile?.(begun, characters),
  );
  for (const [index, { key }] of missing.entries()) {
    const one = found[index];
    if (one !== undefined) cache?.write(key, one);
  }
  cache?.trim();
  const byFile = new Map(missing.map(({ file }, index) => [file, found[index]]));
  return known.map(({ file, key }) => withParsed(file, byFile.get(file) ?? parsed.get(key)));
}

function withParsed({ path, text }: ManifestFile, parsed: ManifestFile['parsed']): ManifestFile {
  return { path, text, ...(parsed !== undefined && { parsed }) };
}
