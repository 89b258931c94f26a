import type { Decision, Outcome } from './decision.js';
import type { DecideOptions } from './decision-client.js';
import type { Filter, FilterPartsOptions, FilterQuestion } from './filter.js';
import type {
  ActionQuestion,
  DecisionQuestion,
  EvaluationsQuestion,
  FoundAction,
  FoundEntity,
  ResourceQuestion,
  SubjectQuestion,
} from './question.js';
import type { SearchOptions } from './search.js';
import type { CallOptions } from './transport.js';

/**
 * A decision point as applications ask it: over the network (`ServiceClient`), or inside the process (`EmbeddedPdp` of
 * `@authz-service/embedded`). With `await`, code that asks one asks the other.
 */
export interface DecisionPoint {
  isAllowed(question: DecisionQuestion, options?: DecideOptions): boolean | Promise<boolean>;
  decide(question: DecisionQuestion, options?: DecideOptions): Decision | Promise<Decision>;
  decideAll(question: EvaluationsQuestion, options?: DecideOptions): Promise<Outcome[]>;
  searchSubjects(question: SubjectQuestion, options?: SearchOptions): AsyncGenerator<FoundEntity, void, undefined>;
  searchResources(question: ResourceQuestion, options?: SearchOptions): AsyncGenerator<FoundEntity, void, undefined>;
  searchActions(question: ActionQuestion, options?: SearchOptions): AsyncGenerator<FoundAction, void, undefined>;
  filterRows(question: FilterQuestion, options?: CallOptions): Promise<Filter>;
  filterParts(question: FilterQuestion, options?: FilterPartsOptions): AsyncGenerator<Filter, void, undefined>;
}
