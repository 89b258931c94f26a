import { type AccessReport, type GateResult, isOpen, RULES_GATE } from './access-report.js';
import { amount, plural } from './phrase.js';

/** The counts of a report in a heading with what is not known, and a sentence about them. */
export function summary(report: AccessReport, countsOnly = false): { title: string; text: string } {
  const { findings, counts } = report;
  const open = isOpen(report);
  const gap = open ? `not fully known (${notKnown(report, countsOnly)})` : '';
  if (findings.length === 0) {
    return open
      ? { title: gap, text: 'What is known changes nothing; what is not known may.' }
      : { title: 'no change', text: 'Nobody gains access by this change, and nobody loses any.' };
  }
  const { gained, lost, mixed, unknown } = counts;
  const all = gained + lost + mixed + unknown;
  const title = `${open ? `${gap}; ` : ''}${all === 0 ? WITHOUT_RECORD : countsText(report)}`;
  return { title, text: `${about(report, all)}${open ? ' What is not known may change more.' : ''}` };
}

const WITHOUT_RECORD = 'no recorded permission changes, others do';

/** `1,500 permissions gained, none lost`. */
function countsText({ counts: { gained, lost, mixed, unknown }, exact }: AccessReport): string {
  const number = (count: number) => (count === 0 ? 'none' : amount(count));
  const more = [
    ...(mixed === 0 ? [] : [`${amount(mixed)} changed both ways`]),
    ...(unknown === 0 ? [] : [`${amount(unknown)} unclear`]),
  ];
  const most = exact ? '' : 'at most ';
  const first = gained === 0 ? 'no permission gained' : `${plural(gained, 'permission')} gained`;
  return [`${gained === 0 ? '' : most}${first}`, `${number(lost)} lost`, ...more].join(', ');
}

/** How the rows of a report and its counts go together. */
function about({ findings }: AccessReport, all: number): string {
  const rows = findings.reduce((sum, { triples }) => sum + triples, 0);
  if (all > 0)
    return rows === all
      ? 'A permission is one action of one recorded subject on one recorded resource; the rows add up to these.'
      : 'A permission is one action of one recorded subject on one recorded resource. The rows do not add up to these: one permission may be in several rows, each for a time, and some rows are about properties that only requests send.';
  if (rows > 0)
    return 'Between recorded subjects and recorded resources nothing changes, unless requests send properties that are not recorded.';
  const named = findings.every(({ subjects }) => subjects.named_role !== undefined);
  return `Between recorded subjects and recorded resources nothing changes, only for ${named ? 'requests that name a role' : 'those without a record'}.`;
}

/** Why a report is open: its first gap, and how many more there are. */
export function notKnown({ gaps = [] }: AccessReport, countsOnly: boolean): string {
  const [first, ...others] = gaps;
  if (countsOnly || first === undefined)
    return first === undefined ? TOO_MUCH : `${plural(gaps.length, 'part')} of the two states`;
  return `${first.replace(/\.$/, '')}${others.length === 0 ? '' : ` (and ${amount(others.length)} more, below)`}`;
}

const TOO_MUCH = 'not everything was looked at, since there are too many places in which resources may lie';

/** The names of gates that no flag sets. */
const NO_FLAGS = new Map([
  [RULES_GATE, 'Access rules'],
  ['tests', 'Tests'],
  ['lint', 'Lint'],
  ['impact', 'Impact'],
]);

/** `--max-gained failed: 1,500 permissions would be gained, more than 100.` */
export function gateText({ gate, passed, detail, findings }: GateResult, countsOnly: boolean): string {
  const many = countsOnly && !passed && findings.length > 0 ? ` for ${plural(findings.length, 'finding')}` : '';
  const name = NO_FLAGS.get(gate) ?? `--${gate}`;
  return `${name} ${passed ? 'passed' : 'failed'}${many}${countsOnly ? '' : `: ${detail}`}`;
}
