import { yamlFaults } from '@authz-service/core/manifest/yaml-fault';
import { nearest } from '@authz-service/core/text/nearest';
import { isMap, isScalar, LineCounter, parseAllDocuments } from 'yaml';

/** The text of a setting and its place, `file:line:column`. */
export interface PlacedText {
  text: string;
  place: string;
}

export interface YamlSettings {
  values: Map<string, PlacedText>;
  faults: string[];
}

/**
 * Reads the top-level keys of a configuration file as texts, whatever types YAML would give them: each setting has one
 * reader, whether it comes from a file or from the environment. A key without a value counts as absent.
 */
export function readYamlSettings(path: string, source: string, known: readonly string[]): YamlSettings {
  const values = new Map<string, PlacedText>();
  const faults: string[] = [];
  const lines = new LineCounter();
  const placeAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };

  const documents = parseAllDocuments(source, { lineCounter: lines, prettyErrors: false });
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (document === undefined) return { values, faults };
  if (second !== undefined) {
    faults.push(`${placeAt(second.range[0])}: there is a second YAML document: keep only one in the file`);
  }
  for (const { offset, text } of yamlFaults(document, source)) faults.push(`${placeAt(offset)}: ${text}`);
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return { values, faults };
  if (!isMap(contents)) {
    faults.push(`${placeAt(contents.range?.[0] ?? 0)}: must be a map of settings like "cloud_url: https://…"`);
    return { values, faults };
  }

  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const at = (node: unknown): string => placeAt((node as { range?: [number] } | null)?.range?.[0] ?? 0);
    if (!known.includes(name)) {
      const close = nearest(name, known);
      const remedy = close === undefined ? `the settings are ${known.join(', ')}` : `did you mean "${close}"?`;
      faults.push(`${at(key)}: unknown setting "${name}": ${remedy}`);
    } else if (value === null || (isScalar(value) && value.value === null)) {
      // A key that was left blank.
    } else if (!isScalar(value)) {
      faults.push(`${at(value)}: ${name}: must be a single value`);
    } else {
      const text = typeof value.value === 'string' ? value.value : (value.source ?? String(value.value));
      if (text !== '') values.set(name, { text, place: at(value) });
    }
  }
  return { values, faults };
}
