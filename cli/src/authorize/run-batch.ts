import type { DecisionResponse } from '@authz-service/pdp/contract/decision-response';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { DecisionQuestion } from '@authz-service/sdk/question';
import type { ErrorCode } from '@authz-service/sdk/service-error';
import { failureOf } from '../errors/failure.js';
import type { Terminal } from '../output/terminal.js';
import { padded, printable, width } from '../output/text.js';
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
  'method_not_allowed',
]);

/**
 * Sends all requests and prints one line for each, in order, as the answers arrive. The first one is sent alone, so
 * that an unreachable service causes one failure only. Throws a problem that all requests have in common.
 */
export async function runBatch(
  client: Pick<ServiceClient, 'decide'>,
  questions: readonly DecisionQuestion[],
  { json, concurrency, signal }: BatchOptions,
  out: Terminal,
): Promise<BatchCounts> {
  const column = json
    ? 0
    : questions.reduce((widest, question) => Math.max(widest, width(printable(sentence(question)))), 0);
  const counts: BatchCounts = { denied: 0, failed: 0 };
  let start = 0;
  while (start < questions.length) {
    const chunk = questions.slice(start, start + (start === 0 ? 1 : CHUNK));
    start += chunk.length;
    const outcomes = await runAll(chunk, concurrency, async (question) =>
      answerOf(await client.decide(question, { signal })),
    );
    for (const outcome of outcomes) {
      if (!outcome.ok && COMMON.has(outcome.error.code)) throw outcome.error;
      if (!outcome.ok) counts.failed++;
      else if (!outcome.value.decision) counts.denied++;
    }
    const lines = outcomes.map((outcome, index) =>
      json ? jsonLine(outcome) : textLine(chunk[index], outcome, column, out),
    );
    await out.line(lines.join('\n'));
  }
  return counts;
}

function jsonLine(outcome: BatchOutcome<DecisionResponse>): string {
  return JSON.stringify(outcome.ok ? outcome.value : { error: failureOf(outcome.error, { flags: [] }) });
}

function textLine(
  question: DecisionQuestion | undefined,
  outcome: BatchOutcome<DecisionResponse>,
  column: number,
  { style }: Terminal,
): string {
  const said = padded(question === undefined ? '' : printable(sentence(question)), column);
  if (!outcome.ok)
    return `${style('red', padded('failed', VERDICT_COLUMNS))}  ${said}  ${printable(outcome.error.detail)}`;
  const { decision, context } = outcome.value;
  const gap = ' '.repeat(VERDICT_COLUMNS - (decision ? 'allowed' : 'denied').length);
  return `${verdict(decision, style)}${gap}  ${said}  ${printable(context.reason)}`;
}
