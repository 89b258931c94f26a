import type { SpanAnswer } from '../access/answers.js';
import type { ColumnGroup, UnitAction } from '../access/column-groups.js';
import type { Block, Cell } from '../access/compare-columns.js';
import type { FindingChange } from '../api/finding.js';
import type { DecisionList, Remainders } from '../remainder/remainders.js';
import type { ResourceUnit } from '../universe/resource-places.js';

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
  readonly span: SpanAnswer;
}

/** A block in a column group, with the span that the statement is about. */
interface Place {
  readonly block: Block;
  readonly span: SpanAnswer;
}

/** One subject, resource and action of a rectangle, and how the answers compare there. */
export interface Sample {
  readonly block: Block;
  readonly cell: UnitAction;
  readonly span: SpanAnswer;
}

/** Subjects, actions and resources of which the same is said. */
export interface Rectangle {
  readonly sample: Sample;
  readonly statement: Statement;
  readonly blocks: readonly Block[];
  readonly units: readonly ResourceUnit[];
  readonly actions: readonly string[];
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
  actionsKey: (unit: ResourceUnit, actions: readonly string[]) => string,
): Rectangle[] {
  const said = new Map<string, Said>();
  for (const { block, group, answer } of cells) {
    for (const statement of statementsOf(answer.spans, remainders, now, block.one.role)) {
      let known = said.get(statement.key);
      if (known === undefined) {
        known = { statement, byGroup: new Map() };
        said.set(statement.key, known);
      }
      const place = { block, span: statement.span };
      const places = known.byGroup.get(group);
      if (places === undefined) known.byGroup.set(group, [place]);
      else places.push(place);
    }
  }
  return [...said.values()].flatMap((one) => factored(one, actionsKey));
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
  const { change, condition, conditionBefore, from, until, role } = statement;
  return { ...statement, key: JSON.stringify([change, condition, conditionBefore ?? null, from, until, role ?? null]) };
}

function statementOf(span: SpanAnswer, remainders: Remainders, now: number, role: string | undefined): Statement {
  const { from, until, before, after, comparison } = span;
  const depends = (list: DecisionList) => remainders.verdictOf(list) === 'depends';
  const text = (list: DecisionList) => (depends(list) ? remainders.textOf(list) : null);
  const both = depends(before) && depends(after);
  const change = comparison.change === 'same' ? 'unknown' : changeInWords(comparison.change, both);
  const old = text(before);
  return {
    key: '',
    change,
    // Of what is lost altogether, the condition is the one under which it was there.
    condition: text(after) ?? (change === 'lost' ? old : null),
    conditionBefore: old ?? undefined,
    from: from <= now ? null : from,
    until: until === Number.POSITIVE_INFINITY ? null : until,
    role,
    span,
  };
}

function changeInWords(change: 'gained' | 'lost' | 'mixed' | 'unknown', both: boolean): FindingChange {
  if (change === 'unknown') return 'unknown';
  if (change === 'mixed') return 'changed';
  if (!both) return change;
  return change === 'gained' ? 'widened' : 'narrowed';
}

function factored(
  { statement, byGroup }: Said,
  actionsKey: (unit: ResourceUnit, actions: readonly string[]) => string,
): Rectangle[] {
  const byBlocks = new Map<string, { blocks: readonly Block[]; groups: [ColumnGroup, Place][] }>();
  for (const [group, places] of byGroup) {
    const key = places
      .map(({ block }) => block.key)
      .sort()
      .join('\n');
    const first = places[0] as Place;
    const known = byBlocks.get(key);
    if (known === undefined) byBlocks.set(key, { blocks: places.map(({ block }) => block), groups: [[group, first]] });
    else known.groups.push([group, first]);
  }
  const found: Rectangle[] = [];
  for (const { blocks, groups } of byBlocks.values()) {
    const byUnit = new Map<string, { unit: ResourceUnit; actions: string[]; sample: Sample }>();
    for (const [{ cells }, place] of groups)
      for (const cell of cells) {
        const known = byUnit.get(cell.unit.key);
        if (known !== undefined) known.actions.push(cell.action);
        else byUnit.set(cell.unit.key, { unit: cell.unit, actions: [cell.action], sample: { ...place, cell } });
      }
    const byActions = new Map<string, { actions: readonly string[]; units: ResourceUnit[]; sample: Sample }>();
    for (const { unit, actions, sample } of byUnit.values()) {
      const key = actionsKey(unit, actions);
      const known = byActions.get(key);
      if (known === undefined) byActions.set(key, { actions, units: [unit], sample });
      else known.units.push(unit);
    }
    for (const { actions, units, sample } of byActions.values())
      found.push({ statement, blocks, units, actions, sample });
  }
  return found;
}
