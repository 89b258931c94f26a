import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { parseJson } from '@authz-service/core/json/parse-json';
import { CsvError, parse } from 'csv-parse/sync';
import { UsageError } from '../errors/usage-error.js';
import { membershipsOfLdif, peopleOfLdif } from './ldif-people.js';
import { ldifEntries } from './read-ldif.js';

/** A line of a file: values by the names in its head, and where it stands. */
export interface Row {
  values: Record<string, unknown>;
  place: string;
}

/** People and memberships, as rows of SCIM attributes and of `group` and `member`. */
export interface PeopleFiles {
  people: Row[];
  memberships?: Row[];
  /** The members in LDIF that are no people of the files: they are left out. */
  others: string[];
}

const LDIF = /\.ldif$/i;

/**
 * Reads files of CSV with a head, of JSON lines (`.jsonl`, `.ndjson`) or of LDIF (`.ldif`). Throws `UsageError` with the line, and
 * for a file without rows: a failed export must not remove everybody.
 */
export async function readPeople(file: string, groupsFile?: string): Promise<PeopleFiles> {
  const text = await textOf(file);
  const entries = LDIF.test(file) ? ldifEntries(text, file) : [];
  const people = assertRows(LDIF.test(file) ? peopleOfLdif(entries) : rowsOf(text, file), file);
  if (groupsFile === undefined) return { people, others: [] };
  const groups = await textOf(groupsFile);
  if (!LDIF.test(groupsFile))
    return { people, memberships: assertRows(rowsOf(groups, groupsFile), groupsFile), others: [] };
  if (!LDIF.test(file))
    throw new UsageError(`${groupsFile} names people as LDAP does, and ${file} does not: give both as LDIF.`);
  const { rows, others } = membershipsOfLdif(ldifEntries(groups, groupsFile), entries);
  return { people, memberships: assertRows(rows, groupsFile), others };
}

function rowsOf(text: string, file: string): Row[] {
  return /\.(jsonl|ndjson)$/i.test(file) ? jsonLines(text, file) : csvLines(text, file);
}

function assertRows(rows: Row[], file: string): Row[] {
  if (rows.length > 0) return rows;
  throw new UsageError(`${file} has no rows, and all that it lacks would be removed: give a complete export.`);
}

async function textOf(file: string): Promise<string> {
  let bytes: Buffer;
  let text: string;
  try {
    bytes = await readFile(file);
    text = bytes.toString('utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (isUtf8(bytes)) return text;
  let line = 1;
  for (let start = 0, end = 0; end !== -1; start = end + 1, line++) {
    end = bytes.indexOf('\n', start);
    if (!isUtf8(bytes.subarray(start, end === -1 ? undefined : end))) break;
  }
  throw new UsageError(`${file}:${line} is not UTF-8: save the file as UTF-8.`);
}

function csvLines(text: string, file: string): Row[] {
  let complete = 1;
  try {
    const rows: { record: Record<string, string>; info: { lines: number } }[] = parse(text, {
      bom: true,
      columns: (names: string[]) => heads(names, file),
      info: true,
      on_record: (row, { lines }) => {
        complete = lines;
        return row;
      },
      skip_empty_lines: true,
      trim: true,
    });
    return rows.map(({ record, info }) => ({ values: { ...record }, place: `${file}:${info.lines}` }));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (!(error instanceof CsvError)) throw error;
    if (error.code === 'CSV_QUOTE_NOT_CLOSED')
      throw new UsageError(
        `${file}:${complete + 1} begins a row with a quote that nothing closes: give a complete export.`,
      );
    throw new UsageError(`${file}:${error.lines} is no CSV: ${error.message}.`);
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
      value = parseJson(line, place);
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : String(error));
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new UsageError(`${place} is no object: write one on each line.`);
    return [{ values: { ...value }, place }];
  });
}
