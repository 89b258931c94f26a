import { type ClientOptions, ServiceClient } from './client.js';
import { isObject } from './decision.js';
import type { DecisionQuestion, EvaluationsQuestion } from './question.js';
import { codeOfStatus } from './service-error.js';

/** A row of a fake decision point's table. A member that is left out fits everything. */
export interface Answer {
  /** `user:alice` */
  subject?: string;
  action?: string;
  /** `invoice:INV-1`, by id or name */
  resource?: string;
  /** The answer. A number is the status of an error: the question could not be decided. `away`: nobody answers. */
  answer: 'allow' | 'deny' | 'away' | number;
  reason?: string;
}

/** The address that a fake decision point's clients have. Nothing is sent there. */
const URL_OF_FAKE = 'http://decision-point.test';

/** A decision point inside the process, for tests: answers from a table, denies the rest, and remembers its questions. */
export class FakeDecisionPoint {
  /** Every question that was asked, in order. */
  readonly asked: DecisionQuestion[] = [];
  readonly #table: Answer[];

  constructor(table: readonly Answer[] = []) {
    this.#table = [...table];
  }

  /** Adds a row before all others. */
  answer(row: Answer): void {
    this.#table.unshift(row);
  }

  /** A real client that asks this decision point; it does not retry unless told so. */
  client(options: Partial<Omit<ClientOptions, 'fetch'>> = {}): ServiceClient {
    return new ServiceClient({ url: URL_OF_FAKE, retries: 0, tracer: false, ...options, fetch: this.fetch });
  }

  /** Used instead of the platform's own. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    const body: unknown = JSON.parse(String(init?.body ?? 'null'));
    if (!isObject(body)) return refused(400, 'A question is a JSON object.');
    if (pathname.endsWith('/access/v1/evaluation')) {
      const { status, answer } = this.#decide(body as unknown as DecisionQuestion);
      return status === 200 ? Response.json(answer) : refused(status, FAILED);
    }
    if (!pathname.endsWith('/access/v1/evaluations')) return refused(404, `A fake decision point has no ${pathname}.`);
    const { evaluations, options, ...defaults } = body as unknown as EvaluationsQuestion;
    const semantic = options?.evaluations_semantic;
    const answers: unknown[] = [];
    for (const evaluation of evaluations) {
      const { status, answer } = this.#decide({ ...defaults, ...evaluation } as DecisionQuestion);
      const error = { status, code: codeOfStatus(status), message: FAILED };
      answers.push(status === 200 ? answer : { decision: false, context: { error } });
      const allowed = status === 200 && answer.decision;
      if (semantic === 'deny_on_first_deny' && !allowed) break;
      if (semantic === 'permit_on_first_permit' && allowed) break;
    }
    return Response.json({ evaluations: answers });
  };

  #decide(question: DecisionQuestion) {
    this.asked.push(question);
    const { subject, action, resource } = question;
    const row = this.#table.find(
      (one) =>
        (one.subject ?? `${subject.type}:${subject.id}`) === `${subject.type}:${subject.id}` &&
        (one.action ?? action.name) === action.name &&
        (one.resource === undefined ||
          [resource.id, resource.name].some((name) => one.resource === `${resource.type}:${name}`)),
    );
    const answer = row?.answer ?? 'deny';
    if (answer === 'away') throw new TypeError('fetch failed', { cause: new Error('nobody answers') });
    const reason = row?.reason ?? (row === undefined ? 'No row of the table fits.' : 'A row of the table fits.');
    return {
      status: typeof answer === 'number' ? answer : 200,
      answer: { decision: answer === 'allow', context: { reason } },
    };
  }
}

const FAILED = 'The table says that this cannot be decided.';

function refused(status: number, detail: string): Response {
  return Response.json({ code: codeOfStatus(status), detail, errors: [] }, { status });
}
