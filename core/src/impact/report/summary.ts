import type { AccessReport } from './access-report.js';
import { widens } from './access-report.js';
import { amount, plural } from './phrase.js';

/** What a change does to access, in a heading and a sentence without names. */
export function summary(report: AccessReport): { title: string; text: string } {
  const { findings, counts, exact } = report;
  const wider = findings.filter(widens).length;
  const narrower = findings.length - wider;
  if (findings.length === 0) {
    return { title: 'no change', text: 'Nobody gains access by this change, and nobody loses any.' };
  }
  const parts = [
    ...(wider === 0 ? [] : [plural(wider, 'gain')]),
    ...(narrower === 0 ? [] : [`${amount(narrower)} ${narrower === 1 ? 'loss' : 'losses'}`]),
  ];
  const { gained, lost, mixed, unknown } = counts;
  const said = [
    `${amount(gained)} become possible`,
    `${amount(lost)} impossible`,
    ...(mixed === 0 ? [] : [`${amount(mixed)} change both ways`]),
    ...(unknown === 0 ? [] : [`of ${amount(unknown)} it cannot be said`]),
  ];
  const bound = exact ? '' : ', at most';
  const all = gained + lost + mixed + unknown;
  const text =
    all === 0
      ? 'Nothing changes between recorded subjects and recorded resources; the change is about those without a record.'
      : `Of all cases of a recorded subject, an action and a recorded resource${bound}: ${said.join(', ')}.`;
  return { title: parts.join(', '), text };
}
