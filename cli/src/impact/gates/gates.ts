import type { Impact } from '@authz-service/core/impact/api/impact';
import { type GateResult, type ReportedFinding, widens } from '@authz-service/core/impact/report/access-report';
import { counted } from '../../output/text.js';
import type { NotGranted } from './not-granted.js';
import { covers, meets, type Pattern } from './pattern.js';

/** What the user demands of a change. */
export interface Gates {
  noNewAccess: boolean;
  notGranted?: readonly NotGranted[];
  maxGained?: number;
  /** What `maxGained` counts; nothing means everything. */
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
    const reasons = [why, unknown].filter((reason) => reason !== '');
    const detail = reasons.length === 0 ? `${passing}.` : `${reasons.join(', and ')}.`;
    results.push({ gate, passed: reasons.length === 0, detail, findings: refused.map(({ id }) => id) });
  };
  if (gates.noNewAccess) {
    const why = judged.length === 0 ? '' : `${counted(judged.length, 'finding')} would give new access`;
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
 * Recorded triples that gain, and one for each finding that is only about what has no record: a wildcard over nobody and
 * nothing recorded is no free gain.
 */
function budget(
  most: number,
  patterns: readonly Pattern[],
  findings: readonly ReportedFinding[],
  judged: readonly ReportedFinding[],
  impact: Impact,
  add: (gate: string, refused: readonly ReportedFinding[], why: string, passing: string) => void,
): void {
  const counts =
    patterns.length === 0
      ? judged
      : judged.filter((finding) => patterns.some((pattern) => meets(pattern, finding, impact)));
  const gained =
    patterns.length === 0 && judged.length === findings.filter(widens).length
      ? allGained(impact)
      : gainedIn(counts, patterns, impact);
  const unrecorded = counts.filter(({ triples }) => triples === 0).length;
  const total = gained + unrecorded;
  const inexact = counts.filter(({ exact }) => !exact);
  const of = patterns.length === 0 ? '' : ` for ${patterns.map(({ text }) => `"${text}"`).join(', ')}`;
  const parts = `${counted(gained, 'recorded case')}${unrecorded === 0 ? '' : ` and ${counted(unrecorded, 'finding')} about what has no record`}`;
  const why =
    total > most
      ? `${parts} would become possible${of}, more than ${most.toLocaleString('en')}`
      : inexact.length > 0
        ? `how many would become possible${of} cannot be counted exactly`
        : '';
  add(
    'max-gained',
    total > most ? counts : inexact,
    why,
    `${parts} would become possible${of}, of at most ${most.toLocaleString('en')}`,
  );
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
