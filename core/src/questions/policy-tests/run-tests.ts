import type { Engine } from '../../access/api/engine.js';
import type { ManifestFault, ManifestFile, ManifestResult, SourcePlace } from '../../manifest/manifest.js';
import { readManifest } from '../../manifest/read.js';
import { byPlace } from '../../manifest/source.js';
import { answerOf, meets } from './answer.js';
import { type Case, casesOf, type DecisionCase, type Expectation, type SetCase } from './cases.js';
import { ReadTestFile } from './read-test-file.js';
import { TestTenant } from './test-tenant.js';

/** The result of one question, or of one exact set. The place is that of what was expected. */
export interface CaseResult extends SourcePlace {
  test: string;
  question: string;
  passed: boolean;
  expected: string;
  actual: string;
  /** Why the decision was made, or could not be made. */
  reason?: string;
  /** The path of the deciding policy. */
  policy?: string;
}

export interface TestReport {
  /** Faults of the records or the tests: with any of them no test is run. */
  faults: ManifestFault[];
  warnings: ManifestFault[];
  /** In the order of files and tests, without those that the filter leaves out. */
  results: CaseResult[];
}

export interface TestOptions {
  /** Milliseconds since the epoch: the clock of tests that set none. */
  now: number;
  /** Only questions of which `FILE: TEST: QUESTION` contains one of these texts; all where there are none. */
  filters?: readonly string[];
}

/** The cases of one file, and the records that they are put to. */
export interface Suite {
  tenant: TestTenant;
  cases: readonly Case[];
}

/** Files of tests whose names have been looked up. */
export interface PreparedTests extends Pick<TestReport, 'faults' | 'warnings'> {
  /** The records of the tree, without those that only tests have. */
  tree: ManifestResult;
  /** In the order of files, without the cases that the filter leaves out; none where there are faults. */
  suites: Suite[];
}

/** The records that tests ask about, compiled for files of tests that have none of their own. */
export interface TestedRecords {
  tree: ManifestResult;
  /** None where the tree has faults. */
  tenant: TestTenant | undefined;
  /** The files of the tree, unless the records were read elsewhere. */
  files: readonly ManifestFile[] | undefined;
}

/** Reads the records of a tree, unless they have been read elsewhere. `now` as in `TestOptions`. */
export function readTestedRecords(records: readonly ManifestFile[] | ManifestResult, now: number): TestedRecords {
  const files = 'faults' in records ? undefined : records;
  const tree = 'faults' in records ? records : readManifest(records, { now });
  return { tree, tenant: tree.manifest && new TestTenant(tree.manifest), files };
}

/** Reads files of tests. */
export function prepareTests(
  { tree, tenant, files: records }: TestedRecords,
  tests: readonly ManifestFile[],
  { now, filters = [] }: TestOptions,
): PreparedTests {
  const files = tests.map((file) => ReadTestFile.read(file));
  const faults: ManifestFault[] = [...tree.faults];
  const suites: Suite[] = [];
  for (const file of files) {
    file.keepFor(tree.manifest?.environment);
    const own = tree.manifest === undefined ? undefined : tenantOf(file);
    if (own !== undefined && file.hasHead) {
      const wanted = ({ test, question }: Case) => {
        const text = `${file.path}: ${test}: ${question}`;
        return filters.length === 0 || filters.some((filter) => text.includes(filter));
      };
      suites.push({ tenant: own, cases: casesOf(file, own).filter(wanted) });
    }
    faults.push(...file.faults);
  }
  const warnings = [...tree.warnings, ...files.flatMap((file) => file.warnings)];
  return { tree, faults: faults.sort(byPlace), warnings, suites: faults.length > 0 ? [] : suites };

  function tenantOf(file: ReadTestFile): TestTenant | undefined {
    if (file.records === undefined) return tenant;
    if (records === undefined) {
      file.fault(['records'], 'are read together with a tree of YAML alone: take them out, or test that tree.', true);
      return undefined;
    }
    // Records of a test may stand for external ones, and use whatever the tree declares: they are read together.
    const together = readManifest([...records, file.records], { now, standIns: file.path });
    file.faults.push(...together.faults);
    return together.manifest && new TestTenant(together.manifest);
  }
}

/** Puts the questions of prepared tests to their records. */
export function answerTests({ faults, warnings, suites }: PreparedTests, now: number): TestReport {
  const results = suites.flatMap(({ tenant: { engine }, cases }) =>
    cases.map((one) => (one.form === 'decision' ? decided(engine, one, now) : compared(engine, one, now))),
  );
  return { faults, warnings, results };
}

function decided(
  engine: Engine,
  { test, question, request, expectations, now: own }: DecisionCase,
  now: number,
): CaseResult {
  const answer = answerOf(engine, request, own ?? now);
  const { outcome, reason, policy } = answer;
  const wanted = expectations.find((one) => !meets(answer, one));
  const [{ expect, policy: by, reason: because, place } = expectationless] =
    wanted === undefined ? expectations : [wanted];
  const expected = `${expect}${by === undefined ? '' : ` by ${by}`}${because === undefined ? '' : `, because "${because}"`}`;
  const actual = `${outcome}${by === undefined || policy === undefined ? '' : ` by ${policy}`}`;
  return {
    ...place,
    test,
    question,
    passed: wanted === undefined,
    expected,
    actual,
    reason,
    ...(policy !== undefined && { policy }),
  };
}

const expectationless: Expectation = {
  expect: 'deny',
  place: { file: '', line: 1, column: 1 },
};

/** Asks about every item rather than searching, so that an item whose decision fails is seen. */
function compared(
  engine: Engine,
  { test, question, items, exactly, place, now: own }: SetCase,
  now: number,
): CaseResult {
  const found: string[] = [];
  const failed: string[] = [];
  for (const { text, request } of items) {
    const { outcome, reason } = answerOf(engine, request, own ?? now);
    if (outcome === 'allow') found.push(text);
    else if (outcome === 'failure') failed.push(`${text} fails: ${reason}`);
  }
  const present = new Set(found);
  const extra = found.filter((text) => !exactly.has(text));
  const missing = [...exactly].filter((text) => !present.has(text));
  const passed = extra.length + missing.length + failed.length === 0;
  const reason = [
    ...(extra.length > 0 ? [`not expected: ${extra.join(', ')}`] : []),
    ...(missing.length > 0 ? [`missing: ${missing.join(', ')}`] : []),
    ...failed,
  ].join('; ');
  return {
    ...place,
    test,
    question,
    passed,
    expected: list(exactly),
    actual: list(found),
    ...(reason !== '' && { reason }),
  };
}

const list = (texts: Iterable<string>): string => [...texts].sort().join(', ') || 'none';
