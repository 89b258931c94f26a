import type { Manifest, ManifestFile, ManifestResult, SourcePlace } from '../../manifest/manifest.js';
import { byPlace } from '../../manifest/source.js';
import { type Acceptance, Acceptances } from './acceptances.js';
import { LINT_RULES, type LintFinding } from './lint-finding.js';
import { lintRecords } from './lint-records.js';

/** The rule about comments that accept findings and do nothing. */
export const IDLE_COMMENT = 'idle-comment';
export const IDLE_COMMENT_TEXT =
  'A comment accepts a finding that there is not, or of a rule that there is not, or gives no reason.';

/** A finding at its place in a tree; of a comment, there is no record. */
export interface PlacedFinding extends SourcePlace, Pick<LintFinding, 'certainty' | 'detail'> {
  rule: LintFinding['rule'] | typeof IDLE_COMMENT;
  address?: string;
  /** Why a comment beside the record accepts it. */
  accepted?: string;
}

/** The findings in a valid tree, in the order of files and lines. `now` is milliseconds since the epoch. */
export function lintTree(
  files: readonly ManifestFile[],
  { records }: Pick<Manifest, 'records'>,
  { placeOf }: Pick<ManifestResult, 'placeOf'>,
  now: number,
): PlacedFinding[] {
  const acceptances = new Acceptances(files);
  const findings = lintRecords(records, now).map(({ pointer, offset, ...finding }): PlacedFinding => {
    const start = placeOf(finding.address) ?? { file: '', line: 1, column: 1 };
    const place = pointer === undefined ? start : (placeOf(finding.address, pointer, offset) ?? start);
    const accepted = acceptances.reasonFor(finding.rule, [place, start]);
    return { ...finding, ...place, ...(accepted !== undefined && { accepted }) };
  });
  const rules = Object.keys(LINT_RULES);
  const idle = [
    ...acceptances.unused(rules).map((one) => idleComment(one, whyUnused(one))),
    ...acceptances.unknown([...rules, 'coverage', 'mutation']).map((one) => {
      const known = `the rules are ${[...rules, 'coverage', 'mutation'].join(', ')}.`;
      return idleComment(one, `There is no rule "${one.rule}": ${known}`);
    }),
  ];
  return [...findings, ...idle].sort(byPlace);
}

function whyUnused({ rule, reason }: Acceptance): string {
  return reason === ''
    ? `Write why: "# accept ${rule}: REASON".`
    : `There is no finding of "${rule}" to accept here: remove the comment.`;
}

function idleComment({ file, line, column }: Acceptance, detail: string): PlacedFinding {
  return { rule: IDLE_COMMENT, certainty: 'proven', file, line, column, detail };
}
