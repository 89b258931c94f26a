import type { SpanAnswer } from '../access/answers.js';
import type { ColumnGroup, UnitAction } from '../access/column-groups.js';
import type { Block, Cell } from '../access/compare-columns.js';
import type { FindingChange } from '../api/finding.js';
import type { DecisionList, Remainders } from '../remainder/remainders.js';
import type { ResourceUnit } from '../universe/resource-places.js';
import type { Member } from '../universe/subject-classes.js';

/** What one span of a cell says, in words. */
export interface Statement {
  readonly key: string;
  readonly change: FindingChange;
  readonly condition: string | null;
  readonly conditionBefore: string | undefined;
  readonly from: number | null;
  readonly until: number | null;
  /** The address of the role that requests name. */
  readonly role: string | undefined;
  /** The condition says which subjects go with which resources: not each of them with each. */
  readonly joined: boolean;
  readonly span: SpanAnswer;
}

/** A block in a column group, with the span that the statement is about. */
export interface Place {
  readonly block: Block;
  readonly span: SpanAnswer;
  readonly exact: boolean;
}

/** One subject, resource and action of a rectangle, and how the answers compare there. */
export interface Sample {
  readonly block: Block;
  readonly member: Member;
  readonly cell: UnitAction;
  readonly span: SpanAnswer;
}

/** What actions are to a unit: equal keys are named alike, and `declared` ones make triples. */
export interface ActionNaming {
  key(unit: ResourceUnit, actions: readonly string[]): string;
  declared(cell: UnitAction): boolean;
}

/** Subjects, actions and resources of which the same is said. */
export interface Rectangle {
  readonly sample: Sample;
  readonly statement: Statement;
  readonly blocks: readonly Block[];
  readonly units: readonly ResourceUnit[];
  readonly actions: readonly string[];
  /** How many recorded triples it has. */
  readonly triples: number;
  readonly exact: boolean;
  /** Where it says so. */
  readonly corners: readonly Corner[];
}

/** A resource and action with the subjects of whom a rectangle says the same there. */
export interface Corner {
  readonly cell: UnitAction;
  readonly places: readonly Place[];
}

interface Said {
  readonly statement: Statement;
  readonly byGroup: Map<ColumnGroup, Place[]>;
}

/** What cells say, factored: no subject, action, resource and instant is in two rectangles. */
export function rectanglesOf(
  cells: Iterable<Cell>,
  remainders: Remainders,
  now: number,
  naming: ActionNaming,
): Rectangle[] {
  const said = new Map<string, Said>();
  for (const { block, group, answer, exact } of cells) {
    for (const statement of statementsOf(answer.spans, remainders, now, block.one.role)) {
      let known = said.get(statement.key);
      if (known === undefined) {
        known = { statement, byGroup: new Map() };
        said.set(statement.key, known);
      }
      const place = { block, span: statement.span, exact };
      const places = known.byGroup.get(group);
      if (places === undefined) known.byGroup.set(group, [place]);
      else places.push(place);
    }
  }
  return [...said.values()].flatMap((one) => factored(one, naming));
}

function* statementsOf(
  spans: readonly SpanAnswer[],
  remainders: Remainders,
  now: number,
  role: string | undefined,
): Generator<Statement, void> {
  let open: Statement | undefined;
  for (const span of spans) {
    const next = span.comparison.change === 'same' ? undefined : statementOf(span, remainders, now, role);
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
    first.change === second.change &&
    first.condition === second.condition &&
    first.conditionBefore === second.conditionBefore
  );
}

function keyed(statement: Statement): Statement {
  const { change, condition, conditionBefore, from, until, role, joined } = statement;
  const said = [change, condition, conditionBefore ?? null, from, until, role ?? null, joined];
  return { ...statement, key: JSON.stringify(said) };
}

function statementOf(span: SpanAnswer, remainders: Remainders, now: number, role: string | undefined): Statement {
  const { from, until, before, after, comparison, open } = span;
  const depends = (list: DecisionList) => remainders.verdictOf(list) === 'depends';
  // What a join requires stays part of the condition, although for each pair it is known.
  const text = (list: DecisionList, whole: DecisionList | undefined) =>
    depends(whole ?? list) ? remainders.textOf(whole ?? list) : null;
  const both = depends(before) && depends(after);
  const change = comparison.change === 'same' ? 'unknown' : changeInWords(comparison.change, both);
  const old = text(before, open?.before);
  return {
    key: '',
    change,
    // Of what is lost altogether, the condition is the one under which it was there.
    condition: text(after, open?.after) ?? (change === 'lost' ? old : null),
    conditionBefore: old ?? undefined,
    from: from <= now ? null : from,
    until: until === Number.POSITIVE_INFINITY ? null : until,
    role,
    joined: open !== undefined,
    span,
  };
}

function changeInWords(change: 'gained' | 'lost' | 'mixed' | 'unknown', both: boolean): FindingChange {
  if (change === 'unknown') return 'unknown';
  if (change === 'mixed') return 'changed';
  if (!both) return change;
  return change === 'gained' ? 'widened' : 'narrowed';
}

function factored({ statement, byGroup }: Said, naming: ActionNaming): Rectangle[] {
  const byBlocks = new Map<string, { blocks: Set<Block>; groups: [ColumnGroup, readonly Place[]][] }>();
  for (const [group, places] of byGroup) {
    const key = statement.joined
      ? ''
      : places
          .map(({ block }) => block.key)
          .sort()
          .join('\n');
    const known = byBlocks.get(key);
    if (known === undefined)
      byBlocks.set(key, { blocks: new Set(places.map(({ block }) => block)), groups: [[group, places]] });
    else {
      for (const { block } of places) known.blocks.add(block);
      known.groups.push([group, places]);
    }
  }
  const found: Rectangle[] = [];
  for (const { blocks, groups } of byBlocks.values()) {
    const byUnit = new Map<string, OfUnit>();
    for (const [{ cells }, places] of groups) {
      const [first] = places as [Place];
      let recorded = 0;
      for (const { block } of places) if (block.one.kind === 'recorded') recorded += block.members.length;
      const exact = places.every((place) => place.exact);
      for (const cell of cells) {
        const triples = recorded > 0 && cell.unit.place === 'record' && naming.declared(cell) ? recorded : 0;
        const known = byUnit.get(cell.unit.key);
        if (known !== undefined) {
          known.actions.push(cell.action);
          known.corners.push({ cell, places });
          known.triples += triples;
          known.exact &&= exact;
        } else
          byUnit.set(cell.unit.key, {
            unit: cell.unit,
            actions: [cell.action],
            corners: [{ cell, places }],
            sample: { block: first.block, member: first.block.first, span: first.span, cell },
            triples,
            exact,
          });
      }
    }
    const byActions = new Map<string, OfUnit[]>();
    for (const one of byUnit.values()) {
      const key = naming.key(one.unit, one.actions);
      const known = byActions.get(key);
      if (known === undefined) byActions.set(key, [one]);
      else known.push(one);
    }
    for (const of of byActions.values()) {
      const { actions, sample } = of[0] as OfUnit;
      found.push({
        statement,
        blocks: [...blocks],
        units: of.map(({ unit }) => unit),
        actions,
        sample,
        triples: of.reduce((sum, { triples }) => sum + triples, 0),
        exact: of.every(({ exact }) => exact),
        corners: of.flatMap(({ corners }) => corners),
      });
    }
  }
  return found;
}

/** What is said of one unit. */
interface OfUnit {
  readonly unit: ResourceUnit;
  readonly actions: string[];
  readonly corners: Corner[];
  readonly sample: Sample;
  triples: number;
  exact: boolean;
}
