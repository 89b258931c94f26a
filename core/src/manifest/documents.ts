import type { ManifestFile } from './manifest.js';
import { unpackNodes } from './pack-nodes.js';
import { parseText } from './parse-text.js';
import { type Findings, Source, withoutMark } from './source.js';
import { YamlDocument } from './yaml-document.js';

/** The text of a file, without the byte order mark that editors may begin it with. */
export function sourceOf({ path, text }: ManifestFile): Source {
  return new Source(path, withoutMark(text));
}

/** A file as YAML documents; what is not YAML is reported. `source` is that of the file. */
export function documentsOf({ parsed }: ManifestFile, source: Source, findings: Findings): YamlDocument[] {
  const { text } = source;
  const { roots, refused } = parsed === undefined ? parseText(text) : { ...parsed, roots: unpackNodes(parsed, text) };
  if (refused.length > 0) findings.unread.push(text);
  for (const { offset, text: detail } of refused) findings.fault(source, offset, { label: '' }, detail);
  return roots.map((root) => new YamlDocument(source, root, findings));
}
