import type { DecisionResponse } from '@authz-service/pdp/contract/decision-response';
import type { DecisionPoint } from '@authz-service/sdk';
import type { ErrorCode } from '@authz-service/sdk/service-error';
import { failureOf } from '../errors/failure.js';
import type { Terminal } from '../output/terminal.js';
import { padded, printable, width } from '../output/text.js';
import type { BatchQuestion, Expectation } from './batch.js';
import { answerOf, sentence, verdict } from './render.js';
import { type BatchOutcome, runAll } from './run-all.js';

export interface BatchOptions {
  json: boolean;
  concurrency: number;
  signal: AbortSignal;
}

export interface BatchCounts {
  denied: number;
  failed: number;
  /** Questions whose file expects an answer. */
  expected: number;
  /** Those of them that were answered otherwise, or not at all. */
  unexpected: number;
}

const CHUNK = 1000;
const VERDICT_COLUMNS = 'allowed'.length;

/** Problems that are not caused by one request: the other requests would meet them, too. */
const COMMON: ReadonlySet<ErrorCode> = new Set([
  'network',
  'timeout',
  'unauthorized',
  'invalid_client',
  'forbidden',
  'not_ready',
  'too_old',
  'method_not_allowed',
]);

/**
 * Sends all requests and prints one line for each, in order, as the answers arrive. The first one is sent alone, so
 * that an unreachable service causes one failure only. Throws a problem that all requests have in common.
 */
export async function runBatch(
  client: Pick<DecisionPoint, 'decide'>,
  questions: readonly BatchQuestion[],
  { json, concurrency, signal }: BatchOptions,
  out: Terminal,
): Promise<BatchCounts> {
  const column = json
    ? 0
    : questions.reduce((widest, { question }) => Math.max(widest, width(printable(sentence(question)))), 0);
  const counts: BatchCounts = { denied: 0, failed: 0, expected: 0, unexpected: 0 };
  let start = 0;
  while (start < questions.length) {
    const chunk = questions.slice(start, start + (start === 0 ? 1 : CHUNK));
    start += chunk.length;
    const outcomes = await runAll(chunk, concurrency, async ({ question }) =>
      answerOf(await client.decide(question, { signal })),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (!outcome.ok && COMMON.has(outcome.error.code)) throw outcome.error;
      if (!outcome.ok) counts.failed++;
      else if (!outcome.value.decision) counts.denied++;
      const { expect } = chunk[index] ?? {};
      if (expect === undefined) continue;
      counts.expected++;
      if (!holds(expect, outcome)) counts.unexpected++;
    }
    const lines = outcomes.map((outcome, index) =>
      json ? jsonLine(chunk[index], outcome) : textLine(chunk[index], outcome, column, out),
    );
    await out.line(lines.join('\n'));
  }
  return counts;
}

/** Whether a question was answered as expected; one that could not be answered never is. */
function holds(expect: Expectation, outcome: BatchOutcome<DecisionResponse>): boolean {
  return outcome.ok && outcome.value.decision === (expect === 'allow');
}

function jsonLine(asked: BatchQuestion | undefined, outcome: BatchOutcome<DecisionResponse>): string {
  const answer = outcome.ok ? outcome.value : { error: failureOf(outcome.error, { flags: [] }) };
  const { expect } = asked ?? {};
  return JSON.stringify(expect === undefined ? answer : { ...answer, expect, passed: holds(expect, outcome) });
}

function textLine(
  asked: BatchQuestion | undefined,
  outcome: BatchOutcome<DecisionResponse>,
  column: number,
  { style }: Terminal,
): string {
  const { question, expect } = asked ?? {};
  const said = padded(question === undefined ? '' : printable(sentence(question)), column);
  const wrong =
    expect === undefined || holds(expect, outcome) ? '' : `${style('red', `not as expected (${expect})`)}  `;
  if (!outcome.ok)
    return `${style('red', padded('failed', VERDICT_COLUMNS))}  ${said}  ${wrong}${printable(outcome.error.detail)}`;
  const { decision, context } = outcome.value;
  const gap = ' '.repeat(VERDICT_COLUMNS - (decision ? 'allowed' : 'denied').length);
  return `${verdict(decision, style)}${gap}  ${said}  ${wrong}${printable(context.reason)}`;
}
