import type { Decision as EngineDecision } from '@authz-service/core/access/api/decision';
import type { Budget } from '@authz-service/core/access/api/engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import { ProblemError } from '@authz-service/core/problem';
import type { EndpointCall, TenantView } from '@authz-service/pdp/endpoints/endpoint';
import { decisionResponse } from '@authz-service/pdp/endpoints/evaluation';
import { evaluationsEndpoint } from '@authz-service/pdp/endpoints/evaluations';
import { filterEndpoint } from '@authz-service/pdp/endpoints/filter';
import { searchEndpoints } from '@authz-service/pdp/endpoints/search';
import { PROBLEM_STATUS } from '@authz-service/pdp/transport/problem-status';
import { type DecisionPoint, ServiceError } from '@authz-service/sdk';
import {
  type Decision,
  decisionOf,
  denial,
  endingOf,
  endsBatch,
  notEvaluated,
  type Outcome,
  outcomesOf,
} from '@authz-service/sdk/decision';
import {
  everyPart,
  type Filter,
  type FilterPartsOptions,
  type FilterQuestion,
  filterOf,
} from '@authz-service/sdk/filter';
import type {
  ActionQuestion,
  DecisionQuestion,
  EvaluationsQuestion,
  FoundAction,
  FoundEntity,
  ResourceQuestion,
  SubjectQuestion,
} from '@authz-service/sdk/question';
import { everyResult, type SearchOptions } from '@authz-service/sdk/search';
import { inOptionNames } from './option-names.js';
import { requestOf, sent } from './plain-question.js';

/** The records by which a decision point in the process decides. Throws `ProblemError` where nothing may be decided. */
export interface DecisionSource {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The engine for this turn of the event loop. Throws `not_ready` or `too_old`. */
  current(): { readonly engine: CompiledEngine };
  /** Runs work of several turns on one revision. Throws as `current` does. */
  run<T>(work: (view: TenantView) => Generator<undefined, T>): Promise<T>;
  /** The age of what is known, in milliseconds; undefined where no budget binds. Throws `too_old`. */
  ageWithin(budget: Budget): number | undefined;
  /** The revision that answers at present, if there are revisions. */
  readonly revision: string | undefined;
}

/** The choice for a question that could not be decided. */
export interface LocalDecideOptions {
  /** Denies it; the decision then has `decided: false` and the `error`. */
  orDeny?: boolean | undefined;
}

/** The most questions that are decided at one revision. */
const BATCH_MAX = 1_000;
const HERE = 'the decision point in this process';

/**
 * Answers as the client of a decision point does, without one: the questions, the answers and the errors are those of
 * `@authz-service/sdk`. Every method throws or rejects with `ServiceError`, and no error is ever an allow.
 */
export class LocalDecisionPoint implements DecisionPoint {
  constructor(private readonly source: DecisionSource) {}

  /** The revision that answers at present. */
  get revision(): string | undefined {
    return this.source.revision;
  }

  /** Whether the subject may do the action to the resource. */
  isAllowed(question: DecisionQuestion, options?: LocalDecideOptions): boolean {
    return this.decide(question, options).allowed;
  }

  /** The decision with its reason. The reason is put into words when it is read: read it before the next turn. */
  decide(question: DecisionQuestion, { orDeny }: LocalDecideOptions = {}): Decision {
    try {
      return this.#decided(question);
    } catch (error) {
      const known = serviceErrorOf(error);
      if (orDeny) return denial(known);
      throw known;
    }
  }

  /** Several questions, each thousand of them at one revision; their outcomes in the same order. */
  async decideAll(question: EvaluationsQuestion, { orDeny }: LocalDecideOptions = {}): Promise<Outcome[]> {
    // All of it as it is now: the caller may change it while thousands are decided.
    const asked = asSent(question) as EvaluationsQuestion | null;
    const evaluations = asked?.evaluations;
    const ending = endingOf(asked?.options?.evaluations_semantic);
    const outcomes: Outcome[] = [];
    const count = Array.isArray(evaluations) ? evaluations.length : 1;
    while (outcomes.length < count) {
      const at = outcomes.length;
      const chunk = Array.isArray(evaluations) ? evaluations.slice(at, at + BATCH_MAX) : evaluations;
      const one = Array.isArray(chunk) ? { ...asked, evaluations: chunk } : asked;
      const { body, revision } = await this.#answered(evaluationsEndpoint, one);
      outcomes.push(...outcomesOf(body, Array.isArray(chunk) ? chunk.length : 1, ending, HERE, revision));
      if (!endsBatch(outcomes.at(-1), ending)) continue;
      while (outcomes.length < count) outcomes.push({ ok: false, error: notEvaluated() });
    }
    if (!orDeny) return outcomes;
    return outcomes.map((outcome) => (outcome.ok ? outcome : { ok: true, decision: denial(outcome.error) }));
  }

  /** The subjects of a type that may do this. */
  searchSubjects(question: SubjectQuestion, options?: SearchOptions): AsyncGenerator<FoundEntity, void, undefined> {
    return everyResult(async (asked) => (await this.#answered(SUBJECTS, asSent(asked))).body, question, options);
  }

  /** The resources of a type on which the subject may do this. */
  searchResources(question: ResourceQuestion, options?: SearchOptions): AsyncGenerator<FoundEntity, void, undefined> {
    return everyResult(async (asked) => (await this.#answered(RESOURCES, asSent(asked))).body, question, options);
  }

  /** Searches what the subject may do to the resource. */
  searchActions(question: ActionQuestion, options?: SearchOptions): AsyncGenerator<FoundAction, void, undefined> {
    return everyResult(async (asked) => (await this.#answered(ACTIONS, asSent(asked))).body, question, options);
  }

  /** The rows of a type that the subject may do this with, as a condition on their columns. */
  async filterRows(question: FilterQuestion): Promise<Filter> {
    const { body, revision } = await this.#answered(filterEndpoint, asSent(question));
    return filterOf(body, question, HERE, revision);
  }

  /** The same in parts, of which each is a filter for other rows. */
  filterParts(question: FilterQuestion, { limit }: FilterPartsOptions = {}): AsyncGenerator<Filter, void, undefined> {
    return everyPart((asked) => this.#answered(filterEndpoint, asSent(asked)), question, HERE, limit);
  }

  #decided(question: DecisionQuestion): Decision {
    const request = requestOf(question);
    const { source } = this;
    const { engine } = source.current();
    const budget = engine.budgetOf(request.resource.type);
    if (budget !== undefined) source.ageWithin(budget);
    const now = source.now();
    if (request.explain) return decisionOf(decisionResponse(engine.explain(request, now)), HERE, this.revision);
    return new LocalDecision(engine.decide(request, now), this.revision);
  }

  /** The answer of an endpoint as it would go over the wire, to a body as it would arrive, and the revision it is of. */
  async #answered<A>(
    { parse, answer }: { parse(body: unknown): A; answer(asked: A, call: EndpointCall): object | Promise<object> },
    body: unknown,
  ): Promise<{ body: object; revision: string | undefined }> {
    const { source } = this;
    // Another revision may be activated before the answer is there.
    let { revision } = source;
    const call: EndpointCall = {
      now: source.now(),
      engine: () => source.current().engine,
      run: (work) =>
        source.run((view) => {
          revision = source.revision;
          return work(view);
        }),
      ageWithin: (budget) => source.ageWithin(budget),
      evaluated: () => {},
      publicUrl: () => '',
    };
    try {
      return { body: await answer(parse(body), call), revision };
    } catch (error) {
      throw serviceErrorOf(error);
    }
  }
}

const [SUBJECTS, RESOURCES, ACTIONS] = searchEndpoints as [
  (typeof searchEndpoints)[number],
  (typeof searchEndpoints)[number],
  (typeof searchEndpoints)[number],
];

/** A decision that composes its texts when they are read: most callers read only `allowed`. */
class LocalDecision implements Decision {
  readonly decided = true;
  readonly allowed: boolean;
  readonly #made: EngineDecision;

  constructor(
    made: EngineDecision,
    private readonly at: string | undefined,
  ) {
    this.allowed = made.decision;
    this.#made = made;
  }

  get reason(): string {
    return this.#made.reason;
  }

  get accessPath(): string {
    return this.#made.access_path;
  }

  get policyId(): string {
    return this.#made.policy_id as string;
  }

  get revision(): string {
    return this.at as string;
  }

  get context(): Readonly<Record<string, unknown>> {
    return { ...decisionResponse(this.#made).context };
  }
}

/** A body as it would arrive. Throws `ServiceError`. */
function asSent(body: unknown): unknown {
  try {
    return sent(body);
  } catch (error) {
    throw serviceErrorOf(error);
  }
}

/** The error of the SDK for a problem of the service; unexpected ones become `internal`. */
export function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof ProblemError))
    return new ServiceError('internal', 'An internal error occurred: the "cause" of this error says which.', [], {
      cause: error,
      status: PROBLEM_STATUS.internal,
    });
  const { code, detail, errors, cause } = error;
  return new ServiceError(code, inOptionNames(detail), errors, { cause, status: PROBLEM_STATUS[code] });
}
