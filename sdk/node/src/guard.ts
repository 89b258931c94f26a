import type { DecideOptions, DecisionClient } from './decision-client.js';
import type { DecisionQuestion } from './question.js';

/** Turns a request into the question whether it is allowed. Undefined, for an unknown caller, denies it. */
export type Mapper<R> = (request: R) => DecisionQuestion | undefined | Promise<DecisionQuestion | undefined>;

export interface GuardOptions {
  /** The options of each decision. */
  decide?: Omit<DecideOptions, 'orDeny'>;
  /** Is told why a request could not be decided, before it is answered with 503. */
  onUndecided?: (error: unknown) => void;
}

/** The answer in the place of a guarded route. */
export interface Refusal {
  status: 403 | 503;
  title: string;
}

export const PROBLEM_JSON = 'application/problem+json';

/** Undefined where the request is allowed. The reason of a denial stays inside: it may name policies and people. */
export async function refusalOf<R>(
  client: Pick<DecisionClient, 'decide'>,
  request: R,
  mapper: Mapper<R>,
  { decide, onUndecided }: GuardOptions,
): Promise<Refusal | undefined> {
  const question = await mapper(request);
  if (!question) return FORBIDDEN;
  try {
    const { allowed } = await client.decide(question, decide);
    return allowed === true ? undefined : FORBIDDEN;
  } catch (error) {
    onUndecided?.(error);
    return UNDECIDED;
  }
}

const FORBIDDEN: Refusal = { status: 403, title: 'This is not allowed' };
const UNDECIDED: Refusal = { status: 503, title: 'Whether this is allowed could not be decided' };
