import type { ClassAnswer, SpanAnswer } from '../../../access/delta/answers.js';
import type { ColumnGroup, UnitAction } from '../../../access/delta/column-groups.js';
import type { Block, ComparedCell } from '../../../access/delta/compare-columns.js';
import type { ResourceUnit } from '../../../access/universe/resource-places.js';
import type { Member, SubjectClass } from '../../../access/universe/subject-classes.js';
import { append } from '../../../collections/append.js';
import type { DecisionList, Residuals } from '../../../conditions/residual/residuals.js';
import type { FindingChange } from '../api/finding.js';
import { type ActionNaming, type Area, type AreaCell, Areas } from './areas.js';

/** A statement about one span of a cell, in words. */
export interface Statement {
  readonly key: string;
  readonly change: FindingChange;
  readonly condition: string | null;
  readonly conditionBefore: string | undefined;
  readonly from: number | null;
  readonly until: number | null;
  /** The address of the role that requests name. */
  readonly role: string | undefined;
  /** Whether that role is named of subjects with records. */
  readonly recorded: boolean;
  /** The condition says which subjects go with which resources: not each of them with each. */
  readonly joined: boolean;
  /** By which memberships subjects come to it, if that is asked. */
  readonly way: string;
  readonly span: SpanAnswer;
}

/** A block in a column group, with the span that the statement is about. */
interface StatedBlock {
  readonly block: Block;
  readonly span: SpanAnswer;
  readonly exact: boolean;
  /** By which memberships the subjects come to it, if that is asked. */
  readonly way: string;
}

/** One subject, resource and action of a rectangle, and how the answers compare there. */
export interface Sample {
  readonly block: Block;
  readonly member: Member;
  readonly cell: UnitAction;
  readonly span: SpanAnswer;
}

/** Subjects, actions and resources of which the same is said. */
export interface Rectangle {
  readonly sample: Sample;
  readonly statement: Statement;
  readonly blocks: readonly Block[];
  /** By which memberships each block comes to all of it, if that is asked. */
  readonly ways: ReadonlyMap<Block, string>;
  /** The same list for rectangles of the same resources, as far as the same column groups have them. */
  readonly units: readonly ResourceUnit[];
  readonly actions: readonly string[];
  /** How many recorded triples it has. */
  readonly triples: number;
  readonly exact: boolean;
  /** The corners that make the statement. */
  corners(): Iterable<StatedCell>;
}

/** A resource and action with the subjects of whom a rectangle says the same there. */
interface StatedCell {
  readonly cell: UnitAction;
  readonly places: readonly StatedBlock[];
}

interface StatedCells {
  readonly statement: Statement;
  readonly byGroup: Map<ColumnGroup, StatedBlock[]>;
}

/** Factors the statements of cells: no subject, action, resource and instant is in two rectangles. */
export function rectanglesOf(
  cells: Iterable<ComparedCell>,
  residuals: Residuals,
  now: number,
  naming: ActionNaming,
): Rectangle[] {
  const said = new Map<string, StatedCells>();
  for (const { block, group, answer, ways, exact } of cells) {
    for (const statement of statementsOf({ spans: answer.spans, ways, ...block.one }, residuals, now)) {
      let known = said.get(statement.key);
      if (known === undefined) {
        known = { statement, byGroup: new Map() };
        said.set(statement.key, known);
      }
      const place = { block, span: statement.span, exact, way: statement.way };
      append(known.byGroup, group, place);
    }
  }
  const areas = new Areas(naming);
  return [...said.values()].flatMap((one) => factored(one, areas));
}

function* statementsOf(
  {
    spans,
    ways,
    role,
    without,
  }: Pick<SubjectClass, 'role' | 'without'> & Pick<ComparedCell, 'ways'> & Pick<ClassAnswer, 'spans'>,
  residuals: Residuals,
  now: number,
): Generator<Statement, void> {
  let open: Statement | undefined;
  for (const span of spans) {
    const said = { span, way: ways.get(span) ?? '', role, recorded: without !== undefined };
    const next = span.comparison.change === 'same' ? undefined : statementOf(said, residuals, now);
    if (open !== undefined && next !== undefined && saysSame(open, next)) open = { ...open, until: next.until };
    else {
      if (open !== undefined) yield keyed(open);
      open = next;
    }
  }
  if (open !== undefined) yield keyed(open);
}

function saysSame(first: Statement, second: Statement): boolean {
  return (
    first.way === second.way &&
    first.change === second.change &&
    first.condition === second.condition &&
    first.conditionBefore === second.conditionBefore
  );
}

function keyed(statement: Statement): Statement {
  const { change, condition, conditionBefore, from, until, role, recorded, joined } = statement;
  const said = [change, condition, conditionBefore ?? null, from, until, role ?? null, recorded, joined];
  return { ...statement, key: JSON.stringify(said) };
}

function statementOf(
  { span, way, role, recorded }: Pick<Statement, 'span' | 'way' | 'role' | 'recorded'>,
  residuals: Residuals,
  now: number,
): Statement {
  const { from, until, before, after, comparison, open } = span;
  const depends = (list: DecisionList) => residuals.verdictOf(list) === 'depends';
  // What a join requires stays part of the condition, although for each pair it is known.
  const text = (list: DecisionList, whole: DecisionList | undefined) =>
    depends(whole ?? list) ? residuals.textOf(whole ?? list) : null;
  const both = depends(before) && depends(after);
  const change = comparison.change === 'same' ? 'unknown' : changeInWords(comparison.change, both);
  return {
    key: '',
    change,
    condition: text(after, open?.after),
    conditionBefore: text(before, open?.before) ?? undefined,
    from: from <= now ? null : from,
    until: until === Number.POSITIVE_INFINITY ? null : until,
    role,
    recorded,
    joined: open !== undefined,
    way,
    span,
  };
}

function changeInWords(change: 'gained' | 'lost' | 'mixed' | 'unknown', both: boolean): FindingChange {
  if (change === 'unknown') return 'unknown';
  if (change === 'mixed') return 'changed';
  if (!both) return change;
  return change === 'gained' ? 'widened' : 'narrowed';
}

function factored({ statement, byGroup }: StatedCells, areas: Areas): Rectangle[] {
  const byBlocks = new Map<string, Map<ColumnGroup, readonly StatedBlock[]>>();
  for (const [group, all] of byGroup)
    for (const places of statement.joined ? byWay(all) : [all]) {
      const key = statement.joined
        ? (places[0] as StatedBlock).way
        : places
            .map(({ block, way }) => `${block.key}>${way}`)
            .sort()
            .join('\n');
      const known = byBlocks.get(key);
      if (known === undefined) byBlocks.set(key, new Map([[group, places]]));
      else known.set(group, places);
    }
  return [...byBlocks.values()].flatMap((placesOf) => {
    const ways = new Map<Block, string>();
    for (const places of placesOf.values()) for (const { block, way } of places) ways.set(block, way);
    const blocks = [...ways.keys()];
    return areas.of([...placesOf.keys()]).map((area) => ({
      ...cornersOf(area, placesOf),
      statement,
      blocks,
      ways,
      units: area.units,
      actions: area.actions,
    }));
  });
}

function byWay(places: readonly StatedBlock[]): Iterable<StatedBlock[]> {
  const found = new Map<string, StatedBlock[]>();
  for (const place of places) {
    append(found, place.way, place);
  }
  return found.values();
}

function cornersOf(
  { cells, triplesOf }: Area,
  placesOf: ReadonlyMap<ColumnGroup, readonly StatedBlock[]>,
): Pick<Rectangle, 'sample' | 'triples' | 'exact' | 'corners'> {
  const at = (group: ColumnGroup) => placesOf.get(group) as readonly StatedBlock[];
  let [triples, exact] = [0, true];
  for (const [group, count] of triplesOf) {
    let recorded = 0;
    for (const { block } of at(group)) if (block.one.kind === 'recorded') recorded += block.members.length;
    triples += count * recorded;
    exact &&= at(group).every((place) => place.exact);
  }
  const [{ cell, group }] = cells as [AreaCell];
  const [{ block, span }] = at(group) as [StatedBlock];
  return {
    sample: { block, member: block.first, span, cell },
    triples,
    exact,
    *corners() {
      for (const one of cells) yield { cell: one.cell, places: at(one.group) };
    },
  };
}
