import type { Impact } from '@authz-service/core/questions/impact/api/impact';
import {
  type GateResult,
  type ReportedFinding,
  widens,
} from '@authz-service/core/questions/impact/report/access-report';
import { amount, plural } from '@authz-service/core/questions/impact/report/phrase';
import type { NotGranted } from './not-granted.js';
import { covers, meets, type Pattern } from './pattern.js';

/** The demands of the user on a change. */
export interface Gates {
  noNewAccess: boolean;
  notGranted?: readonly NotGranted[];
  maxGained?: number;
  /** The grants that `maxGained` counts; none means everything. */
  countedFor: readonly Pattern[];
}

/**
 * Judges a change. What cannot be said, or not exactly, and what is not known of a state fails a gate that it matters to;
 * findings of the baseline are left alone.
 */
export function judge(
  gates: Gates,
  findings: readonly ReportedFinding[],
  impact: Impact,
  gaps: readonly string[],
): GateResult[] {
  const judged = findings.filter((finding) => widens(finding) && finding.acknowledged !== true);
  const results: GateResult[] = [];
  const add = (gate: string, refused: readonly ReportedFinding[], why: string, passing: string) => {
    const unknown = gaps.length === 0 ? '' : 'something of the states is not known';
    const cut =
      impact.delta.complete === false ? 'there are too many places in which resources without a record may lie' : '';
    const reasons = [why, unknown, cut].filter((reason) => reason !== '');
    const detail = reasons.length === 0 ? `${passing}.` : `${reasons.join(', and ')}.`;
    results.push({ gate, passed: reasons.length === 0, detail, findings: refused.map(({ id }) => id) });
  };
  if (gates.noNewAccess) {
    const why = judged.length === 0 ? '' : `${plural(judged.length, 'finding')} would give new access`;
    add('no-new-access', judged, why, 'nobody would get new access');
  }
  if (gates.notGranted !== undefined) {
    const refused = new Set<ReportedFinding>();
    const violated = gates.notGranted.filter(({ patterns }) => {
      const met = judged.filter((finding) => patterns.some((pattern) => meets(pattern, finding, impact)));
      for (const finding of met) refused.add(finding);
      return met.length > 0;
    });
    const named = violated.map(({ name, file, line }) => `"${name}" (${file}:${line})`).join(', ');
    const why = violated.length === 0 ? '' : `what must not become possible would: ${named}`;
    add('not-granted', [...refused], why, 'nothing of what must not become possible would');
  }
  if (gates.maxGained !== undefined) budget(gates.maxGained, gates.countedFor, findings, judged, impact, add);
  return results;
}

/**
 * Counts recorded triples. What is gained by those without a record has no number; it is said, and the other gates judge
 * it.
 */
function budget(
  most: number,
  patterns: readonly Pattern[],
  findings: readonly ReportedFinding[],
  judged: readonly ReportedFinding[],
  impact: Impact,
  add: (gate: string, refused: readonly ReportedFinding[], why: string, passing: string) => void,
): void {
  const isAll = patterns.length === 0 && judged.length === findings.filter(widens).length;
  const counted =
    patterns.length === 0 ? judged : judged.filter((one) => patterns.some((pattern) => meets(pattern, one, impact)));
  const gained = isAll ? allGained(impact) : gainedIn(counted, patterns, impact);
  const unsure = counted.filter(({ exact, change, triples }) => triples > 0 && (!exact || change === 'unknown'));
  const beyond = counted.filter(({ triples }) => triples === 0).length;
  const of = patterns.length === 0 ? '' : ` for ${patterns.map(({ text }) => `"${text}"`).join(', ')}`;
  const beside = beyond === 0 ? '' : ` (and ${plural(beyond, 'finding')} about what has no record, not counted)`;
  const total = `${plural(gained, 'permission')} would be gained${of}`;
  if (gained > most) add('max-gained', counted, `${total}, more than ${amount(most)}${beside}`, '');
  else if (unsure.length > 0)
    add('max-gained', unsure, `how many permissions would be gained${of} is not known exactly`, '');
  else add('max-gained', [], '', `${total}, of at most ${amount(most)}${beside}`);
}

function allGained({ delta }: Impact): number {
  const { gained, mixed, unknown } = delta.counts;
  return gained + mixed + unknown;
}

function gainedIn(findings: readonly ReportedFinding[], patterns: readonly Pattern[], impact: Impact): number {
  const sets = findings.map((finding) => ({
    finding,
    subjects: new Set(impact.subjectsOf(finding)),
    resources: new Set(impact.resourcesOf(finding)),
  }));
  let gained = 0;
  for (const pair of impact.pairs()) {
    if (pair.change === 'lost') continue;
    if (patterns.length > 0 && !patterns.some((pattern) => covers(pattern, pair))) continue;
    const counts = sets.some(
      ({ finding: { actions }, subjects, resources }) =>
        subjects.has(pair.subject) &&
        resources.has(pair.resource) &&
        (actions.includes('*') || actions.includes(pair.action)),
    );
    if (counts) gained += 1;
  }
  return gained;
}
