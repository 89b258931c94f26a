import type { AccessReport } from './access-report.js';
import { widens } from './access-report.js';
import { amount, plural } from './phrase.js';

/** What a change does to access, in a heading and a sentence without names. */
export function summary(report: AccessReport): { title: string; text: string } {
  const { findings, counts, exact } = report;
  const unclear = findings.filter(({ change }) => change === 'unknown').length;
  const wider = findings.filter(widens).length - unclear;
  const narrower = findings.length - wider - unclear;
  if (findings.length === 0) {
    return { title: 'no change', text: 'Nobody gains access by this change, and nobody loses any.' };
  }
  const parts = [
    ...(wider === 0 ? [] : [plural(wider, 'gain')]),
    ...(unclear === 0 ? [] : [`${amount(unclear)} unclear`]),
    ...(narrower === 0 ? [] : [`${amount(narrower)} ${narrower === 1 ? 'loss' : 'losses'}`]),
  ];
  const { gained, lost, mixed, unknown } = counts;
  const all = gained + lost + mixed + unknown;
  const told = findings.reduce((sum, { triples }) => sum + triples, 0);
  if (all === 0) {
    const text =
      told === 0
        ? 'Between recorded subjects and recorded resources nothing changes, only for those without a record.'
        : 'Between recorded subjects and recorded resources nothing changes, unless requests send properties that are not recorded.';
    return { title: parts.join(', '), text };
  }
  const besides =
    told <= all
      ? ''
      : ' Findings name more together: one permission may be in several, by its times, and requests may send properties that are not recorded.';
  const more = [
    ...(mixed === 0 ? [] : [`${plural(mixed, 'permission')} ${mixed === 1 ? 'changes' : 'change'} both ways`]),
    ...(unknown === 0 ? [] : [`of ${amount(unknown)} it cannot be said`]),
  ];
  const most = exact ? '' : ' (at most)';
  const said = `Recorded subjects gain ${count(gained)} on recorded resources${most}, and lose ${count(lost)}`;
  return { title: parts.join(', '), text: `${[said, ...more].join('; ')}.${besides}` };
}

/** A permission is one action of one subject on one resource. */
function count(permissions: number): string {
  return permissions === 0 ? 'none' : plural(permissions, 'permission');
}
