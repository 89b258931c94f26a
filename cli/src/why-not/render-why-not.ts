import type { ExplainedCandidate } from '@authz-service/core/access/api/decision';
import { conditionWords } from '@authz-service/core/questions/impact/report/condition-words';
import { plain } from '@authz-service/core/questions/impact/report/render-access-text';
import { isRefused, type VerifiedProposal, type WhyNot } from '@authz-service/core/questions/why-not/why-not';
import { clauseLines } from '../authorize/render-clauses.js';
import type { Style } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';

/** Candidates beyond these are left to `servicectl authorize --explain`. */
const CANDIDATES_MAX = 5;

/** The answer for people: why it is denied, and up to `limit` proposals. */
export function renderWhyNot(answer: WhyNot, limit: number, style: Style): string {
  const { allowed, reason, candidates, ask, proposals, not_weighed: more } = answer;
  if (allowed) return `${style('green', 'allowed')} already: ${printable(reason)}`;
  const because = candidates.filter(({ effect, outcome }) => (effect === 'DENY') === (outcome === 'applies'));
  const head = [
    `${style('red', 'denied')}  ${printable(reason)}`,
    ...because.slice(0, CANDIDATES_MAX).flatMap((candidate) => candidateLines(candidate, style)),
  ];
  if (because.length > CANDIDATES_MAX) {
    const rest = counted(because.length - CANDIDATES_MAX, 'more policy', 'more policies');
    head.push(style('dim', `  … ${rest}: see "servicectl authorize --explain"`));
  }
  head.push(...askLines(ask, style));
  if (proposals.length === 0)
    return [...head, '', 'No change of one or two records allows it: see "servicectl authorize --explain".'].join('\n');
  const shown = proposals.slice(0, limit);
  const left = [
    ...(proposals.length > shown.length ? [`${proposals.length - shown.length} more with --limit`] : []),
    ...(more > 0
      ? [`${more.toLocaleString('en')} that would allow it, too, were not weighed (--weigh weighs more)`]
      : []),
  ];
  return [
    ...head,
    '',
    style('bold', 'Each of these changes would allow it, those first that grant least besides:'),
    ...shown.map((proposal, index) => proposalText(proposal, index + 1, style)),
    ...(left.length > 0 ? ['', style('dim', `${left.join('; ')}.`)] : []),
  ].join('\n');
}

/** Renders the requests that would be allowed with the records as they are. */
function askLines({ condition, requests }: WhyNot['ask'], style: Style): string[] {
  if (condition === undefined) return [];
  const words = printable(plain(conditionWords(condition)));
  return [
    '',
    style('bold', `Allowed without a change to the records ${words}${requests.length === 0 ? '.' : ':'}`),
    ...requests.map(({ summary }) => `   ${printable(summary)}`),
  ];
}

function candidateLines(candidate: ExplainedCandidate, style: Style): string[] {
  const { policy, effect, outcome, why } = candidate;
  const word = outcome === 'applies' ? 'applies' : outcome === 'failed' ? 'fails' : 'does not apply';
  return [
    `  ${printable(policy)} (${effect}) ${word}: ${printable(why)}`,
    ...clauseLines(candidate, style).map((line) => `    ${line}`),
  ];
}

function proposalText(proposal: VerifiedProposal, number: number, style: Style): string {
  const { summary, breaks } = proposal;
  const rules = breaks.map(({ mode, detail }) => {
    const word = mode === 'warn' ? style('yellow', 'an access rule warns of it:') : style('red', 'would be refused:');
    return `   ${word} ${printable(detail)}`;
  });
  const mark = isRefused(proposal) ? style('red', '✗ ') : '';
  const removes = proposal.removes_protection ? style('yellow', ' (takes away a protection)') : '';
  return [
    `${style('bold', `${number}.`)} ${mark}${printable(summary)}${removes}`,
    style('dim', `   ${elseText(proposal)}`),
    ...rules,
  ].join('\n');
}

function elseText({ grants, exact, beyond_records }: VerifiedProposal): string {
  if (grants > 0) {
    const number = `${exact ? '' : 'at most '}${counted(grants, 'other question', 'other questions')}`;
    return `also allows ${number} about recorded subjects and resources`;
  }
  if (!beyond_records) return 'grants nothing else';
  return 'grants nothing else that is recorded, but also what has no record, or at other times';
}
