import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import { ProblemError } from '@authz-service/core/problem';
import type { Filter } from '@authz-service/core/questions/filter/filter-condition';
import { type FilterQuestion, filterRows } from '@authz-service/core/questions/filter/row-filter';
import { ResidualConditions } from '@authz-service/core/questions/possible/residual-conditions';
import type { Fields, StoredRecord } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import { boolean } from '@oclif/core/flags';
import { connect } from '../config/connect.js';
import type { ConnectionFlags } from '../config/connection.js';
import { renderFilter } from '../filter/render-filter.js';
import { isOfService, treeAt } from '../history/asking.js';
import { table } from '../output/table.js';
import { err, out } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';
import type { Outcome } from '../service-command.js';

export const possibleFlag = {
  possible: boolean({
    description:
      'List those for whom it depends on what the request says, with the condition that remains: on its context, and on properties that are not recorded. Reads the records.',
    exclusive: ['context', 'role', 'subject-property', 'resource-property', 'action-property', 'local'],
    helpGroup: 'ASKING',
  }),
};

/** One of whom an answer depends, and the condition that a request must satisfy. */
export type Possible<T> = T & { condition: string };

/** The rows of a type with which a subject may do something, or why nobody can say which. */
export interface PossibleRows {
  readonly type: string;
  readonly action: string;
  readonly filter?: Filter;
  /** Set where not all of the rows are allowed: each needs a decision. */
  readonly partial?: true;
  readonly refused?: string;
}

/** The records that `--possible` looks through, and the conditions that remain of requests about them. */
export class PossibleSearch {
  readonly #engine: CompiledEngine;
  readonly #conditions: ResidualConditions;

  private constructor(
    private readonly records: readonly StoredRecord[],
    private readonly now: number,
  ) {
    const policies = records.flatMap((record) =>
      record.kind === 'policy' ? [[record.address, record.fields] as const] : [],
    );
    this.#engine = compileEngine(records);
    this.#conditions = new ResidualConditions(this.#engine, new Map(policies));
  }

  /** Reads the records of the service, as they are or were, or of the tree of a Git revision. */
  static async of(flags: ConnectionFlags & { at?: string | undefined }, signal: AbortSignal): Promise<PossibleSearch> {
    const { at } = flags;
    if (at !== undefined && !isOfService(at)) return new PossibleSearch((await treeAt(at)).stored(), Date.now());
    const { records } = await (await connect(flags)).state({ signal });
    const time = at === undefined ? Number.NaN : Date.parse(at);
    const now = at !== undefined && /^\d{4}-/.test(at) && !Number.isNaN(time) ? time : Date.now();
    return new PossibleSearch(records as StoredRecord[], now);
  }

  subjects(types: readonly string[]): { type: string; id: string }[] {
    return this.#sorted(
      this.records.flatMap(({ kind, fields }) =>
        kind === 'subject' && types.includes(fields.type) ? [{ type: fields.type, id: fields.id }] : [],
      ),
    );
  }

  /** The recorded resources of these types, or of all; types are named by their paths or bare names. */
  resources(types: readonly string[] | undefined): { type: string; id: string }[] {
    const isWanted = wanted(types);
    return this.#sorted(
      this.records.flatMap(({ kind, fields }) =>
        kind === 'resource' && isWanted(fields.type) ? [{ type: fields.type, id: fields.name }] : [],
      ),
    );
  }

  /** The rows of these types, or of all, with which a subject may do something, whether or not they have records. */
  rows(subject: DecisionRequest['subject'], types: readonly string[] | undefined, action?: string): PossibleRows[] {
    const isWanted = wanted(types);
    const paths = this.records.flatMap(({ kind, address }) =>
      kind === 'resource_type' ? [address.slice('resource_type/'.length)] : [],
    );
    return paths.filter(isWanted).flatMap((type) =>
      this.actions(type)
        .filter((one) => action === undefined || one === action)
        .map((one) => ({ type, action: one, ...this.#filter({ subject, action: { name: one }, resource: { type } }) }))
        .filter(({ filter }) => filter?.kind !== 'none'),
    );
  }

  #filter(question: FilterQuestion): Pick<PossibleRows, 'filter' | 'partial' | 'refused'> {
    try {
      const { filter, partial } = filterRows(this.#engine, question, this.now, true);
      return { filter, ...(partial && { partial }) };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { refused: error.detail };
    }
  }

  /** The actions of a type, named by its path or its bare name. */
  actions(type: string): readonly string[] {
    const found = this.records.find(
      (record) =>
        record.kind === 'resource_type' &&
        (record.address === `resource_type/${type}` || (record.fields as Fields<'resource_type'>).name === type),
    );
    return found === undefined ? [] : (found.fields as Fields<'resource_type'>).actions;
  }

  condition(request: DecisionRequest): string | undefined {
    return this.#conditions.of(request, this.now);
  }

  #sorted<T extends { type: string; id: string }>(list: T[]): T[] {
    return list.sort((left, right) => (left.type + left.id < right.type + right.id ? -1 : 1));
  }
}

function wanted(types: readonly string[] | undefined): (type: string) => boolean {
  return (type) => types?.some((one) => one === type || type.endsWith(`/${one}`)) ?? true;
}

/** Renders the rows for people: an action and a type each, with the filter as `servicectl filter` shows it. */
export function possibleRowsText(rows: readonly PossibleRows[], subject: string): string {
  return rows
    .map(({ type, action, filter, partial, refused }) => {
      const text =
        filter === undefined
          ? `  columns cannot say it: ${printable(refused ?? '')}`
          : indented(renderFilter({ ...filter, ...(partial && { partial }) }, subject, printable(type)));
      return `${printable(action)} ${printable(type)}, with a record or without:\n${text}`;
    })
    .join('\n\n');
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

/** Returns what `--possible` prints. */
export async function possibleFound<T extends object>(
  results: readonly Possible<T>[],
  headings: readonly string[],
  note: string,
  cells: (found: Possible<T>) => string[],
): Promise<Outcome> {
  const count = counted(results.length, 'answer depends', 'answers depend');
  await err.line(err.style('dim', `${count} on what the request says besides${note}`));
  const rows = results.map((found) => [...cells(found), printable(found.condition)]);
  return {
    json: { results },
    text: rows.length === 0 ? undefined : table([...headings, 'IF'], rows, out.style, out.columns),
  };
}
