import type { ManifestFile, ManifestResult } from '@authz-service/core/manifest/manifest';
import { UsageError } from '../errors/usage-error.js';
import { shownRecords } from '../impact/sources/shown-records.js';
import { parsedFiles } from '../tree/load-tree.js';

export interface TestedFiles {
  records: ManifestFile[] | ManifestResult;
  /** How many files of tests there are. */
  count: number;
  /** They are parsed while the caller does something else. */
  tests: Promise<ManifestFile[]>;
  /** Gaps in the knowledge of the records, in sentences. */
  gaps: readonly string[];
}

/** The tests in a folder, and the records that they ask about: of the folder, in an environment of it, or of Terraform's plan or state. */
export async function testedFiles(
  folder: string,
  { terraform, environment }: { terraform?: string | undefined; environment?: string | undefined },
): Promise<TestedFiles> {
  const { readTests, readTreeAndTests } = await import('@authz-service/embedded/tree/read-tree');
  const found =
    terraform === undefined
      ? { ...(await readTreeAndTests(folder, environment)), gaps: [] }
      : { tests: await readTests(folder), ...(await shownRecords(terraform)) };
  if (found.tests.length === 0)
    throw new UsageError(`There is no *.test.yaml file in "${folder}": write one, like "access.test.yaml".`);
  const written = Array.isArray(found.records) ? found.records : [];
  // One after the other, so that no more is parsed at a time than a command that reads one of them parses.
  const parsed = parsedFiles(written);
  const tests = parsed.then(() => parsedFiles(found.tests));
  const records = Array.isArray(found.records) ? await parsed : found.records;
  return { records, count: found.tests.length, tests, gaps: found.gaps };
}
