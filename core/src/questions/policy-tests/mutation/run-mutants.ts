import type { Lines, SourcePlace } from '../../../manifest/manifest.js';
import type { Address } from '../../../records/address.js';
import type { DeclaredRecord } from '../../../records/registry.js';
import type { PreparedTests } from '../run-tests.js';
import { TestTenant } from '../test-tenant.js';
import { isLink, TestedTenant } from '../tested-tenant.js';
import { DifferenceSearch, type TellingRequest } from './difference-search.js';
import { Equivalence } from './equivalence.js';
import type { Mutant, Operator } from './mutant.js';
import { assignmentsByPolicy, linkMutants, policyMutants } from './policy-mutants.js';
import { proposedTest } from './proposed-test.js';

/** The result of a mutant. The place is that of the field that it changes. */
export interface MutantResult extends SourcePlace {
  address: Address;
  operator: Operator;
  detail: string;
  /**
   * `killed` if a test fails. Of a survivor, `survived` if a request is answered differently, `equivalent` if it is proven
   * that none is, and `no_difference` if none was found.
   */
  status: 'killed' | 'survived' | 'equivalent' | 'no_difference';
  /** A test that kills a survivor, as an item of the list of tests in YAML. Several survivors may share one. */
  test?: string;
  accepted?: string;
  lines: Lines;
}

/** A proposal that has been made, which may kill later mutants, too. */
interface Proposal {
  difference: TellingRequest;
  test: string;
}

function hangsOnTime({ kind, fields }: DeclaredRecord): boolean {
  if (kind !== 'policy') return ['expires_at', 'starts_at', 'suspended_until'].some((name) => name in fields);
  const { condition = '', modifiers, unless } = fields;
  return condition.includes('since(') || (modifiers?.time_windows ?? unless?.time_windows) !== undefined;
}

/** Which mutants of a tree's records the tests notice. All tests must pass. */
export function runMutants(
  { tree, suites }: Pick<PreparedTests, 'tree' | 'suites'>,
  now: number,
  isWanted: (lines: Lines) => boolean = () => true,
): MutantResult[] {
  const records = tree.manifest?.records ?? [];
  const tenant = new TestTenant({ records });
  const tested = suites.map((suite) => new TestedTenant(suite.tenant, suite.cases, now));
  const own = new TestedTenant(tenant, [], now);
  // Proposed tests say the time in seconds.
  const present = Math.floor(now / 1000) * 1000;
  const search = new DifferenceSearch(tenant, present);
  const equivalence = new Equivalence(records);
  const assignments = assignmentsByPolicy(records);
  const dated = records.some(hangsOnTime);
  const proposals: Proposal[] = [];
  const results: MutantResult[] = [];
  for (const record of records) {
    if (record.kind !== 'policy' && !isLink(record)) continue;
    const given = record.kind === 'policy' ? assignments.get(record.address) : undefined;
    // A policy that nobody has decides nothing, whatever it says.
    if (record.kind === 'policy' && given === undefined) continue;
    const start = tree.placeOf(record.address) ?? { file: '', line: 1, column: 1 };
    const lines = tree.linesOf(record.address) ?? { file: start.file, first: start.line, last: start.line };
    if (!isWanted(lines)) continue;
    const mutants = record.kind === 'policy' ? policyMutants(record, given ?? [], tenant) : linkMutants(record, tenant);
    for (const mutant of mutants) {
      const { operator, detail, pointer, offset } = mutant;
      const place = pointer === undefined ? start : (tree.placeOf(record.address, pointer, offset) ?? start);
      results.push({ address: record.address, operator, detail, ...outcomeOf(mutant), ...place, lines });
    }
  }
  return results.sort((left, right) =>
    left.file === right.file ? left.line - right.line || left.column - right.column : left.file < right.file ? -1 : 1,
  );

  function outcomeOf(mutant: Mutant): Pick<MutantResult, 'status' | 'test'> {
    const noticed = tested.some(
      (one) => one.has(mutant.record) && one.notices(mutant.changes(one), mutant.touches(one)),
    );
    if (noticed) return { status: 'killed' };
    if (search.isNobodys(mutant)) return { status: 'equivalent' };
    const changes = mutant.changes(own);
    const known = search.during(changes, () => proposals.find(({ difference }) => search.differsAt(difference)));
    if (known !== undefined) return { status: 'survived', test: known.test };
    let difference = search.find(mutant, changes);
    if (difference === undefined) {
      const compared = equivalence.compare(changes);
      if (compared.equivalent) return { status: 'equivalent' };
      if (compared.moments.length > 0) difference = search.find(mutant, changes, compared.moments);
    }
    if (difference === undefined) return { status: 'no_difference' };
    const name = `${mutant.record.address} ${mutant.detail} is noticed`;
    const test = proposedTest(name, difference, tenant, dated || difference.now !== present);
    proposals.push({ difference, test });
    return { status: 'survived', test };
  }
}
