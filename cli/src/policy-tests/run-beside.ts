import { faultText } from '@authz-service/core/manifest/manifest';

/** Results of tests, as a verdict counts them. */
export interface TestCounts {
  passed: number;
  /** `FILE:LINE: QUESTION`; in place of results, why no test could be run. */
  failed: string[];
}

/** Runs the tests beside the records of a folder; undefined where there are none. `now` is in milliseconds. */
export async function runTestsBeside(
  folder: string,
  now: number,
  environment?: string,
): Promise<TestCounts | undefined> {
  const { readTests } = await import('@authz-service/embedded/tree/read-tree');
  if ((await readTests(folder)).length === 0) return undefined;
  const [{ testedFiles }, { answerTests, prepareTests, readTestedRecords }] = await Promise.all([
    import('./tested-files.js'),
    import('@authz-service/core/questions/policy-tests/run-tests'),
  ]);
  const { records, tests } = await testedFiles(folder, { environment });
  const prepared = prepareTests(readTestedRecords(records, now), await tests, { now, filters: [] });
  const { faults, results } = answerTests(prepared, now);
  if (faults.length > 0) return { passed: 0, failed: faults.map(faultText) };
  return {
    passed: results.filter(({ passed }) => passed).length,
    failed: results
      .filter(({ passed }) => !passed)
      .map(
        ({ file, line, question, expected, actual }) =>
          `${file}:${line}: ${question}: expected ${expected}, got ${actual}`,
      ),
  };
}
