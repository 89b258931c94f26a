import { faultText } from '@authz-service/core/manifest/manifest';
import { boolean, string } from '@oclif/core/flags';
import { momentOf } from '../config/moment.js';
import { failureOf } from '../errors/failure.js';
import { UsageError } from '../errors/usage-error.js';
import { err, out } from '../output/terminal.js';
import { writeText } from '../output/write-text.js';
import { assessmentsOf, wantedLines } from '../policy-tests/assessment.js';
import { coverageReport } from '../policy-tests/coverage-report.js';
import { junitText } from '../policy-tests/junit.js';
import { mutationReport } from '../policy-tests/mutation-report.js';
import { renderReport } from '../policy-tests/render.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { directory } from '../tree/directory-argument.js';
import { environmentFlag } from '../tree/environment-flag.js';
import { InvalidTree } from '../tree/load-tree.js';

export default class Test extends ServiceCommand {
  static override summary = 'Test what a folder of YAML files allows, offline.';
  static override description =
    `Reads the records of the folder and puts to them the questions in its *.test.yaml files: tables of who may do what, \
exact lists of who can and what somebody can, and single questions with the policy and the reason that are expected. \
Needs no network and no credentials; docs/testing.md describes the files, and "servicectl schema --tests" prints their \
JSON Schema.

The exit code is 1 if an answer is not the expected one, and if a file has a fault; then no test is run.`;
  static override examples = [
    { description: 'Test the tree in this folder', command: 'servicectl test' },
    {
      description: 'In a pipeline, with a report that it can show',
      command: 'servicectl test tenant --junit access-tests.xml',
    },
    { description: 'Only what is asked about Alice', command: 'servicectl test tenant --filter user:alice' },
  ];
  static override args = { dir: directory };
  static override flags = {
    filter: string({
      description: 'Only questions of which "FILE: TEST: QUESTION" contains this text; may be repeated, for more.',
      helpValue: 'TEXT',
      multiple: true,
      multipleNonGreedy: true,
    }),
    environment: environmentFlag,
    terraform: string({
      description: 'Ask about the records of a Terraform plan or state, as "terraform show -json" prints it, instead.',
      helpValue: 'FILE',
      exclusive: ['environment'],
    }),
    junit: string({ description: 'Write a report in the JUnit format, too.', helpValue: 'FILE' }),
    coverage: boolean({
      helpGroup: 'COVERAGE',
      description: 'Show which policies, clauses and assignments the tests exercise.',
    }),
    lcov: string({
      helpGroup: 'COVERAGE',
      description: 'Write the coverage in the LCOV format, too.',
      helpValue: 'FILE',
    }),
    mutate: boolean({
      helpGroup: 'COVERAGE',
      description:
        'Change each policy and assignment as by mistake, and show what no test notices, with a test that would.',
    }),
    threshold: string({
      helpGroup: 'COVERAGE',
      description: 'Fail if less than this percentage is covered, or of mutants killed; it is never rounded up.',
      helpValue: 'PERCENT',
    }),
    'changed-since': string({
      helpGroup: 'COVERAGE',
      description: 'Only records with a line that has changed since the branch left this revision.',
      helpValue: 'REVISION',
    }),
    now: string({
      description: 'The clock of tests that set none (RFC 3339); by default the present time.',
      helpValue: 'TIME',
    }),
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Test);
    const now = momentOf(flags.now);
    const asked = assessmentsOf(flags);
    if (flags.terraform !== undefined && flags['changed-since'] !== undefined)
      throw new UsageError('--changed-since looks at lines of YAML, and --terraform at none: leave one of them out.');
    // Files first: they are parsed in threads while everything else is loaded.
    const { testedFiles } = await import('../policy-tests/tested-files.js');
    const { records, count, tests, gaps } = await testedFiles(args.dir, flags);
    const [{ Acceptances }, { answerTests, prepareTests, readTestedRecords }] = await Promise.all([
      import('@authz-service/core/questions/lint/acceptances'),
      import('@authz-service/core/questions/policy-tests/run-tests'),
    ]);
    const tested = readTestedRecords(records, now);
    const filters = flags.filter ?? [];
    const prepared = prepareTests(tested, await tests, { now, filters });
    const report = answerTests(prepared, now);
    const { faults, warnings, results } = report;
    for (const gap of gaps) await err.warning(gap);
    for (const warning of warnings) await err.warning(faultText(warning));
    if (faults.length === 0 && results.length === 0) {
      const named = filters.map((text) => `"${text}"`).join(' or ');
      throw new UsageError(
        named === ''
          ? `No test is for ${flags.environment === undefined ? 'the base: name an environment with -e' : `the environment "${flags.environment}"`}.`
          : `No question contains ${named}.`,
      );
    }
    if (flags.junit !== undefined) await writeText(flags.junit, junitText(report));
    const failed = results.filter((result) => !result.passed).length;
    const options = { now, acceptances: new Acceptances(Array.isArray(records) ? records : []), style: out.style };
    const isWanted = faults.length > 0 ? () => false : await wantedLines(args.dir, flags);
    const coverage =
      asked.coverage && faults.length === 0 ? await coverageReport(prepared, flags, isWanted, options) : undefined;
    if (asked.mutate && failed > 0) await err.line(NOT_MUTATED);
    const mutation =
      asked.mutate && faults.length === 0 && failed === 0
        ? await mutationReport(prepared, flags, isWanted, options)
        : undefined;
    const assessed = [coverage, mutation].filter((one) => one !== undefined);
    const { errors: _, ...error } = failureOf(new InvalidTree(faults, args.dir), { flags: [] });
    return {
      json: {
        files: count,
        passed: results.length - failed,
        failed,
        results,
        faults,
        ...(coverage !== undefined && { coverage: coverage.json }),
        ...(mutation !== undefined && { mutation: mutation.json }),
        ...(faults.length > 0 && { error: { ...error, errors: [] } }),
      },
      text: [renderReport(report, count, out.style), ...assessed.flatMap(({ text }) => ['', text])].join('\n'),
      exitCode: faults.length > 0 || failed > 0 || assessed.some(({ reached }) => !reached) ? 1 : 0,
    };
  }
}

const NOT_MUTATED = 'Not all tests pass, so nothing can be said about mutants: mend the tests or the records first.';
