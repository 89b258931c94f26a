import { type PolicyGuard, Remainders } from '../impact/remainder/remainders.js';
import { textsInCondition } from '../impact/remainder/texts-in-condition.js';
import type { JsonObject } from '../json.js';
import { RULE_FORMS } from '../records/access-rule.js';
import type { Address, Path } from '../records/address.js';
import { namesInCondition } from '../records/condition-names.js';
import { EVERYONE } from '../records/everyone.js';
import type { Kind } from '../records/kinds.js';
import { remembered } from '../remembered.js';
import { AccessSide, FreeUniverse, OTHER_ACTION, type AccessSide as Side, type SubjectUnit } from './access-side.js';
import { type AccessView, recordAt } from './access-view.js';
import { breakingRequest } from './breaking-request.js';
import { type Covering, type PolicyRecord, policyPath } from './covering-policies.js';
import { type Breach, type Cell, CellJudge } from './judge-cell.js';
import { JudgedPlaces, type UnitActions } from './judged-places.js';
import { asksForPlaces, readsChange, readsSubjectId, subjectPropertiesRead } from './reads-change.js';
import type { ResourceUnit } from './resource-places.js';
import { RuleClaim, type RuleRecord } from './rule-claim.js';
import { SeveralParents, type Situation } from './several-parents.js';
import type { Closure, Holding, SharedClosure } from './subject-closure.js';
import { type Concerned, subjectsOf } from './subjects-of.js';
import { type RecordPair, type Touch, touchOf, touchOfAll } from './touched.js';
import { ResourceUnits } from './units-of.js';
import type { Violation } from './violation.js';

const STEP = 10;
/** The kinds that say who there is, and whom subjects act as. */
const PEOPLE: ReadonlySet<Kind | undefined> = new Set<Kind>([
  ...(['subject_type', 'subject', 'role', 'group', 'role_assignment', 'group_membership'] as const),
]);
const EVERYBODY: readonly string[] = ['everyone/*'];

/**
 * What a change-set makes possible or impossible against the rules before it and after it (docs/semantics.md 11.6 to 11.8):
 * at most one violation of each rule. Only rules that a changed record can touch are looked at. `ruling` has the rules before
 * it as they refer to what has other names after.
 */
export function* judgeChange(
  before: AccessView,
  after: AccessView,
  pairs: Iterable<RecordPair>,
  now: number,
  ruling: AccessView = before,
): Generator<undefined, Violation[]> {
  const claims = [...claimsOf(ruling, now)].map(({ rule }) =>
    RuleClaim.of(rule, before.get(rule.address) as RuleRecord),
  );
  for (const claim of claimsOf(after, now))
    if (!claims.some((known) => known.rule.fields === claim.rule.fields)) claims.push(claim);
  if (claims.length === 0) return [];
  const changed: RecordPair[] = [];
  let looked = 0;
  for (const pair of pairs) {
    if (++looked % STEP === 0) yield;
    if (pair.before?.fields !== pair.after?.fields) changed.push(pair);
  }
  const samePeople = !changed.some((pair) => PEOPLE.has((pair.after ?? pair.before)?.kind));
  const judge = new RuleJudge(before, after, now, samePeople);
  const touches: Touch[] = [];
  for (const pair of changed) {
    if (++looked % STEP === 0) yield;
    touches.push(...judge.touches(pair));
  }
  const found = new Map<string, Violation>();
  for (const claim of claims) {
    yield;
    for (const each of claim.former === undefined ? touches : [...touches, touchOfAll(claim.rule.address)]) {
      const touch = claim.touchedBy(each);
      const key = `${claim.rule.address} ${claim.rule.fields.mode}`;
      if (found.has(key) || !(claim.form === 'always' ? touch.loses : touch.gains)) continue;
      const [violation] = yield* judge.violations(claim, touch, 1);
      if (violation !== undefined) found.set(key, violation);
    }
  }
  return [...found.values()];
}

/** The violations that stand in a state: at most `most` of each rule, or of each of these rules. */
export function* standingViolations(
  view: AccessView,
  now: number,
  most: number,
  rules?: ReadonlySet<Address>,
): Generator<undefined, Violation[]> {
  const judge = new RuleJudge(view, view, now, true);
  const found: Violation[] = [];
  for (const claim of claimsOf(view, now))
    if (rules === undefined || rules.has(claim.rule.address))
      found.push(...(yield* judge.violations(claim, undefined, most)));
  return found;
}

/** The rules of a state that are not suspended. */
function* claimsOf(view: AccessView, now: number): Generator<RuleClaim> {
  for (const address of [...view.addresses('access_rule')].sort()) {
    const rule = view.get(address) as RuleRecord;
    const { suspended_until } = rule.fields;
    if (suspended_until === undefined || Date.parse(suspended_until) <= now) yield RuleClaim.of(rule);
  }
}

/** Who matters on some resources, and what is read of subjects there. */
interface Concerning extends Concerned {
  /** Whether conditions ask for groups and roles. */
  readonly asks: boolean;
  readonly asksRoles: boolean;
  /** Whether they ask for ancestors, or for what requests say of parents. */
  readonly ancestors: boolean;
  readonly denies: boolean;
  /** The properties of subjects that conditions read; undefined if they may read all of them. */
  readonly reads: ReadonlySet<string> | undefined;
  readonly acting: { readonly of: Map<SharedClosure, Acting>; readonly numbers: Map<string, number> };
}

/** What subjects act as that matters. The numbers are the same for what makes no difference. */
interface Acting {
  readonly number: number;
  /** Without the roles on places. */
  readonly anywhere: number;
  readonly places: ReadonlySet<Path>;
}

/** Who is the same to a rule, wherever, and wherever roles on these places do not count. */
interface SubjectClass {
  readonly key: string;
  readonly anywhere: string;
  readonly places: ReadonlySet<Path>;
}

interface Closures {
  readonly before: Closure;
  readonly after: Closure;
}

function actingAs(shared: SharedClosure, { asks, principals, acting }: Concerning): Acting {
  const lines: string[] = [];
  const anywhere: string[] = [];
  const places = new Set<Path>();
  for (const [principal, holdings] of shared) {
    if (!asks && !principals.has(principal) && !principal.startsWith(`${EVERYONE}/`)) continue;
    lines.push([principal, ...holdings.map(periodText)].join(' '));
    const placeless = holdings.filter(({ place }) => place === undefined);
    if (placeless.length > 0) anywhere.push([principal, ...placeless.map(periodText)].join(' '));
    for (const { place } of holdings) if (place !== undefined) places.add(place);
  }
  const numberOf = (words: string[]) => remembered(acting.numbers, words.sort().join('\n'), () => acting.numbers.size);
  return { number: numberOf(lines), anywhere: numberOf(anywhere), places };
}

function periodText({ period: { start, end }, place = '' }: Holding): string {
  return `${start}~${end}@${place}`;
}

/** The properties that matter, in words. */
function picked(properties: JsonObject | undefined, names: Concerning['reads']): string {
  if (properties === undefined) return '';
  let text = 'recorded';
  for (const name of names ?? Object.keys(properties).sort())
    text += Object.hasOwn(properties, name) ? `\n${name}=${JSON.stringify(properties[name])}` : `\n${name}`;
  return text;
}

/** Whether a rule tells subjects apart by name. */
function namesSubjects({ fields }: RuleRecord): boolean {
  return RULE_FORMS.some((form) => fields[form]?.subjects?.named !== undefined);
}

/** The policies that cover a resource and an action in a state, wherever it lies there. */
function coveringsOn(side: Side, unit: ResourceUnit, action: string): Covering[] {
  return side.formsOf(unit).flatMap((form) => side.coverings(form, action));
}

class RuleJudge {
  readonly #sides: { readonly before: Side; readonly after: Side };
  readonly #both: readonly Side[];
  /** Those that differ in people. */
  readonly #peoples: readonly Side[];
  readonly #free: FreeUniverse;
  readonly #cells: CellJudge;
  readonly #units: ResourceUnits;
  readonly #several: SeveralParents;

  /** `samePeople` says that both states have the same subjects, which act as the same principals. */
  constructor(before: AccessView, after: AccessView, now: number, samePeople: boolean) {
    const remainders = new Remainders();
    const first = new AccessSide(before, after, now, remainders);
    const second = new AccessSide(after, before, now, remainders, samePeople ? first : undefined);
    this.#sides = { before: first, after: second };
    this.#both = before === after ? [second] : [first, second];
    this.#peoples = samePeople ? [second] : this.#both;
    this.#free = new FreeUniverse([before, after]);
    this.#cells = new CellJudge(remainders, this.#sides, this.#free, now);
    this.#units = new ResourceUnits(this.#both);
    this.#several = new SeveralParents(this.#sides, this.#units);
  }

  touches(pair: RecordPair): Touch[] {
    const { before, after } = this.#sides;
    return [touchOf(pair, before, false), touchOf(pair, after, true)].filter((touch) => touch !== undefined);
  }

  /** The violations of a rule that a touch brings; without a touch, those that stand. */
  *violations(claim: RuleClaim, touch: Touch | undefined, most: number): Generator<undefined, Violation[]> {
    const units: UnitActions[] = [];
    for (const unit of this.#units.of(claim, touch)) {
      yield;
      if (unit !== undefined) {
        const actions = this.#actions(claim, unit, touch);
        if (actions.length > 0) units.push([unit, actions]);
      }
    }
    const anywhere: UnitActions[] = [];
    for (const unit of this.#several.typesOf(claim, touch)) {
      yield;
      const actions = this.#actions(claim, unit, touch);
      if (actions.length > 0) anywhere.push([unit, actions]);
    }
    const found: Violation[] = [];
    if (units.length + anywhere.length === 0) return found;
    const concerned = yield* this.#concerned(claim, [...units, ...anywhere]);
    const places = yield* JudgedPlaces.of(units, this.#both);
    const clean = new Set<string>();
    let judged = 0;
    for (const subject of subjectsOf(this.#peoples, touch?.principals ?? EVERYBODY, claim, concerned)) {
      if (++judged % STEP === 0) yield;
      if (subject === undefined) continue;
      const closures = this.#closures(subject);
      const alike = this.#classOf(claim, subject, closures, concerned);
      if (clean.has(alike.key)) continue;
      const before = found.length;
      const taken = places.take(alike.anywhere, alike.places);
      for (const one of this.#unitsFor(taken.units, anywhere, claim, touch, { closures, ...concerned })) {
        if (one === undefined || ++judged % STEP === 0) yield;
        if (one === undefined) continue;
        const [unit, actions] = one;
        const cell: Cell = { subject, unit, ...closures };
        const breaches = this.#cells.breaches(claim, cell, actions, touch === undefined);
        if (breaches.length === 0) continue;
        taken.breaks(one);
        found.push(this.#violation(claim, cell, breaches, touch));
        if (found.length === most) return found;
      }
      // Of a class that breaks the rule, each is told, up to `most`.
      if (found.length === before) clean.add(alike.key);
    }
    return found;
  }

  /** The resources that a subject is judged on: the same for all, and those that lie in several places that matter to it. */
  *#unitsFor(
    units: Iterable<UnitActions>,
    anywhere: readonly UnitActions[],
    claim: RuleClaim,
    touch: Touch | undefined,
    situation: Situation,
  ): Generator<UnitActions | undefined> {
    yield* units;
    for (const [one, actions] of anywhere)
      for (const unit of this.#several.of(one, claim, touch, situation)) yield unit && [unit, actions];
  }

  /** Who is given something on these resources, and what the conditions there read of subjects. */
  *#concerned(claim: RuleClaim, units: readonly UnitActions[]): Generator<undefined, Concerning> {
    const principals = new Set<Address>(claim.asked);
    const guards = new Set<PolicyGuard>(claim.guards);
    const acting = { of: new Map<SharedClosure, Acting>(), numbers: new Map<string, number>() };
    let looked = 0;
    let denies = false;
    for (const side of this.#both) {
      const seen = new Set<PolicyRecord>();
      for (const [unit, actions] of units)
        for (const action of actions) {
          if (++looked % STEP === 0) yield;
          for (const { policy } of coveringsOn(side, unit, action)) {
            if (seen.has(policy)) continue;
            seen.add(policy);
            if (policy.fields.condition !== undefined) guards.add(policy.fields);
            if (policy.fields.effect === 'DENY') denies = true;
            for (const { principal } of side.policies.assigneesOf(policyPath(policy))) principals.add(principal);
          }
        }
    }
    // Whoever is in a group that a condition asks for is told apart by it, though nothing is assigned to the group.
    for (const { condition = '' } of guards)
      for (const { target } of namesInCondition(condition)) principals.add(target);
    const all = [...guards].map(({ condition }) => condition).join('\n');
    const asksRoles = /\bhas_role\b/.test(all);
    const asks = /\b(?:in_group|has_role)\b/.test(all);
    const readsIds = [...guards].some(readsSubjectId);
    const written = [...guards].flatMap(({ condition }) => [...textsInCondition(condition, 'subject.type')]);
    const types = new Set([...units].map(([{ type }]) => type));
    const saying = this.#both.flatMap((side) => [...types].flatMap((type) => side.parentsOf(type)));
    const parents = new Set(saying.map(({ property }) => property));
    const ancestors = [...guards].some((guard) => asksForPlaces(guard, parents));
    return {
      principals,
      asks,
      asksRoles,
      ancestors,
      denies,
      readsIds,
      types: new Set([...this.#free.types, ...written]),
      reads: subjectPropertiesRead([...guards]),
      acting,
    };
  }

  /** The same for subjects that the rule and the conditions cannot tell apart. */
  #classOf(
    { rule }: RuleClaim,
    subject: SubjectUnit,
    { before, after }: Closures,
    concerning: Concerning,
  ): SubjectClass {
    const { principals, readsIds, reads, acting } = concerning;
    const { path, type } = subject;
    const told = (shared: SharedClosure) => remembered(acting.of, shared, () => actingAs(shared, concerning));
    const [old, now] = [told(before.shared), told(after.shared)];
    const facts = reads?.size === 0 ? '' : this.#facts(subject, reads);
    const itself = after.self !== undefined && principals.has(after.self);
    const id = itself || readsIds || namesSubjects(rule) ? path : path === undefined;
    const rest = `${type}\n${id}\n${facts}`;
    return {
      key: `${old.number} ${now.number} ${rest}`,
      anywhere: `${old.anywhere} ${now.anywhere} ${rest}`,
      places: old.places === now.places ? now.places : new Set([...old.places, ...now.places]),
    };
  }

  #facts(subject: SubjectUnit, reads: Concerning['reads']): string {
    const [old, now] = [this.#sides.before.propertiesOf(subject), this.#sides.after.propertiesOf(subject)];
    return old === now ? picked(now, reads) : `${picked(old, reads)}\n${picked(now, reads)}`;
  }

  #closures({ type, path }: SubjectUnit): Closures {
    const { before, after } = this.#sides;
    const now = after.closures.of(type, path);
    return { before: before.closures === after.closures ? now : before.closures.of(type, path), after: now };
  }

  /** The actions of a rule that may be possible on a resource in either state. */
  #actions(claim: RuleClaim, unit: ResourceUnit, touch: Touch | undefined): string[] {
    const { actions, form } = claim;
    const wanted = new Set(actions.filter((action) => action !== '*'));
    if (actions.includes('*')) {
      wanted.add(OTHER_ACTION);
      for (const side of this.#both)
        for (const action of recordAt(side.view, 'resource_type', unit.type)?.fields.actions ?? []) wanted.add(action);
      for (const { fields } of touch?.policies ?? [])
        for (const action of [...(fields.actions ?? []), ...(fields.resources ?? []).flatMap((one) => one.actions)])
          wanted.add(action);
      for (const action of form === 'always' ? [] : this.#actionsNamed(claim, unit)) wanted.add(action);
    }
    if (form === 'always') wanted.delete(OTHER_ACTION);
    const possible = [...wanted].filter(
      (action) => form === 'always' || this.#both.some((side) => coveringsOn(side, unit, action).length > 0),
    );
    const touched = possible.filter((action) => this.#isTouched(claim, unit, action, touch));
    return form === 'separate' && touched.length > 0 ? possible : touched;
  }

  /** The actions that policies on a resource or the rule name, declared or not. */
  #actionsNamed({ guards }: RuleClaim, unit: ResourceUnit): string[] {
    const own = guards.flatMap(({ condition }) => [...textsInCondition(condition, 'action.name')]);
    return [...own, ...this.#both.flatMap((side) => [...side.actionsOn(unit)])];
  }

  /** Whether a touch may make a difference to an action on a resource. */
  #isTouched(claim: RuleClaim, unit: ResourceUnit, action: string, touch: Touch | undefined): boolean {
    if (touch === undefined) return true;
    const { properties, policies, actions } = touch;
    if (actions !== undefined && !actions.has(action)) return false;
    const coverings = () => this.#both.flatMap((side) => coveringsOn(side, unit, action));
    if (policies !== undefined) return coverings().some(({ policy }) => policies.has(policy));
    if (properties === undefined || claim.readsAny(properties)) return true;
    return coverings().some(({ policy }) => readsChange(policy.fields, properties));
  }

  #violation({ rule, form }: RuleClaim, cell: Cell, breaches: readonly Breach[], touch: Touch | undefined): Violation {
    const side = this.#sides.after;
    return {
      rule: rule.address,
      form,
      mode: rule.fields.mode,
      ...(touch && { cause: touch.address }),
      witness: breaches.map((breach) => breakingRequest(side, cell, breach)),
      proven: breaches.every(({ witness }) => witness !== undefined),
      places: [...new Set(breaches.flatMap(({ witness, places }) => (witness === undefined ? places : [])))],
    };
  }
}
