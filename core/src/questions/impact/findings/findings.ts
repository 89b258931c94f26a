import { OTHER_ACTION, type TypeUniverse } from '../../../access/delta/column-groups.js';
import type { ColumnComparison, ComparedCell } from '../../../access/delta/compare-columns.js';
import type { CompiledEngine } from '../../../access/engine/compiled-engine.js';
import type { PrincipalIds } from '../../../access/universe/principal-ids.js';
import type { ChangedRecord } from '../../../access/universe/record-changes.js';
import type { ResourceUnit } from '../../../access/universe/resource-places.js';
import { type Member, OTHER_TYPE } from '../../../access/universe/subject-classes.js';
import type { Residuals } from '../../../conditions/residual/residuals.js';
import type { Address, Path } from '../../../records/address.js';
import {
  FINDING_RISKS,
  type Finding,
  type FindingChange,
  type FindingResources,
  type FindingRisk,
} from '../api/finding.js';
import type { ActionNaming } from './areas.js';
import { findingId } from './finding-id.js';
import type { Places } from './name-recorded.js';
import { nameResources } from './name-resources.js';
import { nameSubjects, type PrincipalMembers } from './name-subjects.js';
import { type Rectangle, rectanglesOf } from './rectangles.js';

/** The most resources that are named; beyond, their number says how many there are. */
const NAMES_SHOWN = 20;

interface Input {
  readonly cells: readonly ComparedCell[];
  readonly comparison: ColumnComparison;
  readonly principals: PrincipalIds;
  readonly residuals: Residuals;
  readonly universe: (type: Path) => TypeUniverse;
  /** In the state before. */
  readonly engine: CompiledEngine;
  readonly changes: readonly ChangedRecord[];
  readonly now: number;
  readonly places: Places;
}

export interface DraftFinding {
  readonly finding: Omit<Finding, 'causes' | 'witness'>;
  readonly rectangle: Rectangle;
}

/** The findings of the cells that differ, without causes and witnesses. */
export function draftFindings(input: Input): DraftFinding[] {
  const { cells, residuals, universe, now } = input;
  const naming: ActionNaming = {
    key: ({ type }, actions) => {
      const { only, except } = actionsOf(universe(type), actions);
      return JSON.stringify([only, except]);
    },
    declared: ({ unit, action }) => universe(unit.type).actions.has(action),
  };
  const members = membersOf(input);
  const resourcesOf = resourceNames(input);
  const drafts: DraftFinding[] = [];
  for (const rectangle of rectanglesOf(cells, residuals, now, naming)) {
    drafts.push({ finding: findingOf(rectangle, input, { members, resourcesOf }), rectangle });
  }
  return drafts;
}

/** How subjects and resources are named. */
interface Naming {
  members(principal: number): PrincipalMembers;
  resourcesOf(units: readonly ResourceUnit[]): readonly FindingResources[];
}

function resourceNames({ universe, places }: Input): Naming['resourcesOf'] {
  const known = new WeakMap<readonly ResourceUnit[], readonly FindingResources[]>();
  return (units) => {
    let named = known.get(units);
    if (named === undefined) {
      named = nameResources(units, universe, places);
      known.set(units, named);
    }
    return named;
  };
}

function findingOf(
  { statement, blocks, units, actions, triples, exact }: Rectangle,
  { principals, universe }: Input,
  { members, resourcesOf }: Naming,
): Omit<Finding, 'causes' | 'witness'> {
  const subjects = nameSubjects(blocks, members, principals);
  const { only, except } = actionsOf(universe(units[0]?.type ?? ''), actions);
  const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  const said = {
    change: statement.change,
    subjects,
    actions: only,
    ...(except.length > 0 && { actions_except: except }),
    resources: resourcesOf(units),
    condition: statement.condition,
    ...(statement.conditionBefore !== undefined && { condition_before: statement.conditionBefore }),
    from: moment(statement.from),
    until: moment(statement.until),
  };
  const risks = risksOf(said.subjects.unrecorded, only, subjects.named_role, statement.change);
  // The identity hangs on every name, also on those that are not shown.
  return { id: findingId(said), ...said, resources: said.resources.map(cutNames), triples, exact, risks };
}

function cutNames(resources: FindingResources): FindingResources {
  return resources.names === undefined ? resources : { ...resources, names: resources.names.slice(0, NAMES_SHOWN) };
}

/** Actions as findings name them: those of the type, or all but some of these. */
function actionsOf({ actions: declared, named }: TypeUniverse, actions: readonly string[]) {
  if (!actions.includes(OTHER_ACTION)) return { only: [...actions].sort(), except: [] };
  const covered = new Set(actions);
  return { only: ['*'], except: [...new Set([...declared, ...named])].filter((one) => !covered.has(one)).sort() };
}

function risksOf(
  unrecorded: readonly string[],
  actions: readonly string[],
  role: Address | undefined,
  change: FindingChange,
): FindingRisk[] {
  if (change === 'lost' || change === 'narrowed') return [];
  const risks: FindingRisk[] = [];
  if (unrecorded.includes(OTHER_TYPE)) risks.push('everyone');
  if (actions.includes('*')) risks.push('any_action');
  if (role !== undefined) risks.push('named_role');
  return risks;
}

const CHANGES: readonly FindingChange[] = ['unknown', 'gained', 'widened', 'changed', 'lost', 'narrowed'];

/** Worst first: by what makes a finding risky, by its change, and by how many it is about. */
export function worse(left: Pick<Finding, 'risks' | 'change' | 'triples' | 'id'>, right: typeof left): number {
  const rank = ({ risks }: typeof left) =>
    risks.reduce((sum, risk) => sum + 2 ** (FINDING_RISKS.length - FINDING_RISKS.indexOf(risk)), 0);
  const gains = ({ change }: typeof left) => Number(change === 'lost' || change === 'narrowed');
  return (
    gains(left) - gains(right) ||
    rank(right) - rank(left) ||
    CHANGES.indexOf(left.change) - CHANGES.indexOf(right.change) ||
    right.triples - left.triples ||
    (left.id < right.id ? -1 : 1)
  );
}

/** The recorded subjects of principals, before or after. */
function membersOf({ comparison, principals, engine, changes }: Input): (principal: number) => PrincipalMembers {
  const known = new Map<number, PrincipalMembers>();
  const added = new Set(changes.filter(({ after }) => after !== undefined).map(({ address }) => address));
  return (principal) => {
    let found = known.get(principal);
    if (found === undefined) {
      const classes = comparison.classesOf(principal).filter(({ kind }) => kind === 'recorded');
      const { address, kind } = principals.at(principal);
      const link = kind === 'role' ? 'role_assignment' : 'group_membership';
      const prefix = `${link}/${address.slice(address.indexOf('/') + 1)}//subject/`;
      const belongs = ({ type, id, path }: Member) => {
        const subject = engine.subjects.get(type)?.get(id);
        const links = kind === 'role' ? subject?.roles : subject?.groups;
        return links?.some(({ to }) => to.address === address) === true || added.has(`${prefix}${path}`);
      };
      const directly = (members: readonly Member[]) =>
        kind === 'group' || kind === 'role' ? members.filter(belongs).length : members.length;
      const count = classes.reduce((sum, { members }) => sum + members.length, 0);
      found = { classes, count, directly };
      known.set(principal, found);
    }
    return found;
  };
}
