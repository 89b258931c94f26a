import { remembered } from '../../collections/remembered.js';
import type { Formula } from '../../conditions/residual/formula.js';
import type {
  FreeText,
  PartialProperties,
  PartialRequest,
  SentProperties,
  TimeSpan,
} from '../../conditions/residual/partial-request.js';
import type { DecisionList, ResidualCandidate, Residuals } from '../../conditions/residual/residuals.js';
import type { ChosenValues } from '../../conditions/residual/witness.js';
import { canonicalJson, type JsonObject } from '../../json/json.js';
import { type Path, typeOfResource } from '../../records/address.js';
import {
  type AccessSide,
  counts,
  type FreeUniverse,
  type MatchedPolicy,
  OTHER_ACTION,
  type SubjectUnit,
} from './access-side.js';
import { recordAt } from './access-view.js';
import { NO_VALUES, type ParentValues, valuesBefore, waysToSay } from './parent-values.js';
import { resourcePropertiesRead } from './reads-change.js';
import { type JudgedResource, liesAmongOthers, unrecordedUnit } from './resource-places.js';
import type { RuleClaim } from './rule-claim.js';
import type { SubjectHoldings } from './subject-closure.js';

/** A request that breaks a rule, as far as it is known: an action at an instant. */
export interface Breach {
  readonly action: string;
  /** The resource as it is asked for after. */
  readonly unit: JudgedResource;
  /** The values by which the request says what the unit lies in, if they matter. */
  readonly said: ParentValues;
  readonly span: TimeSpan;
  /** Undefined where it cannot be said which request breaks the rule. */
  readonly witness: ChosenValues | undefined;
  /** Without a witness, places that matter, if it hangs on which of them the resource lies in. */
  readonly places: readonly Path[];
}

/** A subject and a resource in both states. */
export interface JudgedCell {
  readonly subject: SubjectUnit;
  readonly unit: JudgedResource;
  readonly before: SubjectHoldings;
  readonly after: SubjectHoldings;
}

/** A resource as requests ask for it in one state, what they say of its parents, and what reaches the subject there. */
interface SideQuestion {
  readonly unit: JudgedResource;
  readonly said: ParentValues;
  readonly reaches: readonly MatchedPolicy[];
}

interface SideAnswer {
  readonly list: DecisionList;
  readonly exempt: Formula;
  /** Also exempts what is not surely meant. */
  readonly strict: () => Formula;
}

const NONE: ReadonlySet<string> = new Set();
/** Above every priority that a policy may have. */
const ABOVE = 2_000_000;

/** Judges subjects on resources by one rule. */
export class CellJudge {
  readonly #known = new Map<string, Breach['witness'] | 'no' | 'unsaid'>();
  readonly #others = new Map<string, FreeText>();
  readonly #parents = new Map<Path, ReadonlySet<string>>();

  constructor(
    private readonly residuals: Residuals,
    private readonly sides: { readonly before: AccessSide; readonly after: AccessSide },
    private readonly free: FreeUniverse,
    private readonly now: number,
  ) {}

  /** The breaches of a rule that are there after, and not before; or with `existing`, all that are there after. */
  breaches(claim: RuleClaim, cell: JudgedCell, actions: readonly string[], existing = false): Breach[] {
    if (this.#isGone(cell.unit)) return [];
    if (claim.form !== 'separate') {
      for (const action of actions) {
        const found = existing
          ? this.#breachInAny(claim, cell, action, undefined)
          : this.#breachSinceAll(claim, cell, action);
        if (found !== undefined) return [found];
      }
      return [];
    }
    // Each action counts at an instant of its own: who submits today and approves tomorrow has done both.
    const able = actions.flatMap((action) => this.#breachInAny(claim, cell, action, undefined) ?? []);
    if (able.length < 2) return [];
    if (existing) return able.slice(0, 2);
    // Two actions that were possible in different places before were not in any of these alone.
    const forms = this.sides.after.formsOf(cell.unit);
    const formers = new Set(forms.flatMap((form) => this.#formersOf(cell.unit, form)));
    const more = [...formers].map((former) => {
      for (const { action } of able) {
        const found = this.#breachInAny(claim, cell, action, former);
        if (found !== undefined) return found;
      }
      return undefined;
    });
    const [first] = more;
    if (first === undefined || more.includes(undefined)) return [];
    const other = able.find((one) => one.action !== first.action);
    return other === undefined ? [] : [first, other];
  }

  /** Whether requests can no longer say that something lies there, because a place has no record after. */
  #isGone({ path, place }: JudgedResource): boolean {
    if (path !== undefined || typeof place !== 'object') return false;
    return place.below.some((one) => recordAt(this.sides.after.view, 'resource', one) === undefined);
  }

  /**
   * The resource as it was asked for before. One that loses its record joins those without one, so that what was possible
   * for these in the same place was possible before.
   */
  #formersOf(unit: JudgedResource, form: JudgedResource): readonly JudgedResource[] {
    const { before } = this.sides;
    const own = before.formsOf(unit);
    if (unit.place !== 'record' || form.place === 'record') return own;
    return [...own, ...before.formsOf(unrecordedUnit(form.type, form.place))];
  }

  /** One that is broken wherever the resource may be said to lie before, where only the state after records it. */
  #breachSinceAll(claim: RuleClaim, cell: JudgedCell, action: string): Breach | undefined {
    for (const form of this.sides.after.formsOf(cell.unit)) {
      const found = this.#formersOf(cell.unit, form).map((former) => this.#breachOf(claim, cell, action, former, form));
      if (found.every((one) => one !== undefined)) return found[0];
    }
    return undefined;
  }

  /** One that is broken in some form, and not in this one before; without it, whatever was before. */
  #breachInAny(
    claim: RuleClaim,
    cell: JudgedCell,
    action: string,
    former: JudgedResource | undefined,
  ): Breach | undefined {
    for (const form of this.sides.after.formsOf(cell.unit)) {
      const found = this.#breachOf(claim, cell, action, former, form);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The breach by a resource as it is asked for after, compared with how it was asked for before; without that, any. */
  #breachOf(
    claim: RuleClaim,
    cell: JudgedCell,
    action: string,
    former: JudgedResource | undefined,
    unit: JudgedResource,
  ): Breach | undefined {
    const { before, after } = this.sides;
    const reaches = after.reaches(cell.after, unit, action);
    if (claim.form !== 'always' && reaches.length === 0) return undefined;
    const then = former && { unit: former, reaches: before.reaches(cell.before, former, action) };
    const read = this.#parentsRead(claim, unit.type, reaches, then?.reaches);
    if (read.size === 0) {
      const formerly = then && { ...then, said: NO_VALUES };
      return this.#breachSince(claim, cell, action, formerly, { unit, said: NO_VALUES, reaches });
    }
    for (const said of waysToSay(after.parentsOf(unit.type), unit, read) ?? [NO_VALUES]) {
      const now = { unit, said, reaches };
      // Said in one of several ways before, it broke the rule if it did in one of them.
      const ways = then && this.#saidBefore(said, unit, then.unit, read);
      const found = (ways ?? [undefined]).map((way) =>
        this.#breachSince(claim, cell, action, then && way && { ...then, said: way }, now),
      );
      if (found.every((one) => one !== undefined)) return found[0];
    }
    return undefined;
  }

  /** The properties naming parents of a type that the rule or one of these policies reads. */
  #parentsRead(
    claim: RuleClaim,
    type: Path,
    reaches: readonly MatchedPolicy[],
    formerReaches: readonly MatchedPolicy[] = [],
  ): ReadonlySet<string> {
    const { before, after } = this.sides;
    const declared = remembered(this.#parents, type, () => {
      const properties = [...before.parentsOf(type), ...after.parentsOf(type)].map(({ property }) => property);
      return properties.length === 0 ? NONE : new Set(properties);
    });
    if (declared.size === 0) return NONE;
    const ofRule = [claim.guards, claim.former?.guards ?? []].flat();
    const conditional = [reaches, formerReaches].flatMap((some) =>
      some.flatMap(({ policy }) => (policy.fields.condition === undefined ? [] : [policy.fields])),
    );
    return ofRule.length + conditional.length === 0
      ? NONE
      : resourcePropertiesRead([...ofRule, ...conditional], declared);
  }

  /** Returns what the same request says before, or may say there; undefined if that is too much to compare it with. */
  #saidBefore(
    said: ParentValues,
    unit: JudgedResource,
    former: JudgedResource,
    read: ReadonlySet<string>,
  ): readonly ParentValues[] | undefined {
    const declared = this.sides.before.parentsOf(former.type);
    const alike = canonicalJson(declared) === canonicalJson(this.sides.after.parentsOf(unit.type));
    if (former.place === 'record' || (former.key === unit.key && alike)) return [said];
    return waysToSay(declared, former, read)?.map((formerly) => valuesBefore(said, formerly));
  }

  #breachSince(
    claim: RuleClaim,
    cell: JudgedCell,
    action: string,
    then: SideQuestion | undefined,
    now: SideQuestion,
  ): Breach | undefined {
    const reaches = [...now.reaches, ...(then?.reaches ?? [])];
    for (const span of this.#spans(cell, reaches)) {
      const known = this.#compare(claim, cell, action, span, then, now);
      const witness = known === 'unsaid' || known === 'no' || liesAmongOthers(now.unit) ? undefined : known;
      const { said } = now;
      if (known !== 'no') return { action, unit: now.unit, said, span, witness, places: placesIn(now.unit, reaches) };
    }
    return undefined;
  }

  #compare(
    claim: RuleClaim,
    { subject, unit, before, after }: JudgedCell,
    action: string,
    span: TimeSpan,
    then: SideQuestion | undefined,
    now: SideQuestion,
  ): ChosenValues | 'no' | 'unsaid' | undefined {
    const { sides, free } = this;
    const subjects = { before: sides.before.propertiesOf(subject), after: sides.after.propertiesOf(subject) };
    const resources = { before: sides.before.resourceProperties(unit), after: sides.after.resourceProperties(unit) };
    const name = action === OTHER_ACTION ? this.#otherAction(unit) : action;
    const answer = (side: 'before' | 'after', { unit: form, said: parents, reaches }: SideQuestion): SideAnswer => {
      const ofSubject = propertiesIn(side, subjects);
      const ofResource = withSaid(propertiesIn(side, resources), parents, form);
      const properties = {
        subject: counted(ofSubject, subjects[side], sides[side].sentOfSubjects(subject.type)),
        resource: counted(ofResource, resources[side], sides[side].sentOfResources(form.type)),
      };
      const closure = side === 'before' ? before : after;
      const known: PartialRequest = sides[side].known(subject, closure, form, name, {
        span,
        properties,
        names: claim.names,
        free,
      });
      // A suspended subject is allowed nothing, and `always` does not mean it.
      const acts = counts(closure.activity, span);
      const list = sides[side].listOf(acts ? reaches : [], known, claim.names);
      const { formulas } = this.residuals;
      const declared = sides[side].declares(form.type);
      const said = (side === 'before' && claim.former) || claim;
      const speaks = declared && (acts || said.form !== 'always' || said.evenSuspended);
      const means = speaks && said.means(form, sides[side].locate(form).places);
      const { unknown } = sides[side].locate(form);
      const maybe = !means && speaks && said.below && liesAmongOthers(form);
      // The rule speaks of it where it lies in one of these.
      const below = maybe ? [...said.named].filter((place) => unknown.has(typeOfResource(place))) : [];
      const elsewhere = formulas.not(formulas.or(below.map((place) => sides[side].liesBelow(place, known))));
      const exempt = (strict: boolean) =>
        means || below.length > 0
          ? formulas.or([...(means ? [] : [elsewhere]), said.exempt(this.residuals, subject, known, strict)])
          : formulas.constant('true');
      return { list, exempt: exempt(false), strict: () => exempt(true) };
    };
    const present = answer('after', now);
    const former = then && answer('before', then);
    if (former !== undefined && former.list.id === present.list.id && former.exempt === present.exempt) return 'no';
    const key = `${claim.form} ${former?.list.id} ${former?.exempt.id} ${present.list.id} ${present.exempt.id}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const found = claim.form === 'always' ? this.#lost(former, present) : this.#gained(former, present);
    this.#known.set(key, found);
    return found;
  }

  /** Any action but those that either state names there, which are judged by themselves; one called `*` is not. */
  #otherAction(unit: JudgedResource): FreeText {
    const { before, after } = this.sides;
    return remembered(this.#others, unit.key, () => {
      const named = new Set([...before.actionsOn(unit), ...after.actionsOn(unit)]);
      named.delete(OTHER_ACTION);
      return this.free.otherAction(named);
    });
  }

  /** A request that is allowed after, of which the rule speaks, and that did not break it before; best one denied before. */
  #gained(former: SideAnswer | undefined, { list, exempt, strict }: SideAnswer): ChosenValues | 'no' | 'unsaid' {
    const denied: readonly ResidualCandidate[] = former?.list.candidates ?? [];
    const unbroken: readonly ResidualCandidate[] =
      former === undefined ? denied : [{ effect: 'DENY', priority: ABOVE, residual: former.exempt }, ...denied];
    const since = (spared: Formula, rest: readonly ResidualCandidate[]) => {
      const old = this.residuals.listOf([{ effect: 'ALLOW', priority: ABOVE + 1, residual: spared }, ...rest]);
      return this.residuals.compare(old, list);
    };
    const { change, gained } = since(exempt, unbroken);
    if (gained === undefined) return change === 'unknown' ? 'unsaid' : 'no';
    return since(strict(), denied).gained ?? since(strict(), unbroken).gained ?? gained;
  }

  /** A request of which the rule speaks and that is not allowed after; best one allowed before, if not one exempt before. */
  #lost(former: SideAnswer | undefined, { list, exempt }: SideAnswer): ChosenValues | 'no' | 'unsaid' {
    const always: readonly ResidualCandidate[] = [
      { effect: 'ALLOW', priority: 0, residual: this.residuals.formulas.constant('true') },
    ];
    const allowed = former?.list.candidates ?? always;
    const unbroken: readonly ResidualCandidate[] =
      former === undefined ? always : [{ effect: 'ALLOW', priority: ABOVE, residual: former.exempt }, ...allowed];
    const since = (rest: readonly ResidualCandidate[]) => {
      const old = this.residuals.listOf([{ effect: 'DENY', priority: ABOVE + 1, residual: exempt }, ...rest]);
      return this.residuals.compare(old, list);
    };
    const { change, lost } = since(unbroken);
    if (lost === undefined) return change === 'unknown' ? 'unsaid' : 'no';
    return since(allowed).lost ?? lost;
  }

  /** Time from now on, cut where a link or a suspension begins or ends. */
  *#spans({ before, after }: JudgedCell, reaches: readonly MatchedPolicy[]): Generator<TimeSpan> {
    const cuts = new Set([this.now]);
    const cut = ({ start, end }: { start: number; end: number }) => {
      if (start > this.now) cuts.add(start);
      if (end > this.now && end !== Number.POSITIVE_INFINITY) cuts.add(end);
    };
    for (const { activity } of [before, after]) cut(activity);
    for (const { ways, named } of reaches) {
      for (const { period } of ways) cut(period);
      for (const { way } of named) cut(way.period);
    }
    for (const { shared } of [before, after])
      for (const holdings of shared.values()) for (const { period } of holdings) cut(period);
    const sorted = [...cuts].sort((left, right) => left - right);
    for (const [index, from] of sorted.entries()) yield { from, until: sorted[index + 1] ?? Number.POSITIVE_INFINITY };
  }
}

/** Adds the values that requests send; what a record has of them wins. */
function withSaid(
  known: PartialProperties,
  { values, leftOut }: ParentValues,
  { place }: JudgedResource,
): PartialProperties {
  if (Object.keys(values).length + leftOut.size === 0) return known;
  const { recorded, withheld = NONE } = known;
  const all = place === 'record' ? { ...values, ...recorded } : { ...recorded, ...values };
  return { ...known, recorded: all, withheld: new Set([...withheld, ...leftOut]) };
}

/** Without the properties that are not recorded in a state and that requests may not send there. */
function counted(known: PartialProperties, own: JsonObject | undefined, sent: SentProperties): PartialProperties {
  if (typeof sent !== 'object') return known;
  const counts = (name: string) => sent.has(name) || (own !== undefined && Object.hasOwn(own, name));
  const recorded = Object.fromEntries(Object.entries(known.recorded).filter(([name]) => counts(name)));
  return { ...known, recorded, sent };
}

function placesIn({ place }: JudgedResource, reaches: readonly MatchedPolicy[]): Path[] {
  const said = typeof place === 'object' ? place.below : [];
  const ways = reaches.flatMap((reach) => [...reach.ways, ...reach.named.map(({ way }) => way)]);
  return [...new Set([...said, ...ways.flatMap(({ below }) => below)])].sort();
}

/** The recorded properties of a subject or resource in each state; undefined if it has no record. */
interface RecordedProperties {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

/**
 * Both states are looked at on the same requests: those that send nothing of what is recorded after, also where it is not
 * before. What one state alone has a record of counts in the other as sent with the request (docs/semantics.md 11.3, 11.8).
 */
function propertiesIn(side: 'before' | 'after', { before, after }: RecordedProperties): PartialProperties {
  const recorded = (side === 'before' ? (before ?? after) : (after ?? before)) ?? {};
  const withheld = side === 'before' && after !== undefined ? new Set(Object.keys(after)) : undefined;
  return { recorded, sent: true, ...(withheld && { withheld }) };
}
