import type { Decision } from './decision.js';
import type { DecideOptions } from './decision-client.js';
import type { DecisionPoint } from './decision-point.js';
import type { DecisionQuestion } from './question.js';
import { ServiceError } from './service-error.js';

/** The answer of a mapper to a request for something that does not exist; the guard answers 404. */
export const NOT_FOUND: unique symbol = Symbol('not found');

type Mapped = DecisionQuestion | typeof NOT_FOUND | undefined;

/** Turns a request into the question whether it is allowed. Undefined, for an unknown caller, denies it. */
export type Mapper<R> = (request: R) => Mapped | Promise<Mapped>;

export interface GuardOptions<R = unknown> {
  /** The options of each decision. */
  decide?: Omit<DecideOptions, 'orDeny'>;
  /**
   * Is told why a request could not be decided (answered with 503), or that its question is malformed (400). The answer does
   * not wait for it, and is the same if it fails.
   */
  onUndecided?: (error: unknown, request: R) => unknown;
}

/** The common members of the frameworks' requests: the type of a mapper's request unless its parameter has another. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parts of the path that the route names. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly ip: string | undefined;
}

/** The answer in the place of a guarded route. */
export interface Refusal {
  status: 400 | 403 | 404 | 503;
  title: string;
}

export const PROBLEM_JSON = 'application/problem+json';

const decisions = new WeakMap<object, Decision>();

/** The decision by which a guard has let the request through, for the route behind it. */
export function decisionOf(request: object): Decision | undefined {
  return decisions.get(request);
}

/** Undefined where the request is allowed. The reason of a denial stays inside: it may name policies and people. */
export async function refusalOf<R>(
  client: Pick<DecisionPoint, 'decide'>,
  request: R,
  mapper: Mapper<R>,
  { decide, onUndecided }: GuardOptions<R>,
): Promise<Refusal | undefined> {
  const question = await mapper(request);
  if (question === NOT_FOUND) return ABSENT;
  if (!question) return FORBIDDEN;
  try {
    const decision = await client.decide(question, decide);
    if (decision.allowed !== true) return FORBIDDEN;
    if (typeof request === 'object' && request !== null) decisions.set(request, decision);
    return undefined;
  } catch (error) {
    void tell(async () => onUndecided?.(error, request));
    return error instanceof ServiceError && error.code === 'invalid_request' ? MALFORMED : UNDECIDED;
  }
}

/** Calls what the application hooks in: a rejection that nobody handles would end its process. */
async function tell(hook: () => Promise<unknown>): Promise<void> {
  try {
    await hook();
  } catch {}
}

const MALFORMED: Refusal = { status: 400, title: 'The request asks for something that cannot be asked about' };
const FORBIDDEN: Refusal = { status: 403, title: 'This is not allowed' };
const ABSENT: Refusal = { status: 404, title: 'There is no such thing' };
const UNDECIDED: Refusal = { status: 503, title: 'Whether this is allowed could not be decided' };
