import { type Address, address } from '../../../records/address.js';
import { assigneeOf } from '../../../records/everyone.js';
import { answerOf } from '../answer.js';
import type { PreparedTests } from '../run-tests.js';
import { engineRecordOf } from '../test-tenant.js';
import { isLink, type LinkDeclaration, TestedTenant } from '../tested-tenant.js';
import type { CoveragePoint } from './coverage-point.js';
import { PolicyPoints, pointOf } from './policy-points.js';

/** Measures what the questions of tests show of the records of a tree, in the order of files and lines. */
export function measureCoverage(
  { tree, suites }: Pick<PreparedTests, 'tree' | 'suites'>,
  now: number,
): CoveragePoint[] {
  const records = tree.manifest?.records ?? [];
  const assignees = new Map<Address, Address[]>();
  for (const { kind, fields } of records) {
    if (kind !== 'policy_assignment') continue;
    const policy = address('policy', fields.policy);
    assignees.set(policy, [...(assignees.get(policy) ?? []), assigneeOf(fields)]);
  }
  const policies = records.flatMap((record) =>
    record.kind === 'policy' ? [new PolicyPoints(record, tree, assignees.get(record.address) ?? [])] : [],
  );
  const links = records.filter(isLink).map((link) => ({ link, point: pointOf(link.address, 'needed', tree) }));
  for (const { tenant, cases } of suites) {
    const tested = new TestedTenant(tenant, cases, now);
    for (const asked of tested.asked) {
      const { policy } = answerOf(tested.engine, asked.request, asked.now);
      const decided = policy === undefined ? undefined : address('policy', policy);
      for (const one of policies) one.see(asked, decided, tested);
    }
    for (const { link, point } of links) if (point.hits === 0 && isNeeded(link, tested)) point.hits = 1;
  }
  return [...policies.flatMap(({ points }) => points), ...links.map(({ point }) => point)].sort(inFiles);
}

function isNeeded(link: LinkDeclaration, tested: TestedTenant): boolean {
  return tested.has(link) && tested.notices([{ before: engineRecordOf(link) }], tested.touchedBy(link));
}

function inFiles(left: CoveragePoint, right: CoveragePoint): number {
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.line - right.line || left.column - right.column;
}
