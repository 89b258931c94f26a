import { Residuals } from '../../conditions/residual/residuals.js';
import { textsInCondition } from '../../conditions/residual/texts-in-condition.js';
import { AccessSide, FreeUniverse, OTHER_ACTION, type SubjectUnit } from './access-side.js';
import { type AccessView, recordAt } from './access-view.js';
import { breakingRequest } from './breaking-request.js';
import { type Breach, CellJudge, type JudgedCell } from './judge-cell.js';
import { JudgedPlaces, type UnitActions } from './judged-places.js';
import { readsChange } from './reads-change.js';
import type { JudgedResource } from './resource-places.js';
import type { RuleClaim } from './rule-claim.js';
import { inputsOf } from './rule-inputs.js';
import { sensitiveIn } from './sensitive-in.js';
import { type JudgedSubject, SeveralParents } from './several-parents.js';
import { type Closures, JudgedClasses } from './subject-classes.js';
import { subjectsOf } from './subjects-of.js';
import { type RecordPair, type TouchedAccess, touchOf } from './touched.js';
import { ResourceUnits } from './units-of.js';
import type { Violation } from './violation.js';

const STEP = 10;
const EVERYBODY: readonly string[] = ['everyone/*'];

/** Judges the rules of two states, or those that stand in one. */
export class RuleJudge {
  readonly #sides: { readonly before: AccessSide; readonly after: AccessSide };
  readonly #both: readonly AccessSide[];
  /** Those that differ in people. */
  readonly #peoples: readonly AccessSide[];
  readonly #free: FreeUniverse;
  readonly #cells: CellJudge;
  readonly #units: ResourceUnits;
  readonly #several: SeveralParents;

  /** `samePeople` says that both states have the same subjects, which act as the same principals. */
  constructor(before: AccessView, after: AccessView, now: number, samePeople: boolean) {
    const residuals = new Residuals();
    const first = new AccessSide(before, after, now, residuals);
    const second = new AccessSide(after, before, now, residuals, samePeople ? first : undefined);
    this.#sides = { before: first, after: second };
    this.#both = before === after ? [second] : [first, second];
    this.#peoples = samePeople ? [second] : this.#both;
    this.#free = new FreeUniverse([before, after]);
    this.#cells = new CellJudge(residuals, this.#sides, this.#free, now);
    this.#units = new ResourceUnits(this.#both);
    this.#several = new SeveralParents(this.#sides, this.#units);
  }

  touches(pair: RecordPair): TouchedAccess[] {
    const { before, after } = this.#sides;
    return [touchOf(pair, before, false), touchOf(pair, after, true)].filter((touch) => touch !== undefined);
  }

  /** The violations of a rule that a touch brings, at most `most`; without a touch, those that stand. */
  *violations(claim: RuleClaim, touch: TouchedAccess | undefined, most: number): Generator<undefined, Violation[]> {
    const units = yield* this.#possible(claim, this.#units.of(claim, touch), touch);
    const anywhere = yield* this.#possible(claim, this.#several.typesOf(claim, touch), touch);
    const found: Violation[] = [];
    if (units.length + anywhere.length === 0) return found;
    const grounds = yield* inputsOf(claim, [...units, ...anywhere], this.#both);
    const types = new Set([...this.#free.types, ...grounds.types]);
    const places = yield* JudgedPlaces.of(units, this.#both);
    const classes = new JudgedClasses(claim.rule, grounds, this.#sides);
    const clean = new Set<string>();
    let judged = 0;
    for (const subject of subjectsOf(this.#peoples, touch?.principals ?? EVERYBODY, claim, { ...grounds, types })) {
      if (++judged % STEP === 0) yield;
      if (subject === undefined) continue;
      const closures = this.#closures(subject);
      const alike = classes.of(subject, closures);
      if (clean.has(alike.key)) continue;
      const before = found.length;
      const taken = places.take(alike.anywhere, alike.places);
      for (const one of this.#unitsFor(taken.units, anywhere, claim, touch, { closures, ...grounds })) {
        if (one === undefined || ++judged % STEP === 0) yield;
        if (one === undefined) continue;
        const [unit, actions] = one;
        const cell: JudgedCell = { subject, unit, ...closures };
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

  /** Those of these resources on which actions of the rule may be possible, with the actions. */
  *#possible(
    claim: RuleClaim,
    units: Iterable<JudgedResource | undefined>,
    touch: TouchedAccess | undefined,
  ): Generator<undefined, UnitActions[]> {
    const found: UnitActions[] = [];
    for (const unit of units) {
      yield;
      const actions = unit === undefined ? [] : this.#actions(claim, unit, touch);
      if (unit !== undefined && actions.length > 0) found.push([unit, actions]);
    }
    return found;
  }

  /** The resources that a subject is judged on: the same for all, and those that lie in several places that matter to it. */
  *#unitsFor(
    units: Iterable<UnitActions>,
    anywhere: readonly UnitActions[],
    claim: RuleClaim,
    touch: TouchedAccess | undefined,
    situation: JudgedSubject,
  ): Generator<UnitActions | undefined> {
    yield* units;
    for (const [one, actions] of anywhere)
      for (const unit of this.#several.of(one, claim, touch, situation)) yield unit && [unit, actions];
  }

  #closures({ type, path }: SubjectUnit): Closures {
    const { before, after } = this.#sides;
    const now = after.closures.of(type, path);
    return { before: before.closures === after.closures ? now : before.closures.of(type, path), after: now };
  }

  /** The actions of a rule that may be possible on a resource in either state. */
  #actions(claim: RuleClaim, unit: JudgedResource, touch: TouchedAccess | undefined): string[] {
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
      (action) => form === 'always' || this.#both.some((side) => side.coveringsAnywhere(unit, action).length > 0),
    );
    const touched = possible.filter((action) => this.#isTouched(claim, unit, action, touch));
    return form === 'separate' && touched.length > 0 ? possible : touched;
  }

  /** The actions that policies on a resource or the rule name, declared or not. */
  #actionsNamed({ guards }: RuleClaim, unit: JudgedResource): string[] {
    const own = guards.flatMap(({ condition }) => [...textsInCondition(condition, 'action.name')]);
    return [...own, ...this.#both.flatMap((side) => [...side.actionsOn(unit)])];
  }

  /** Whether a touch may make a difference to an action on a resource. */
  #isTouched(claim: RuleClaim, unit: JudgedResource, action: string, touch: TouchedAccess | undefined): boolean {
    if (touch === undefined) return true;
    const { properties, policies, actions } = touch;
    if (actions !== undefined && !actions.has(action)) return false;
    const coverings = () => this.#both.flatMap((side) => side.coveringsAnywhere(unit, action));
    if (policies !== undefined) return coverings().some(({ policy }) => policies.has(policy));
    if (properties === undefined || claim.readsAny(properties)) return true;
    return coverings().some(({ policy }) => readsChange(policy.fields, properties));
  }

  #violation(
    { rule, form }: RuleClaim,
    cell: JudgedCell,
    breaches: readonly Breach[],
    touch: TouchedAccess | undefined,
  ): Violation {
    const side = this.#sides.after;
    const witness = breaches.map((breach) => breakingRequest(side, cell, breach));
    return {
      rule: rule.address,
      form,
      mode: rule.fields.mode,
      ...(touch && { cause: touch.address }),
      witness,
      sensitive: witness.flatMap(({ request }) => sensitiveIn(request, this.#both)),
      proven: breaches.every(({ witness }) => witness !== undefined),
      places: [...new Set(breaches.flatMap(({ witness, places }) => (witness === undefined ? places : [])))],
    };
  }
}
