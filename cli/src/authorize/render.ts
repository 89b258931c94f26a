import type { ExplainedCandidate } from '@authz-service/core/access/api/decision';
import { entityText } from '@authz-service/core/records/entity-text';
import type { DecisionMaxAge, DecisionResponse } from '@authz-service/pdp/contract/decision-response';
import type { Decision } from '@authz-service/sdk/decision';
import type { DecisionQuestion } from '@authz-service/sdk/question';
import type { Style } from '../output/terminal.js';
import { padded, printable, width } from '../output/text.js';
import { clauseLines } from './render-clauses.js';

/** A decision in the format of the service, for scripts that use `--json`. */
export function answerOf({ allowed, context }: Decision): DecisionResponse {
  return { decision: allowed, context: context as DecisionResponse['context'] };
}

/** One answer for people. */
export function renderAnswer(question: DecisionQuestion, answer: DecisionResponse, style: Style): string {
  const { reason, access_path, policy_id } = answer.context;
  const lines = [
    `${verdict(answer.decision, style)}  ${printable(sentence(question))}`,
    `  reason  ${printable(reason)}`,
    `  path    ${access_path}`,
  ];
  if (policy_id !== undefined) lines.push(`  policy  ${printable(policy_id)}`);
  const { explanation } = answer.context;
  if (explanation?.max_age !== undefined) lines.push(`  age     ${ageOf(explanation.max_age)}`);
  for (const role of explanation?.uncounted_roles ?? [])
    lines.push(`  ignored ${printable(role)}: requests may not name it`);
  for (const attribute of explanation?.uncounted_properties ?? [])
    lines.push(`  ignored ${printable(attribute)}: its type takes it from records alone`);
  if (explanation !== undefined) lines.push('', renderCandidates(explanation.candidates, style));
  return lines.join('\n');
}

function ageOf({ of, seconds, age_seconds: age }: DecisionMaxAge): string {
  return `${age} s; ${printable(of)} allows ${seconds} s`;
}

/** "user:alice read invoice:INV-1"; missing parts of a malformed request in a batch are shown as "?". */
export function sentence({ subject, action, resource }: Partial<DecisionQuestion>): string {
  const said = (text: unknown): string => (typeof text === 'string' ? text : '?');
  const who = entityText('subject', { type: said(subject?.type), name: said(subject?.id) });
  const what = entityText('resource', { type: said(resource?.type), name: said(resource?.name ?? resource?.id) });
  return `${who} ${said(action?.name)} ${what}`;
}

export function verdict(decision: boolean, style: Style): string {
  return style('bold', decision ? style('green', 'allowed') : style('red', 'denied'));
}

const MARKS = { applies: '✓', does_not_apply: '·', failed: '✗' } as const;

function wayTo({ through, place }: ExplainedCandidate): string {
  return `${through.map(printable).join(' → ')}${place === undefined ? '' : ` on ${printable(place)}`}`;
}

/** All candidate policies, highest priority first, as the engine orders them. */
function renderCandidates(candidates: ExplainedCandidate[], style: Style): string {
  if (candidates.length === 0) return style('dim', 'No policy covers this action on this resource for this subject.');
  const names = Math.max(...candidates.map((candidate) => width(printable(candidate.policy))));
  const blocks = candidates.map((candidate) => {
    const format = candidate.outcome === 'applies' ? 'bold' : candidate.outcome === 'failed' ? 'red' : 'dim';
    const effect = candidate.effect === 'ALLOW' ? style('green', 'ALLOW') : style('red', 'DENY ');
    const head = `${MARKS[candidate.outcome]} ${padded(printable(candidate.policy), names)}`;
    return [
      `${style(format, head)}  ${effect}  priority ${candidate.priority}`,
      `    ${printable(candidate.why)}`,
      ...clauseLines(candidate, style).map((line) => `      ${line}`),
      style('dim', `    through ${wayTo(candidate)}`),
    ].join('\n');
  });
  return [style('bold', 'Candidate policies'), ...blocks].join('\n');
}
