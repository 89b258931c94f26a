import { type Decision, endingOf, endsBatch, notEvaluated, type Outcome } from './decision.js';
import type { DecisionQuestion, EvaluationsQuestion } from './question.js';
import { ServiceError } from './service-error.js';
import type { CallOptions } from './transport.js';

/** Statuses by which a decision point says that it takes no batches. */
const WITHOUT_BATCHES: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

export function isWithoutBatches(error: unknown): boolean {
  return error instanceof ServiceError && WITHOUT_BATCHES.has(error.status);
}

/** Asks the questions of a batch one after the other within `timeoutMs`, as far as its semantic goes. */
export async function oneByOne(
  { evaluations, options: { explain, evaluations_semantic } = {}, ...shared }: EvaluationsQuestion,
  { timeoutMs, ...options }: CallOptions & { timeoutMs: number },
  ask: (question: DecisionQuestion, options: CallOptions) => Promise<Decision>,
): Promise<Outcome[]> {
  const endsAt = performance.now() + timeoutMs;
  const ending = endingOf(evaluations_semantic);
  const outcomes: Outcome[] = [];
  let ended = false;
  for (const evaluation of evaluations) {
    const leftMs = endsAt - performance.now();
    if (ended) outcomes.push({ ok: false, error: notEvaluated() });
    else if (leftMs <= 0) {
      const detail = `The decision was not there within ${timeoutMs / 1000} s.`;
      outcomes.push({ ok: false, error: new ServiceError('timeout', detail) });
    } else {
      const question = { ...shared, ...evaluation, ...(explain && { options: { explain } }) } as DecisionQuestion;
      const outcome = await settled(ask(question, { ...options, timeoutMs: leftMs }));
      ended = endsBatch(outcome, ending);
      outcomes.push(outcome);
    }
  }
  return outcomes;
}

async function settled(decision: Promise<Decision>): Promise<Outcome> {
  try {
    return { ok: true, decision: await decision };
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, error };
    throw error;
  }
}
