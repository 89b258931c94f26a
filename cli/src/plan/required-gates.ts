import type { Requirement } from '@authz-service/core/manifest/environment';
import { type AccessReport, type GateResult, isOpen } from '@authz-service/core/questions/impact/report/access-report';
import { counted } from '../output/text.js';

interface ReadTree {
  folder: string;
  environment: string | undefined;
}

/** Judges each check that an environment demands besides limits of access, as a gate. */
export async function requiredGates(
  required: readonly Requirement[],
  report: AccessReport,
  tree: ReadTree,
): Promise<GateResult[]> {
  const judges = {
    tests: () => testsFault(tree),
    lint: () => lintFault(tree),
    impact: async () => impactFault(report),
  };
  const results: GateResult[] = [];
  for (const gate of new Set(required)) {
    const fault = await judges[gate]();
    results.push({ gate, passed: fault === undefined, detail: fault ?? PASSED[gate], findings: [] });
  }
  return results;
}

const PASSED: Record<Requirement, string> = {
  tests: 'All tests pass.',
  lint: 'Nothing is proven wrong.',
  impact: 'What it does to access is known exactly.',
};

async function testsFault({ folder, environment }: ReadTree): Promise<string | undefined> {
  const { runTestsBeside } = await import('../policy-tests/run-beside.js');
  const tests = await runTestsBeside(folder, Date.now(), environment);
  if (tests === undefined) return `There is no *.test.yaml file in "${folder}".`;
  const [first] = tests.failed;
  if (first !== undefined) return `${counted(tests.failed.length, 'question')} failed: ${first}.`;
  return tests.passed === 0 ? `No test is for the environment "${environment}".` : undefined;
}

async function lintFault({ folder, environment }: ReadTree): Promise<string | undefined> {
  const [{ lintedTree }, { lintTree }] = await Promise.all([
    import('../lint/linted-tree.js'),
    import('@authz-service/core/questions/lint/linted'),
  ]);
  const { files, tree } = await lintedTree(folder, environment);
  if (tree.manifest === undefined) return `The tree "${folder}" is not valid.`;
  const proven = lintTree(files, tree.manifest, tree, Date.now()).filter(
    ({ accepted, certainty }) => accepted === undefined && certainty === 'proven',
  );
  const [first] = proven;
  if (first === undefined) return undefined;
  return `${counted(proven.length, 'finding')} proven: ${first.file}:${first.line}: ${first.detail}`;
}

function impactFault(report: AccessReport): string | undefined {
  return report.exact && !isOpen(report) ? undefined : 'What it does to access is not known exactly.';
}
