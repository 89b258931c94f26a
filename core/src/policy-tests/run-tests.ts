import type { Decision } from '../decision/api/decision.js';
import type { Engine } from '../decision/api/engine.js';
import type { DecisionRequest } from '../decision/api/request.js';
import type { ManifestFault, ManifestFile, Place } from '../manifest/manifest.js';
import { readManifest } from '../manifest/read.js';
import { byPlace } from '../manifest/source.js';
import { ProblemError } from '../problem.js';
import { type Case, casesOf, type DecisionCase, type SetCase } from './cases.js';
import { ReadTestFile } from './read-test-file.js';
import { TestTenant } from './test-tenant.js';

/** The result of one question, or of one exact set. The place is that of what was expected. */
export interface CaseResult extends Place {
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
  /** What is wrong with the records or the tests: with any of it no test is run. */
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

/** Puts the questions in files of tests to the records of a tree. Reads and asks nothing but what it is given. */
export function runTests(
  { records, tests }: { records: readonly ManifestFile[]; tests: readonly ManifestFile[] },
  { now, filters = [] }: TestOptions,
): TestReport {
  const shared = readManifest(records, { now });
  const files = tests.map((file) => ReadTestFile.read(file));
  const faults: ManifestFault[] = [...shared.faults];
  let tenant: TestTenant | undefined;
  const asked: { file: ReadTestFile; tenant: TestTenant; cases: Case[] }[] = [];
  for (const file of files) {
    const own = shared.manifest === undefined ? undefined : tenantOf(file);
    if (own !== undefined && file.hasHead) asked.push({ file, tenant: own, cases: casesOf(file, own) });
    faults.push(...file.faults);
  }
  const warnings = [...shared.warnings, ...files.flatMap((file) => file.warnings)];
  if (faults.length > 0) return { faults: faults.sort(byPlace), warnings, results: [] };

  const results: CaseResult[] = [];
  for (const {
    file,
    tenant: { engine },
    cases,
  } of asked) {
    for (const one of cases) {
      const text = `${file.path}: ${one.test}: ${one.question}`;
      if (filters.length > 0 && !filters.some((filter) => text.includes(filter))) continue;
      results.push(one.form === 'decision' ? decided(engine, one, now) : compared(engine, one, now));
    }
  }
  return { faults: [], warnings, results };

  function tenantOf(file: ReadTestFile): TestTenant | undefined {
    if (file.records === undefined) {
      tenant ??= new TestTenant(shared.manifest ?? { records: [] });
      return tenant;
    }
    // Records of a test may stand for external ones, and use whatever the tree declares: they are read together.
    const together = readManifest([...records, file.records], { now, standIns: file.path });
    file.faults.push(...together.faults);
    return together.manifest && new TestTenant(together.manifest);
  }
}

type Answer = { outcome: 'allow' | 'deny' | 'failure'; reason: string; policy?: string };

function answerOf(engine: Engine, request: DecisionRequest, now: number): Answer {
  let decision: Decision;
  try {
    decision = engine.decide(request, now);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { outcome: 'failure', reason: error.detail };
  }
  const { reason, policy } = decision;
  const outcome = decision.decision ? 'allow' : 'deny';
  return { outcome, reason, ...(policy !== undefined && { policy: policy.slice('policy/'.length) }) };
}

function decided(
  engine: Engine,
  { test, question, request, expectations, now: own }: DecisionCase,
  now: number,
): CaseResult {
  const { outcome, reason, policy } = answerOf(engine, request, own ?? now);
  const met = (one: DecisionCase['expectations'][number]) =>
    one.expect === outcome &&
    (one.policy === undefined || one.policy === policy) &&
    (one.reason === undefined || reason.includes(one.reason));
  const wanted = expectations.find((one) => !met(one));
  const [{ expect, policy: by, reason: because, place } = expectationless] =
    wanted === undefined ? expectations : [wanted];
  const expected = `${expect}${by === undefined ? '' : ` by ${by}`}${because === undefined ? '' : `, because "${because}"`}`;
  const actual = `${outcome}${by === undefined || policy === undefined ? '' : ` by ${policy}`}`;
  return {
    ...place,
    ...{ test, question, passed: wanted === undefined, expected, actual, reason },
    ...(policy !== undefined && { policy }),
  };
}

const expectationless: DecisionCase['expectations'][number] = {
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
    ...{ test, question, passed, expected: list(exactly), actual: list(found) },
    ...(reason !== '' && { reason }),
  };
}

const list = (texts: Iterable<string>): string => [...texts].sort().join(', ') || 'none';
