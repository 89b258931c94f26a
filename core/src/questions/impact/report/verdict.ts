import { type AccessReport, isOpen, type NoAccessReport, RULES_GATE } from './access-report.js';
import { amount, plural } from './phrase.js';
import { gateText, notKnown } from './summary.js';

/** Results of checks beside the access report. */
export interface Checks {
  /** Sentences, one for each violation of an access rule that refuses the change; absent where rules were not judged. */
  readonly rules?: readonly string[];
  /** Results of the policy tests; absent where none were run. */
  readonly tests?: { readonly passed: number; readonly failed: readonly string[] };
}

/** The answer to whether a change may be applied. */
export interface Verdict {
  readonly outcome: 'refused' | 'open' | 'passed' | 'none';
  /** A line without a full stop: `May be applied: no access rule refuses it, 12 tests pass`. */
  readonly line: string;
  /** The violations and failed tests that the line only counts. */
  readonly more: readonly string[];
}

/** Failed tests that are named below the verdict. */
const TESTS_MAX = 5;

/**
 * The verdict on a change: refused by an access rule, a gate or a test; open where something of its access is not known;
 * and passed. With `countsOnly` it names nobody and nothing.
 */
export function verdictOf(
  report: AccessReport | NoAccessReport | undefined,
  checks: Checks,
  countsOnly = false,
): Verdict {
  const all = report === undefined || 'unavailable' in report ? [] : (report.gates ?? []);
  const gates = all.filter(({ gate }) => gate !== RULES_GATE);
  const judged = all.find(({ gate }) => gate === RULES_GATE);
  const { tests, rules = judged && (judged.passed ? [] : [judged.detail]) } = checks;
  const failing = gates.filter(({ passed }) => !passed);
  const reasons = [
    ...rulesReason(rules ?? [], countsOnly),
    ...failing.map((gate) => `gate ${gateText(gate, countsOnly).replace(/\.$/, '')}`),
    ...(tests === undefined || tests.failed.length === 0
      ? []
      : [`${amount(tests.failed.length)} of ${plural(tests.passed + tests.failed.length, 'test')} failed`]),
  ];
  const open =
    report !== undefined && ('unavailable' in report || isOpen(report))
      ? `not known: ${'unavailable' in report ? 'what it does to access' : notKnown(report, countsOnly)}`
      : undefined;
  const more = countsOnly ? [] : [...(rules ?? []).slice(1), ...failedTests(tests?.failed ?? [])];
  if (reasons.length > 0) {
    const all = [...reasons, ...(open === undefined ? [] : [open])].join('; ');
    const line = (rules ?? []).length > 0 ? `Refused: ${all}` : `Must not be applied: ${all}`;
    return { outcome: 'refused', line, more };
  }
  const held = [
    ...(rules === undefined ? [] : ['no access rule refuses it']),
    ...(gates.length === 0 ? [] : [`${plural(gates.length, 'gate')} passed`]),
    ...(tests === undefined ? [] : [`${plural(tests.passed, 'test')} passed`]),
  ];
  const besides = rules === undefined ? '. Access rules were not judged' : '';
  if (open !== undefined) {
    const passed = held.length === 0 ? '' : ` (${held.join(', ')})`;
    return { outcome: 'open', line: `N${open.slice(1)}${passed}${besides}`, more };
  }
  if (rules === undefined && held.length === 0)
    return { outcome: 'none', line: 'No verdict: no gate was set, and access rules were not judged', more };
  const start = rules === undefined ? 'Nothing refuses it' : 'May be applied';
  return { outcome: 'passed', line: `${start}: ${held.join(', ')}${besides}`, more };
}

function rulesReason([first, ...others]: readonly string[], countsOnly: boolean): string[] {
  if (first === undefined) return [];
  const all = others.length + 1;
  if (countsOnly) return [`${plural(all, 'violation')} of access rules`];
  return [
    `${first.replace(/^The /, 'the ').replace(/\.$/, '')}${others.length === 0 ? '' : ` (and ${plural(others.length, 'other violation')}, below)`}`,
  ];
}

function failedTests(failed: readonly string[]): string[] {
  const more = failed.length - TESTS_MAX;
  return [
    ...failed.slice(0, TESTS_MAX).map((test) => `Test failed: ${test}`),
    ...(more > 0 ? [`${plural(more, 'more test')} failed; "servicectl test" lists them.`] : []),
  ];
}
