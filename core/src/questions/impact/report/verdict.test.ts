import { describe, expect, it } from 'vitest';
import { accessReport, finding } from '../../../../testing/findings.js';
import type { AccessReport, NoAccessReport } from './access-report.js';
import { type Checks, verdictOf } from './verdict.js';

const gate = (passed: boolean, detail: string) => ({ gate: 'max-gained', passed, detail, findings: [finding().id] });
const few = accessReport([finding()], { gates: [gate(true, '1 permission would be gained, of at most 5.')] });
const many = accessReport([finding()], { gates: [gate(false, '9 permissions would be gained, more than 5.')] });
const open = accessReport([], { gaps: ['service_role.x has values that are not known.', 'Another.'] });
const rule = 'The access rule "x" forbids it, and user/ian may "approve" invoice/INV-1, by policy/p.';

describe('verdictOf', () => {
  it.each<[string, AccessReport | NoAccessReport | undefined, Checks, string]>([
    ['nothing refuses it', accessReport([]), { rules: [] }, 'May be applied: no access rule refuses it'],
    [
      'gates and tests pass',
      few,
      { rules: [], tests: { passed: 12, failed: [] } },
      'May be applied: no access rule refuses it, 1 gate passed, 12 tests passed',
    ],
    [
      'an access rule refuses it',
      few,
      { rules: [rule] },
      'Refused: the access rule "x" forbids it, and user/ian may "approve" invoice/INV-1, by policy/p',
    ],
    [
      'rules, a gate and tests refuse it',
      many,
      { rules: [rule, rule], tests: { passed: 10, failed: ['a', 'b'] } },
      'Refused: the access rule "x" forbids it, and user/ian may "approve" invoice/INV-1, by policy/p (and 1 other violation, below); gate --max-gained failed: 9 permissions would be gained, more than 5; 2 of 12 tests failed',
    ],
    [
      'a gate refuses it',
      many,
      { rules: [] },
      'Must not be applied: gate --max-gained failed: 9 permissions would be gained, more than 5',
    ],
    [
      'a test refuses it',
      few,
      { rules: [], tests: { passed: 0, failed: ['a'] } },
      'Must not be applied: 1 of 1 test failed',
    ],
    [
      'something is not known',
      open,
      { rules: [] },
      'Not known: service_role.x has values that are not known (and 1 more, below) (no access rule refuses it)',
    ],
    [
      'its access could not be computed',
      { unavailable: 'No.' },
      { rules: [] },
      'Not known: what it does to access (no access rule refuses it)',
    ],
    [
      'a gate fails, and something is not known',
      { ...many, gaps: ['A.'] },
      {},
      'Must not be applied: gate --max-gained failed: 9 permissions would be gained, more than 5; not known: A',
    ],
    ['nothing was judged', accessReport([]), {}, 'No verdict: no gate was set, and access rules were not judged'],
    ['only gates were judged', few, {}, 'Nothing refuses it: 1 gate passed. Access rules were not judged'],
  ])('says it where %s', (_, report, checks, line) => {
    expect(verdictOf(report, checks).line).toBe(line);
  });

  it('lists below it what it only counts, and names nobody where only counts are wanted', () => {
    const checks = { rules: [rule, 'Second.'], tests: { passed: 0, failed: ['1', '2', '3', '4', '5', '6', '7'] } };
    expect(verdictOf(many, checks).more).toEqual([
      'Second.',
      ...['1', '2', '3', '4', '5'].map((test) => `Test failed: ${test}`),
      '2 more tests failed; "servicectl test" lists them.',
    ]);
    expect(verdictOf({ ...many, gaps: ['bob'] }, checks, true)).toEqual({
      outcome: 'refused',
      line: 'Refused: 2 violations of access rules; gate --max-gained failed for 1 finding; 7 of 7 tests failed; not known: 1 part of the two states',
      more: [],
    });
  });
});
