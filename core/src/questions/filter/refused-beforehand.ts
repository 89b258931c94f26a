import type { ResourceType } from '../../access/grants/target.js';
import { ANY_NAMES, ANY_TEXT, type PartialRequest } from '../../conditions/residual/partial-request.js';
import { readsOf } from '../../conditions/residual/reads.js';
import { type PolicyGuard, Residuals } from '../../conditions/residual/residuals.js';
import { ClauseOutcomes } from './clause-outcomes.js';
import { Unsayable } from './not-filterable.js';
import { RowColumns } from './row-columns.js';
import { ALWAYS } from './row-condition.js';
import { ancestorsFault, storedReads } from './row-filter.js';
import { UNSAYABLE } from './row-outcomes.js';

/** A part of a policy for which filters are refused as `not_filterable`. */
export interface RefusedPart extends Pick<Unsayable, 'clause' | 'why' | 'remedy'> {
  /** The place of the clause in the condition, in characters: where it begins, and where it ends. */
  readonly place?: readonly [number, number];
}

/**
 * Finds before anybody asks why filters of rows of a type are refused, by what a filter itself refuses. `now` is milliseconds since
 * the epoch.
 */
export class RefusedBeforehand {
  readonly #columns: RowColumns;
  readonly #residuals = new Residuals();

  constructor(
    private readonly type: ResourceType,
    private readonly now: number,
  ) {
    this.#columns = new RowColumns(type, {});
  }

  /** Says why every filter is refused, if it is. */
  get whole(): string | undefined {
    return ancestorsFault(this.type, this.#columns);
  }

  /** The parts of a guard, in their order. */
  of(guard: PolicyGuard): RefusedPart[] {
    const found = new Map<string, RefusedPart>();
    const add = ({ clause, why, remedy }: Unsayable, place?: readonly [number, number]) => {
      const key = JSON.stringify([place ?? clause, why]);
      if (!found.has(key)) found.set(key, { clause, why, remedy, ...(place && { place }) });
    };
    const clauses = new ClauseOutcomes(
      this.#residuals,
      this.#columns,
      () => ALWAYS,
      (error, { source }) => {
        add(error, 'ast' in source ? [source.ast.start, source.ast.end] : undefined);
        return UNSAYABLE;
      },
      true,
    );
    // A question about a group is either true or false when somebody asks.
    for (const inGroup of [true, false]) clauses.of.of(this.#residuals.residualOf(guard, this.#anyRequest(inGroup)));
    const { resourceProperties } = readsOf(guard);
    try {
      for (const resource of this.type.resources.values()) storedReads(resource, this.#columns, resourceProperties);
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error;
      add(error);
    }
    return [...found.values()].sort((left, right) => (left.place?.[0] ?? 0) - (right.place?.[0] ?? 0));
  }

  #anyRequest(inGroup: boolean): PartialRequest {
    const { name: type, application } = this.type;
    return {
      subject: { type: ANY_TEXT, id: ANY_TEXT, recorded: {}, sent: true },
      action: { name: ANY_TEXT, sent: true },
      resource: { type, application, names: ANY_NAMES, recorded: {}, sent: true },
      among: true,
      principals: { inGroup: () => inGroup, hasRole: (path) => ({ anyOf: [path] }) },
      span: { from: this.now, until: Number.POSITIVE_INFINITY },
    };
  }
}
