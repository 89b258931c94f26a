import { splitAddress } from '../../../records/address.js';
import type { CauseRecord, FindingRisk } from '../api/finding.js';
import type { AccessReport, ReportedFinding } from './access-report.js';
import type { FindingGroup } from './finding-groups.js';

/** Rows of a report under one heading: what one set of changed records brings, or one group of findings summed up. */
export interface CauseGroup {
  /** The records in the heading; empty where no cause was found. */
  readonly cause: readonly CauseRecord[];
  readonly findings: readonly ReportedFinding[];
  /** Set where the findings are one row. */
  readonly group?: FindingGroup;
}

/** The rows of a report; those about roles that requests may name stand apart. */
export interface Rows {
  readonly blocks: readonly CauseGroup[];
  readonly namedRoles: readonly CauseGroup[];
}

/** The findings of a report by their first cause, in the order of the worst of each, and groups of them as one row. */
export function rowsOf({ findings, groups = [] }: AccessReport): Rows {
  const isNamed = ({ subjects }: ReportedFinding) => subjects.named_role !== undefined;
  return {
    blocks: byCause(
      findings.filter((one) => !isNamed(one)),
      groups,
    ),
    namedRoles: byCause(findings.filter(isNamed)),
  };
}

/** Findings by their first cause, in the order of the worst of each. */
export function byCause(findings: readonly ReportedFinding[], summedUp: readonly FindingGroup[] = []): CauseGroup[] {
  const groupOf = new Map(summedUp.flatMap((group) => group.findings.map((id) => [id, group] as const)));
  const blocks = new Map<
    unknown,
    { -readonly [M in keyof CauseGroup]: CauseGroup[M] } & { findings: ReportedFinding[] }
  >();
  for (const finding of [...findings].sort((left, right) => rankOf(left) - rankOf(right))) {
    const group = groupOf.get(finding.id);
    const cause = headlineOf(finding);
    const key = group ?? JSON.stringify(cause.map(({ address }) => address));
    const block = blocks.get(key);
    if (block === undefined) blocks.set(key, { cause, findings: [finding], ...(group && { group }) });
    else {
      block.findings.push(finding);
      // A cause stands above a group only if it is that of all of it.
      if (group !== undefined && JSON.stringify(block.cause) !== JSON.stringify(cause)) block.cause = [];
    }
  }
  return [...blocks.values()];
}

/** Kinds of records that are there only so that others may mention them. */
const DEFINITIONS: ReadonlySet<string> = new Set([
  'application',
  'resource_type',
  'group',
  'role',
  'subject',
  'resource',
]);
/** In this order what gives access comes first. */
const ORDER_OF_KINDS = ['policy', 'policy_assignment', 'role_assignment', 'group_membership'];

/**
 * Returns what a reader looks for in a finding's first cause: without the definitions that the rest needs, and where the
 * finding is about many subjects, without the links of those for whom the cause was found unless it names them.
 */
function headlineOf({ causes: [cause = []], subjects }: ReportedFinding): readonly CauseRecord[] {
  const named = new Set(subjects.principals.map(({ principal }) => principal));
  const isUnnamedLink = (address: string) => {
    const [, subject] = /^group_membership\/.*\/\/(subject\/.*)$/.exec(address) ?? [];
    return subject !== undefined && !named.has(subject);
  };
  const kindOf = ({ address }: CauseRecord) => splitAddress(address).kind;
  const links = cause.filter((one) => one.change !== 'added' || !DEFINITIONS.has(kindOf(one)));
  const shared = subjects.recorded > 1 ? links.filter(({ address }) => !isUnnamedLink(address)) : links;
  const told = [shared, links, cause].find((list) => list.length > 0) ?? [];
  const rank = (one: CauseRecord) =>
    (ORDER_OF_KINDS.indexOf(kindOf(one)) + ORDER_OF_KINDS.length + 1) % (ORDER_OF_KINDS.length + 1);
  return [...told].sort((left, right) => rank(left) - rank(right));
}

/** Words for risks to a reader. */
export const RISKS: { readonly [R in FindingRisk | 'full_control']: string } = {
  everyone: 'everyone',
  full_control: 'administrator',
  any_action: 'any action',
  deny_weakened: 'DENY weakened',
  named_role: 'role named in requests',
};

/** The risks of a finding, worst first. Whoever may do anything with all of a type administrates it. */
export function risksOf({ risks, resources }: ReportedFinding): (keyof typeof RISKS)[] {
  const held = new Set<string>(risks);
  if (held.has('any_action') && resources.some(({ which, below }) => which === 'all' && below === undefined)) {
    held.delete('any_action');
    held.add('full_control');
  }
  return ORDER.filter((risk) => held.has(risk));
}

const ORDER = Object.keys(RISKS) as (keyof typeof RISKS)[];
const CHANGES = ['gained', 'unknown', 'widened', 'changed', 'lost', 'narrowed'];

/** Worst first: by risk, then what is new before what is gone. What is alike keeps its order. */
function rankOf(finding: ReportedFinding): number {
  const [worst] = finding.subjects.named_role === undefined ? risksOf(finding) : ['named_role' as const];
  // Roles that requests may name concern nobody by name, and mostly repeat what holders of the role gain.
  const risk = worst === 'named_role' ? ORDER.length : worst === undefined ? ORDER.length - 1 : ORDER.indexOf(worst);
  return risk * CHANGES.length + CHANGES.indexOf(finding.change);
}
