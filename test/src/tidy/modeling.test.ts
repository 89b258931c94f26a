import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ManifestFile } from '@authz-service/core/manifest/manifest';
import { answerTests, prepareTests, readTestedRecords } from '@authz-service/core/questions/policy-tests/run-tests';
import { readTreeAndTests } from '@authz-service/embedded/tree/read-tree';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const NOW = Date.parse('2027-01-31T10:00:00Z');

/** The sections of docs/modeling.md that show files, each of which names itself in its first line. */
const sections = readFileSync(`${root}/docs/modeling.md`, 'utf8')
  .split(/^## /m)
  .map((text) => ({
    title: text.slice(0, text.indexOf('\n')),
    files: [...text.matchAll(/```yaml\n# (\S+)\n([\s\S]*?)```/g)].map(
      ([, path = '', yaml = '']): ManifestFile => ({ path, text: yaml }),
    ),
  }))
  .filter(({ files }) => files.length > 0);

function failures(records: ManifestFile[], tests: ManifestFile[]): { questions: number; failed: unknown[] } {
  const { faults, warnings, results } = answerTests(
    prepareTests(readTestedRecords(records, NOW), tests, { now: NOW }),
    NOW,
  );
  const failed = results.filter(({ passed }) => !passed);
  return { questions: results.length, failed: [...faults, ...warnings, ...failed] };
}

describe('the guide to modelling', () => {
  it('has sections with examples', () => {
    expect(sections.length).toBeGreaterThanOrEqual(5);
  });

  it.each(sections)('shows what holds: $title', ({ files }) => {
    const tests = files.filter(({ path }) => path.endsWith('.test.yaml'));
    const records = files.filter(({ path }) => !path.endsWith('.test.yaml'));
    const { questions, failed } = failures(records, tests);
    expect(failed).toEqual([]);
    expect(questions).toBeGreaterThan(1);
  });
});

describe('examples with tests', () => {
  it.each(['document-store'])('%s answers as its tests say', async (name) => {
    const { records, tests } = await readTreeAndTests(`${root}/examples/${name}`);
    const { questions, failed } = failures(records, tests);
    expect(failed).toEqual([]);
    expect(questions).toBeGreaterThan(20);
  });
});
