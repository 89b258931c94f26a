import type { EngineRecord } from '../../access/api/engine.js';
import { Answers } from '../../access/delta/answers.js';
import { ChangeScope } from '../../access/delta/change-scope.js';
import { columnsOf, grouped, unitsOf } from '../../access/delta/column-groups.js';
import { Columns, ColumnTables } from '../../access/delta/columns.js';
import { ColumnComparison, type ComparedCell } from '../../access/delta/compare-columns.js';
import { FreeTexts } from '../../access/delta/free-texts.js';
import { GrantedRules } from '../../access/delta/granted-rules.js';
import { Memberships } from '../../access/delta/memberships.js';
import type { PairChange } from '../../access/delta/pair-change.js';
import { ParentCombinations } from '../../access/delta/parent-combinations.js';
import { placeEffectsOf } from '../../access/delta/place-effects.js';
import { PresentLists } from '../../access/delta/present-list.js';
import { Touching } from '../../access/delta/touched.js';
import { TypeUniverses } from '../../access/delta/type-universe.js';
import { compileEngine } from '../../access/engine/compile-engine.js';
import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import { PrincipalIds } from '../../access/universe/principal-ids.js';
import { type ChangedRecord, type Differing, differing } from '../../access/universe/record-changes.js';
import { highestOf, type ResourceUnit, recordPath } from '../../access/universe/resource-places.js';
import type { ImpactOptions, TenantSide } from '../../access/universe/side.js';
import { type Side, SubjectClasses } from '../../access/universe/subject-classes.js';
import { typesInConditions } from '../../access/universe/types-in-conditions.js';
import { Residuals } from '../../conditions/residual/residuals.js';
import { type Address, type Path, splitAddress } from '../../records/address.js';
import type { Finding } from './api/finding.js';
import type { AlikeSubjects, Impact } from './api/impact.js';
import { completeFindings } from './findings/complete-findings.js';
import { type DraftFinding, draftFindings, worse } from './findings/findings.js';
import { pairLines } from './findings/pair-lines.js';
import type { Rectangle } from './findings/rectangles.js';

/**
 * Everything that becomes possible and impossible between two states (docs/semantics.md section 10). One compiled engine
 * goes from the state before to that after and back, so that a tenant is held once, and what is compared is plain data.
 */
export function computeImpact(before: TenantSide, after: TenantSide, options: ImpactOptions): Impact {
  const { records, changes, ids } = differing(before.records, after.records);
  const engine = compileEngine(records());
  return impactOfChanges({ engine, policies: records, changes, ids, sides: { before, after } }, options);
}

/** A state with changes of it. */
export interface ChangedState extends Omit<Differing, 'records'> {
  /** In the state before, in which it is again afterwards. */
  readonly engine: CompiledEngine;
  /** The policies before, perhaps among other records. */
  policies(): Iterable<EngineRecord>;
  readonly sides: { readonly before: TenantSide; readonly after: TenantSide };
}

/** The same for one of many changes of a state that is compiled already. */
export function impactOfChanges(
  { engine, policies, changes, ids, sides }: ChangedState,
  { now, explained = true, byMembership = false, pairsMax }: ImpactOptions,
): Impact {
  const principals = new PrincipalIds();
  const tables = new ColumnTables(principals, now);
  const residuals = new Residuals();
  const scope = new ChangeScope();
  const subjects = new SubjectClasses(changes, now, principals, typesInConditions(policies(), changes));
  const universes = new TypeUniverses(engine, changes);
  const universe = universes.of.bind(universes);
  const idOf = (unit: ResourceUnit) => ids.get(`resource/${recordPath(unit)}`);

  const look = (side: Side) => {
    const granted = GrantedRules.of(engine);
    universes.look(granted);
    new Touching(engine, granted, tables, scope).mark(changes, side);
    subjects.look(engine, side);
    return [granted, placeEffectsOf(engine, granted, tables)] as const;
  };
  const [, placesBefore] = look('before');
  engine.apply(changes);
  const [grantedAfter, placesAfter] = look('after');
  const classes = subjects.classes();
  const free = new FreeTexts(engine, changes, universe, subjects.types);
  const answers = new Answers(tables, principals, residuals, free, now);
  const memberships = byMembership ? Memberships.look(engine, classes, tables, answers, residuals) : undefined;
  const comparison = new ColumnComparison(tables, classes, answers, pairsMax, memberships);
  const share = comparison.share.bind(comparison);
  new ParentCombinations(scope, [placesBefore, placesAfter], changedResources(changes), share).mark();
  const units = [...unitsOf(scope, universe)];
  const columnsAfter = columnsOf(new Columns(engine, grantedAfter, tables, idOf), units);
  engine.apply(reversed(changes));
  // What went and came back is a new object in the graph, so the grants are read again.
  const grantedBefore = GrantedRules.of(engine);
  const columnsBefore = columnsOf(new Columns(engine, grantedBefore, tables, idOf), units);
  const groups = grouped(units, columnsBefore, columnsAfter, universe);

  const cells: ComparedCell[] = [];
  for (const group of groups) {
    cells.push(...comparison.cells(group));
  }
  const drafts = draftFindings({
    ...{ cells, comparison, principals, residuals, universe, engine, changes, now },
    places: {
      parents: (type) => scope.touchedParents(type).keys(),
      highest: (all) => highestOf(engine, all),
      placed: (type) => scope.placedNames(type),
    },
  });
  const lists = new PresentLists(engine, tables, principals, answers, idOf);
  const findings = explained
    ? completeFindings({ drafts, engine, changes, sides, principals, universe, lists })
    : drafts.map(({ finding }) => ({ ...finding, causes: [] }));
  const rectangleOf = rectanglesBehind(findings, drafts);
  findings.sort(worse);
  const paths = recordPaths();
  return {
    delta: {
      format: 1,
      now: new Date(now).toISOString(),
      counts: countsOf(cells),
      exact: cells.every((cell) => cell.exact),
      ...(!scope.complete && { complete: false }),
      findings,
    },
    pairs: () => pairLines(cells, universe),
    subjectsOf: (finding) => subjectsIn(rectangleOf(finding)),
    alikeIn: (finding) => alikeIn(rectangleOf(finding)),
    resourcesOf: (finding) => paths(rectangleOf(finding).units),
  };
}

/**
 * Returns what a finding or a copy of it is about. Findings that differ in memberships alone share their id: of these,
 * copies have to do with any. Throws for a finding of another impact, since a gate would take what it does not know for
 * nothing.
 */
function rectanglesBehind(
  findings: readonly Finding[],
  drafts: readonly DraftFinding[],
): (finding: Finding) => Rectangle {
  const known = new Map<Finding | string, Rectangle>();
  for (const [at, finding] of findings.entries()) {
    const { rectangle } = drafts[at] as DraftFinding;
    known.set(finding, rectangle).set(finding.id, rectangle);
  }
  return (finding) => {
    const rectangle = known.get(finding) ?? known.get(finding.id);
    if (rectangle === undefined) throw new Error(`the finding ${finding.id} is of another impact`);
    return rectangle;
  };
}

function alikeIn({ ways }: Rectangle): AlikeSubjects[] {
  // With a role that requests name anybody has what subjects with records have.
  const alike = [...ways].filter(([{ one }]) => one.without === undefined);
  return alike.map(([{ one, members }, way]) => ({
    ...{ kind: one.kind, type: one.type, alike: one.index, of: one.members.length, members },
    ...(one.role !== undefined && { role: one.role, types: one.types ?? [] }),
    by: way.split(' ').filter(Boolean) as Address[],
  }));
}

function subjectsIn({ blocks }: Rectangle): string[] {
  const recorded = blocks.filter(({ one }) => one.kind === 'recorded' || one.without !== undefined);
  return [...new Set(recorded.flatMap(({ members }) => members.map(({ path }) => path)))].sort();
}

/** Lists the paths of recorded resources, sorted; many findings are about the same ones. */
function recordPaths(): (units: readonly ResourceUnit[]) => readonly Path[] {
  const known = new WeakMap<readonly ResourceUnit[], readonly Path[]>();
  return (units) => {
    let paths = known.get(units);
    if (paths === undefined) {
      paths = [...new Set(units.flatMap((unit) => recordPath(unit) ?? []))].sort();
      known.set(units, paths);
    }
    return paths;
  };
}

/** The paths of resources that change, and of those that one state does not have. */
function changedResources(changes: readonly ChangedRecord[]) {
  const of = changes.filter(({ before, after }) => (before ?? after)?.kind === 'resource');
  const paths = (list: readonly ChangedRecord[]) => new Set(list.map(({ address }) => splitAddress(address).path));
  const both = of.filter(({ before, after }) => before !== undefined && after !== undefined);
  return { both: paths(both), oneSided: paths(of.filter((one) => !both.includes(one))) };
}

/** The changes that lead back. */
function reversed(changes: readonly ChangedRecord[]): ChangedRecord[] {
  return changes.map(({ address, before, after }) => ({ address, before: after, after: before }));
}

function countsOf(cells: readonly ComparedCell[]): Record<PairChange, number> {
  const counts = { gained: 0, lost: 0, mixed: 0, unknown: 0 };
  for (const { block, group, triple } of cells)
    if (triple !== undefined && block.one.kind === 'recorded')
      counts[triple.change] += block.members.length * group.recorded;
  return counts;
}
