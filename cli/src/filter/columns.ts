import { readFile } from 'node:fs/promises';
import { parseJson } from '@authz-service/core/json/parse-json';
import { ProblemError } from '@authz-service/core/problem';
import { issueFaults } from '@authz-service/core/records/issue-faults';
import type { FilterColumns } from '@authz-service/sdk/filter-sql';
import * as z from 'zod';
import { UsageError } from '../errors/usage-error.js';

const column = z.string().min(1, 'must not be empty');
const columnsSchema = z.strictObject({
  name: column.optional(),
  properties: z.record(z.string(), z.union([column, z.strictObject({ column, as: z.literal('array') })])).optional(),
  parents: z.record(z.string(), column).optional(),
});

/** Reads the file that says which columns attributes are. Throws `UsageError` naming the file and each fault. */
export async function readColumns(file: string): Promise<FilterColumns> {
  let value: unknown;
  try {
    value = parseJson(await readFile(file, 'utf8'), `--map ${file}`);
  } catch (error) {
    if (error instanceof ProblemError) throw new UsageError(error.detail);
    throw new UsageError(`--map ${file} cannot be read: ${(error as Error).message}.`);
  }
  const parsed = columnsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = issueFaults(columnsSchema, parsed.error.issues, value).map(
    ({ pointer, detail }) => `${pointer || 'it'} ${detail}`,
  );
  throw new UsageError(
    `--map ${file} is malformed: ${faults.join('; ')}. Write it like {"name": "doc.name", "properties": {"amount": "doc.amount"}, "parents": {"folder": "doc.folder"}}.`,
  );
}
