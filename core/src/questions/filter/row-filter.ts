import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import { Ancestors } from '../../access/evaluate/ancestors.js';
import type { LazyGuard } from '../../access/grants/lazy-guard.js';
import type { Policy } from '../../access/grants/rule.js';
import type { Resource, ResourceType } from '../../access/grants/target.js';
import { withCountedProperties } from '../../access/graph/counted-properties.js';
import { findType } from '../../access/graph/names.js';
import { excessOf, type Whereabouts, whereaboutsOf, withAncestors } from '../../access/graph/whereabouts.js';
import type { ResourceSearch } from '../../access/search/question.js';
import { remembered } from '../../collections/remembered.js';
import { parsedCondition } from '../../conditions/residual/partial-evaluator.js';
import type { PartialPrincipals, PartialRequest, PartialResource } from '../../conditions/residual/partial-request.js';
import { readsOf } from '../../conditions/residual/reads.js';
import { Residuals } from '../../conditions/residual/residuals.js';
import { partsOf } from '../../conditions/residual/syntax.js';
import { CONDITION_LIMITS } from '../../conditions/syntax/limits.js';
import type { Ast } from '../../conditions/syntax/parse.js';
import type { Ancestry } from '../../conditions/values/scope.js';
import type { Json, JsonObject } from '../../json/json.js';
import { ProblemError } from '../../problem.js';
import type { Address } from '../../records/address.js';
import { ANCESTORS_MAX } from '../../records/hierarchy.js';
import { ClauseOutcomes } from './clause-outcomes.js';
import { type Filter, publishedFilter } from './filter-condition.js';
import { notFilterable, Unsayable } from './not-filterable.js';
import { mayHaveOthers, ReachedPolicies } from './reached-policies.js';
import { RevisionMemory } from './revision-memory.js';
import { type ParentColumn, RowColumns } from './row-columns.js';
import { ALWAYS, and, inSet, keyOf, NEVER, not, or, type RowCondition } from './row-condition.js';
import { always, keyOfOutcomes, partialIn, type RowOutcomes, UNSAYABLE } from './row-outcomes.js';
import { type AskedPart, confines, FILTER_LIST_MAX, type RowInterval, RowParts } from './row-parts.js';
import { PlacementBuilder } from './row-places.js';
import { MISSING, noneOf, oneOf, PRESENT } from './value-set.js';

/** The question of which rows of a type a subject may do something with: a decision's, without the resource's name. */
export type FilterQuestion = Omit<ResourceSearch, 'kind'>;

/** A policy that takes part in a filter. */
export interface FilterPolicy {
  readonly policy: Address;
  readonly policy_id: string;
  readonly effect: 'ALLOW' | 'DENY';
  readonly priority: number;
}

export interface FilterAnswer {
  readonly filter: Filter;
  /** Set where not all of the rows are allowed: each needs a decision. */
  readonly partial: boolean;
  /** Finds the policies that take part, by priority. */
  readonly policies: () => readonly FilterPolicy[];
  /** The next part of an answer in parts; undefined after the last. */
  readonly next?: readonly RowInterval[] | undefined;
}

/** Each doubles the cases that are told apart for a recorded resource. */
const STORED_READ_MAX = 6;
/** The steps that each candidate takes besides its condition. */
const CANDIDATE_STEPS = 8;
const ANY_NAMES = { names: true, admitsName: () => true, admitsId: () => false } as const;

/**
 * The rows for which a decision would be true (docs/semantics.md 12). `now` is milliseconds since the epoch.
 * With `mayBePartial`, what columns cannot say makes the answer an upper bound instead of a refusal. With `part`, the answer
 * holds for that part of the rows, and each row is in one part. Throws
 * `ambiguous_name`, `invalid_request` where the request misplaces all rows, `not_filterable` and `filter_too_large`.
 */
export function filterRows(
  engine: CompiledEngine,
  asked: FilterQuestion,
  now: number,
  mayBePartial = false,
  part?: AskedPart,
): FilterAnswer {
  const type = findType(engine.types, asked.resource.type);
  const question = withCountedProperties(asked, engine.sendable, type);
  if (type === undefined) {
    engine.namedRoles(question.subject.roles);
    return { filter: { kind: 'none' }, partial: false, policies: () => [] };
  }
  const rows = new RowFilter(engine, type, question, now, mayBePartial, part);
  const filter = publishedFilter(rows.condition());
  return { filter, partial: rows.partial && filter.kind !== 'none', policies: () => rows.policies(), next: rows.next };
}

/** A policy that counts for some rows, and for which of them. */
interface Candidate {
  readonly policy: Policy;
  readonly where: RowCondition;
  readonly outcomes: RowOutcomes;
}

class RowFilter {
  readonly #columns: RowColumns;
  readonly #reached: ReachedPolicies;
  readonly #residuals = new Residuals();
  readonly #memory: RevisionMemory;
  readonly #clauses: ClauseOutcomes;
  readonly #sent: JsonObject;
  readonly #stored: JsonObject;
  /** The parents in which the request places all rows, and what these lie in. */
  readonly #fixed: readonly Resource[];
  /** The types that rows without a record may lie below, for all that can be said. */
  readonly #unknown: Whereabouts['unknown'];
  readonly #parts: RowParts;
  #partial = false;

  constructor(
    engine: CompiledEngine,
    private readonly type: ResourceType,
    private readonly question: FilterQuestion,
    private readonly now: number,
    private readonly mayBePartial: boolean,
    part: AskedPart | undefined,
  ) {
    this.#parts = new RowParts(part);
    this.#memory = RevisionMemory.of(engine);
    const { subject, resource } = question;
    this.#sent = resource.properties ?? {};
    this.#columns = new RowColumns(type, this.#sent);
    const free = this.#columns.parents.map(({ parent }) => [parent.property, null]);
    const where = whereaboutsOf(type, undefined, { ...this.#sent, ...Object.fromEntries(free) });
    this.#fixed = where?.places ?? [];
    this.#unknown = where?.unknown ?? null;
    const fixed = new Set(this.#fixed);
    const builder = () => new PlacementBuilder(type, this.#columns, fixed, this.#unknown);
    this.#reached = new ReachedPolicies(engine, type, question, now, builder);
    this.#clauses = new ClauseOutcomes(
      this.#residuals,
      this.#columns,
      (role) => this.#reached.holds(role).others,
      (error) => {
        if (mayBePartial) return UNSAYABLE;
        throw error;
      },
    );
    this.#stored = engine.subjects.get(subject.type)?.get(subject.id)?.properties ?? {};
    this.#boundSteps();
  }

  /** Whether something of a policy could not be said. */
  get partial(): boolean {
    return this.#partial;
  }

  /** The part after this one. */
  get next(): readonly RowInterval[] | undefined {
    return this.#parts.next;
  }

  policies(): FilterPolicy[] {
    const all = [...this.#reached.policies.keys()].map(({ address, id, deny, priority }) => ({
      ...{ policy: address, policy_id: id },
      ...{ effect: deny ? ('DENY' as const) : ('ALLOW' as const), priority },
    }));
    return all.sort((left, right) => right.priority - left.priority || (left.policy < right.policy ? -1 : 1));
  }

  condition(): RowCondition {
    if (![...this.#reached.policies.keys()].some(({ deny }) => !deny)) return NEVER;
    const unrecorded = this.#placedRightly(this.#unrecorded());
    const all = this.#told(unrecorded);
    const among = this.#parts.within(
      'name',
      all.map(({ name }) => name),
      'recorded resources of the type',
    );
    const special = all.filter(({ name }) => among.has(name));
    const groups = new Map<string, { condition: RowCondition; names: string[] }>();
    for (const { condition, names } of this.#alike(special)) {
      const group = remembered(groups, keyOf(condition), () => ({ condition, names: [] }));
      group.names.push(...names);
    }
    if (this.#columns.parents.length === 0 && this.#fixed.length === 0) groups.delete(keyOf(unrecorded));
    const told = [...groups.values()].flatMap(({ names }) => names);
    // Each row has a name.
    const others = told.length === 0 ? unrecorded : and([unrecorded, inSet('name', noneOf(told))]);
    const recorded = [...groups.values()].map(({ condition, names }) => and([condition, inSet('name', oneOf(names))]));
    return this.#parts.limited(or([others, ...recorded]));
  }

  /** Rows of which no record has the name, wherever they lie. */
  #unrecorded(): RowCondition {
    const reached = [...this.#reached.policies].filter(([, placement]) => mayHaveOthers(placement));
    const candidates = reached.map(([policy, { others, unsaid }]): Candidate => {
      const unknown = unsaid && others.op === 'never';
      const { guard } = policy;
      const outcomes = guard === null ? (unknown ? ABSENT : TRUE) : this.#outcomes(policy, guard, unknown);
      return { policy, where: unknown ? ALWAYS : others, outcomes: this.#alone(outcomes) };
    });
    return allowed(candidates);
  }

  /** `unknown` where the policy counts only if the row lies where nobody says. */
  #outcomes(policy: Policy, guard: LazyGuard, unknown: boolean): RowOutcomes {
    const principals = (path: string) => {
      const { recorded, others, unsaid } = this.#reached.holds(path);
      if (recorded === undefined) return true;
      if (others.op === 'never') return unsaid ? 'absent' : false;
      return { anyOf: [path] };
    };
    const resource = { names: { id: undefined, name: ANY_NAMES }, recorded: this.#sent };
    const known = (ancestry: Ancestry) => this.#known(resource, ancestry, principals);
    return this.#said(policy, () => {
      if (readsOf(guard).ancestors.length === 0) {
        const anywhere = known({ of: () => [] });
        if (unknown) return this.#residual(guard, anywhere, unknown);
        return this.#memory.outcomes(this.type, guard, anywhere, () => this.#residual(guard, anywhere));
      }
      return cases(
        this.#everywhere().map(({ where, ancestry }) => ({
          where,
          outcomes: this.#residual(guard, known(ancestry), unknown),
        })),
      );
    });
  }

  /** One object for outcomes that are the same. */
  #alone(outcomes: RowOutcomes): RowOutcomes {
    return remembered(this.#same, outcomes, () => remembered(this.#byKey, keyOfOutcomes(outcomes), () => outcomes));
  }

  readonly #same = new Map<RowOutcomes, RowOutcomes>();
  readonly #byKey = new Map<string, RowOutcomes>();

  #places: readonly { where: RowCondition; ancestry: Ancestry }[] | undefined;

  /** All ways in which a row can lie somewhere, each with what it then lies below; found once for all policies. */
  #everywhere() {
    this.#places ??= this.#combinations().map(({ where, parents }) => {
      const places = withAncestors([...new Set(parents)]);
      return { where, ancestry: this.#ancestry(undefined, places) };
    });
    return this.#places;
  }

  /** The parents that a row can have together. */
  #combinations(): { where: RowCondition; parents: readonly Resource[] }[] {
    let found: { where: RowCondition; parents: readonly Resource[] }[] = [{ where: ALWAYS, parents: this.#fixed }];
    const { parents } = this.#columns;
    for (const [at, { column, parent }] of parents.entries()) {
      const places = [...parent.type.resources.values()];
      // All that leaves room for all of the parents to come, or else as many as of each of them.
      const later = parents.slice(at + 1).reduce((count, one) => count * (one.parent.type.resources.size + 1), 1);
      const share = (FILTER_LIST_MAX / found.length) ** (1 / (parents.length - at));
      const most = Math.floor(Math.max(FILTER_LIST_MAX / (found.length * later), share)) - 1;
      const among = this.#parts.within(
        column,
        places.map(({ name }) => name),
        `places of rows in ${column}`,
        most,
      );
      const none = inSet(column, MISSING);
      found = found.flatMap(({ where, parents }) => [
        { where: and([where, none]), parents },
        ...places
          .filter(({ name }) => among.has(name))
          .map((one) => ({
            where: and([where, inSet(column, oneOf([one.name]))]),
            parents: [...parents, one],
          })),
      ]);
    }
    return found;
  }

  /** Leaves out rows that requests could not place so: a parent's column names one recorded resource, or none. */
  #placedRightly(condition: RowCondition): RowCondition {
    this.#boundAncestors();
    let placed = condition;
    for (const one of this.#columns.parents) {
      const names = remembered(this.#memory.placeable, one.parent.type, () => placeableNames(one.parent.type));
      placed = validated(placed, one, names);
      if (placed.op === 'never') return placed;
      if (confines(placed, one.column)) continue;
      placed = and([placed, inSet(one.column, { values: names, others: false, missing: true })]);
    }
    return placed;
  }

  /** With several parents, a row that has too many ancestors together is refused, which no column says. */
  #boundAncestors(): void {
    const fault = ancestorsFault(this.type, this.#columns, this.#fixed.length);
    if (fault !== undefined) throw new ProblemError('not_filterable', fault);
  }

  /** The recorded resources that may be answered in another way than a row of which no record has the name. */
  #told(unrecorded: RowCondition): readonly Resource[] {
    const all = () => [...this.type.resources.values()].filter(({ id }) => id !== undefined);
    const reached = [...this.#reached.policies];
    const everywhere = reached.some(([, { recorded }]) => recorded === undefined);
    const listed = new Set<Resource>();
    for (const [, { recorded }] of reached) for (const resource of recorded ?? []) listed.add(resource);
    if (unrecorded.op === 'never' && !everywhere) return [...listed];
    if (this.type.parents.length > 0) return all();
    const reads = reached.flatMap(([{ guard }]) => (guard === null ? [] : [readsOf(guard)]));
    if (reads.some(({ resourceProperties, resourceId }) => resourceProperties === undefined || resourceId))
      return all();
    for (const { roles } of reads)
      for (const role of roles) for (const resource of this.#reached.holds(role).recorded ?? []) listed.add(resource);
    const names = new Set(reads.flatMap(({ resourceProperties }) => resourceProperties ?? []));
    if (names.size > 0)
      for (const resource of all())
        if (Object.keys(resource.properties ?? {}).some((name) => names.has(name))) listed.add(resource);
    return [...listed];
  }

  /** Recorded resources for which the same remains of the same policies, with the rows that may be allowed of them. */
  *#alike(resources: readonly Resource[]): Iterable<{ condition: RowCondition; names: readonly string[] }> {
    const groups = new Map<string, { candidates: Candidate[]; names: string[] }>();
    const numbers = new Map<RowOutcomes, number>();
    const policies = [...this.#reached.policies];
    for (const resource of resources) {
      const candidates: Candidate[] = [];
      for (const [policy, { recorded }] of policies) {
        if (recorded !== undefined && !recorded.has(resource)) continue;
        const outcomes = policy.guard === null ? TRUE : this.#outcomesOf(policy, policy.guard, resource);
        candidates.push({ policy, where: ALWAYS, outcomes });
      }
      const key = candidates
        .map(({ policy, outcomes }) => `${policy.id} ${remembered(numbers, outcomes, () => numbers.size)}`)
        .join(' ');
      remembered(groups, key, () => ({ candidates, names: [] })).names.push(resource.name);
    }
    for (const { candidates, names } of groups.values()) yield { condition: allowed(candidates), names };
  }

  /** The columns of a row go before what is recorded, as far as they have values. */
  #outcomesOf(policy: Policy, guard: LazyGuard, resource: Resource): RowOutcomes {
    return this.#said(policy, () => {
      const stored = resource.properties ?? {};
      const { resourceProperties } = readsOf(guard);
      const alone = Object.fromEntries(Object.entries(stored).filter(([name]) => !this.#columns.has(name)));
      const read = storedReads(resource, this.#columns, resourceProperties);
      const principals = (path: string) => this.#reached.holds(path).recorded?.has(resource) ?? true;
      const ancestry = this.#ancestry(resource, []);
      const names = { id: resource.id, name: resource.name };
      const known = (lacking: JsonObject) =>
        this.#known({ names, recorded: { ...alone, ...lacking, ...this.#sent } }, ancestry, principals);
      if (read.length === 0) return this.#residual(guard, known({}));
      const key = subsets(read).map((lacking) => {
        const values = Object.fromEntries(lacking.map((name) => [name, stored[name] as Json]));
        return { lacking, formula: this.#residuals.residualOf(guard, known(values)) };
      });
      const ids = JSON.stringify([read, key.map(({ formula }) => formula.id)]);
      return remembered(this.#cases, ids, () =>
        cases(
          key.map(({ lacking, formula }) => ({
            where: and(read.map((name) => this.#presence(name, !lacking.includes(name)))),
            outcomes: this.#clauses.of.of(formula),
          })),
        ),
      );
    });
  }

  readonly #cases = new Map<string, RowOutcomes>();

  #presence(property: string, present: boolean): RowCondition {
    return inSet(this.#columns.of(property, property).column, present ? PRESENT : MISSING);
  }

  #ancestry(resource: Resource | undefined, places: readonly Resource[]): Ancestry {
    const where =
      resource === undefined
        ? { places, belows: [], unknown: this.#unknown }
        : whereaboutsOf(this.type, resource, undefined);
    return new Ancestors({ type: this.type, resource, where });
  }

  #known(
    resource: Pick<PartialResource, 'names' | 'recorded'>,
    ancestry: Ancestry,
    hasRole: PartialPrincipals['hasRole'],
  ): PartialRequest {
    const { subject, action, context } = this.question;
    const { name: type, application } = this.type;
    return {
      context: context ?? {},
      subject: {
        type: subject.type,
        id: subject.id,
        recorded: { ...this.#stored, ...subject.properties },
        sent: false,
      },
      action: { name: action.name, sent: false, ...(action.properties && { recorded: action.properties }) },
      resource: { type, application, sent: this.type.sendable ?? true, ...resource },
      ancestry,
      principals: { inGroup: (path) => this.#reached.inGroup(path), hasRole },
      span: { from: this.now, until: this.now + 1 },
    };
  }

  #residual(guard: LazyGuard, known: PartialRequest, unknown = false): RowOutcomes {
    return this.#clauses.of.of(this.#residuals.residualOf(guard, known, unknown));
  }

  #said(policy: Policy, say: () => RowOutcomes): RowOutcomes {
    try {
      const said = say();
      this.#partial ||= said.partial === true;
      return said;
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error;
      if (!this.mayBePartial) throw notFilterable(error, policy.address);
      this.#partial = true;
      return UNSAYABLE;
    }
  }

  /** A decision that might use up its steps is open, which no column says. */
  #boundSteps(): void {
    let steps = 0;
    for (const { guard } of this.#reached.policies.keys()) {
      if (guard === null) continue;
      const ast = guard.condition === undefined ? undefined : parsedCondition(guard.condition);
      steps += CANDIDATE_STEPS + (ast === undefined ? 0 : nodesOf(ast));
    }
    if (steps <= CONDITION_LIMITS.decisionSteps) return;
    const detail = `The conditions of the policies that cover the type "${this.type.path}" may take more than ${CONDITION_LIMITS.decisionSteps} steps together: give the subject fewer policies with conditions.`;
    throw new ProblemError('not_filterable', detail);
  }
}

/** Says that a row may have too many ancestors, if it may. `fixed` are those in which the request places all rows. */
export function ancestorsFault(type: ResourceType, { parents }: RowColumns, fixed = 0): string | undefined {
  if (parents.length + Number(fixed > 0) < 2) return undefined;
  let most = fixed;
  for (const { parent } of parents) {
    let own = 0;
    for (const one of parent.type.resources.values()) own = Math.max(own, withAncestors([one]).length);
    most += own;
  }
  if (most <= ANCESTORS_MAX) return undefined;
  return `A row of the type "${type.path}" may have ${most} ancestors together, of which ${ANCESTORS_MAX} are allowed: ask for decisions on rows.`;
}

/**
 * The recorded properties of a resource that a condition reads and that columns may override; `reads` are undefined where
 * it reads all. Throws `Unsayable` where they are too many.
 */
export function storedReads(
  resource: Resource,
  columns: RowColumns,
  reads: readonly string[] | undefined,
): readonly string[] {
  const parents = new Set(columns.parents.map(({ parent }) => parent.property));
  const free = Object.keys(resource.properties ?? {}).filter((name) => columns.has(name) && !parents.has(name));
  const read = reads === undefined ? free : free.filter((name) => reads.includes(name));
  if (read.length > STORED_READ_MAX) throw manyStored(resource, read.length);
  return read;
}

const TRUE = always('true');
const ABSENT = always('absent');

/** Combines candidates as 5.1 to 5.5 do: the rows for which the answer is an ALLOW. */
function allowed(candidates: readonly Candidate[]): RowCondition {
  const priorities = [...new Set(candidates.map(({ policy }) => policy.priority))].sort((left, right) => left - right);
  let answer: RowCondition = NEVER;
  const failures: { priority: number; failed: RowCondition }[] = [];
  const denials: { priority: number; denied: RowCondition }[] = [];
  for (const priority of priorities) {
    const here = candidates.filter(({ policy }) => policy.priority === priority);
    const allows = any(
      here.filter(({ policy }) => !policy.deny),
      (outcomes) => outcomes.true,
    );
    const denies = here.filter(({ policy }) => policy.deny);
    // True or absent, which is what is neither false nor failed.
    const denied = any(denies, (outcomes) => not(or([outcomes.false, outcomes.failed])));
    // That a DENY fails must be certain; its outcomes are bounds from above where columns cannot say it.
    failures.push({ priority, failed: any(denies, ({ failed, partial }) => (partial ? NEVER : failed)) });
    denials.push({ priority, denied });
    answer = and([not(denied), or([allows, answer])]);
  }
  // A DENY that fails leaves the answer open, unless one of the same or a higher priority applies.
  const closed = failures
    .filter(({ failed }) => failed.op !== 'never')
    .map(({ priority, failed }) =>
      or([not(failed), ...denials.filter((one) => one.priority >= priority).map(({ denied }) => denied)]),
    );
  return and([answer, ...closed]);
}

/** The rows for which one of the candidates has an outcome; those that have the same are joined first. */
function any(candidates: readonly Candidate[], outcome: (outcomes: RowOutcomes) => RowCondition): RowCondition {
  const places = new Map<RowOutcomes, RowCondition[]>();
  for (const { outcomes, where } of candidates) remembered(places, outcomes, () => []).push(where);
  return or([...places].map(([outcomes, where]) => and([or(where), outcome(outcomes)])));
}

/** The outcomes of rows that are told apart by where they lie, or by what they lack. */
function cases(all: readonly { where: RowCondition; outcomes: RowOutcomes }[]): RowOutcomes {
  const alike = new Map<RowOutcomes, RowCondition[]>();
  for (const { where, outcomes } of all) remembered(alike, outcomes, () => []).push(where);
  const joined = [...alike].map(([outcomes, where]) => ({ outcomes, where: or(where) }));
  const of = (outcome: 'true' | 'false' | 'absent' | 'failed') =>
    or(joined.map(({ where, outcomes }) => and([where, outcomes[outcome]])));
  return {
    true: of('true'),
    false: of('false'),
    absent: of('absent'),
    failed: of('failed'),
    ...partialIn([...alike.keys()]),
  };
}

/** The names of the resources of a type in which a request may say that another one lies. */
function placeableNames(type: ResourceType): ReadonlySet<string> {
  const all = [...type.resources.values()].filter((one) => excessOf(new Set([one])) === undefined);
  return new Set(all.map(({ name }) => name));
}

/** Drops names of parents that no request may give. */
function validated(condition: RowCondition, parent: ParentColumn, names: ReadonlySet<string>): RowCondition {
  if (condition.op === 'set') {
    const { set, column } = condition;
    if (column !== parent.column || set.others) return condition;
    const values = [...set.values].filter((name) => names.has(name as string));
    return values.length === set.values.size ? condition : inSet(column, { ...set, values: new Set(values) });
  }
  if (condition.op !== 'and' && condition.op !== 'or') return condition;
  const parts = condition.parts.map((part) => validated(part, parent, names));
  if (parts.every((part, at) => part === condition.parts[at])) return condition;
  return condition.op === 'and' ? and(parts) : or(parts);
}

function manyStored({ name }: Resource, count: number): Unsayable {
  const why = `${count} properties of it are recorded for "${name}", which columns may override`;
  return new Unsayable(
    'which reads many properties',
    why,
    `Record at most ${STORED_READ_MAX} of them, or send them with the request`,
  );
}

function subsets(names: readonly string[]): string[][] {
  return names.reduce<string[][]>((all, name) => all.flatMap((one) => [one, [...one, name]]), [[]]);
}

const nodes = new WeakMap<Ast, number>();

function nodesOf(ast: Ast): number {
  let count = nodes.get(ast);
  if (count === undefined) {
    count = partsOf(ast).reduce((sum, part) => sum + nodesOf(part), 1);
    nodes.set(ast, count);
  }
  return count;
}
