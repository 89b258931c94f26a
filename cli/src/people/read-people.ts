import { readFile } from 'node:fs/promises';
import { parseJson } from '@authz-service/core/json/parse-json';
import { parse } from 'csv-parse/sync';
import { UsageError } from '../errors/usage-error.js';

/** A line of a file: values by the names in its head, and where it stands. */
export interface Row {
  values: Record<string, unknown>;
  place: string;
}

/** Reads a file of CSV with a head, or of JSON lines (`.jsonl`, `.ndjson`). Throws `UsageError` with the line. */
export async function readRows(file: string): Promise<Row[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code}).`);
  });
  const rows = /\.(jsonl|ndjson)$/i.test(file) ? jsonLines(text, file) : csvLines(text, file);
  // Such a file is what a failed export leaves.
  if (rows.length === 0)
    throw new UsageError(`${file} has no rows, and all that is in the directory would be removed: check the export.`);
  return rows;
}

function csvLines(text: string, file: string): Row[] {
  try {
    const rows: { record: Record<string, string>; info: { lines: number } }[] = parse(text, {
      bom: true,
      columns: (names: string[]) => heads(names, file),
      info: true,
      skip_empty_lines: true,
      trim: true,
    });
    return rows.map(({ record, info }) => ({ values: { ...record }, place: `${file}:${info.lines}` }));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is no CSV: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function heads(names: string[], file: string): string[] {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`${file}:1 has two columns "${twice}": leave out one of them.`);
  return names;
}

function jsonLines(text: string, file: string): Row[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = `${file}:${index + 1}`;
    let value: unknown;
    try {
      value = parseJson(line, 'it');
    } catch (error) {
      throw new UsageError(`${place} is no JSON: ${error instanceof Error ? error.message : String(error)}.`);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new UsageError(`${place} is no object: write one on each line.`);
    return [{ values: { ...value }, place }];
  });
}
