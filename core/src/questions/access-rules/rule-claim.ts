import type { Formula } from '../../conditions/residual/formula.js';
import type { PartialRequest } from '../../conditions/residual/partial-request.js';
import type { Residuals } from '../../conditions/residual/residuals.js';
import { EVERY_RESOURCE_TYPE, RULE_FORMS, type RuleForm } from '../../records/access-rule.js';
import { type Address, type Path, typeOfResource } from '../../records/address.js';
import { type DeclaredRecord, referencesOf } from '../../records/registry.js';
import { hasRole, type SubjectUnit } from './access-side.js';
import { type ChangedProperties, readsChange } from './reads-change.js';
import type { JudgedResource } from './resource-places.js';
import type { TouchedAccess } from './touched.js';

export type RuleRecord = DeclaredRecord<'access_rule'>;
type Claim = NonNullable<RuleRecord['fields']['never']>;

/** An access rule, ready to be asked of requests (docs/semantics.md 11.1 to 11.4). */
export class RuleClaim {
  static readonly #known = new WeakMap<RuleRecord, RuleClaim>();

  /** The claim of a rule, read once. */
  static of(rule: RuleRecord, former?: RuleRecord): RuleClaim {
    if (former !== undefined && former.fields !== rule.fields) return new RuleClaim(rule, RuleClaim.of(former));
    const known = RuleClaim.#known.get(rule) ?? new RuleClaim(rule);
    RuleClaim.#known.set(rule, known);
    return known;
  }

  readonly form: RuleForm;
  readonly actions: readonly string[];
  /** Its expressions, each as a guard. */
  readonly guards: readonly { readonly condition: string }[];
  readonly #claim: Claim;
  readonly #asked: ReadonlySet<Address>;
  readonly #types: ReadonlySet<Path>;
  readonly #named: ReadonlySet<Path>;

  /** `former` is the same rule before, where what it refers to was renamed and is not the same to requests. */
  private constructor(
    readonly rule: RuleRecord,
    readonly former?: RuleClaim,
  ) {
    const { fields } = rule;
    this.form = RULE_FORMS.find((form) => fields[form] !== undefined) ?? 'never';
    this.#claim = fields[this.form] as Claim;
    this.actions = this.#claim.actions;
    this.guards = [this.#claim.subjects?.where, this.#claim.resources.where, fields.when].flatMap((condition) =>
      condition === undefined ? [] : [{ condition }],
    );
    this.#asked = new Set(referencesOf('access_rule', fields).map(({ target }) => target));
    this.#types = new Set(this.#claim.resources.types);
    this.#named = new Set(this.#claim.resources.named);
  }

  /** The touch as it concerns this rule: where it changes whom the rule means, all that the rule speaks of is touched. */
  touchedBy(touch: TouchedAccess): TouchedAccess {
    const { properties } = touch;
    const asked =
      [...touch.reached].some((address) => this.#asked.has(address)) ||
      (properties !== undefined && this.readsAny(properties));
    // Of `always`, whose subjects' suspension may end, all is touched by it.
    return asked || (touch.suspension && this.form === 'always')
      ? { ...touch, policies: undefined, gains: true, loses: true }
      : touch;
  }

  /** Whether what the rule says may hang on these properties. */
  readsAny(properties: ChangedProperties): boolean {
    return this.guards.some((guard) => readsChange(guard, properties));
  }

  /** The groups, roles and others that it refers to. */
  get asked(): ReadonlySet<Address> {
    return this.#asked;
  }

  get named(): ReadonlySet<Path> {
    return this.#named;
  }

  get below(): boolean {
    return this.#claim.resources.below === true;
  }

  /** The type of the subjects that are meant, if only one is. */
  get subjectType(): string | undefined {
    return this.form === 'only' ? undefined : this.#claim.subjects?.type;
  }

  /** Whether the rule means subjects also while they are suspended, as `always` does not by itself. */
  get evenSuspended(): boolean {
    return this.rule.fields.always?.even_suspended === true;
  }

  /** Whether requests name roles, as far as the rule is concerned. */
  get names(): boolean {
    return this.form !== 'separate';
  }

  /** The subjects, groups and roles that alone are meant; undefined if anybody may be. */
  get principals(): { named: readonly Path[]; groups: readonly Path[]; roles: readonly Path[] } | undefined {
    const { named, groups, roles } = this.#claim.subjects ?? {};
    if (this.form === 'only' || (named ?? groups ?? roles) === undefined) return undefined;
    return { named: named ?? [], groups: groups ?? [], roles: roles ?? [] };
  }

  /** Whether the rule speaks of all resources of a type. */
  meansType(type: Path): boolean {
    return this.#types.has(type) || this.#types.has(EVERY_RESOURCE_TYPE);
  }

  /** Whether the rule may speak of resources of a type. */
  mayMean(type: Path): boolean {
    return this.meansType(type) || this.below || [...this.#named].some((path) => typeOfResource(path) === type);
  }

  /** Whether the rule speaks of a resource; `places` are those that it lies at or below. */
  means({ type, path }: JudgedResource, places: ReadonlySet<Path>): boolean {
    if (this.meansType(type)) return true;
    if (path !== undefined && this.#named.has(path)) return true;
    return this.below && [...places].some((place) => this.#named.has(place));
  }

  /**
   * A formula that is true for the requests of which the rule does not speak and false for the others, never absent or
   * failed: whatever the rule says is broken by the others alone. Of `always` it is false for those of which it speaks.
   * A `strict` one leaves only those that surely are meant, which are the better witnesses.
   */
  exempt(residuals: Residuals, subject: SubjectUnit, known: PartialRequest, strict = false): Formula {
    const { formulas } = residuals;
    const sure = (formula: Formula) => formulas.sure(formulas.held(formula));
    const who = formulas.and([this.#isMeant(residuals, subject, known), this.#where(residuals, known, 'subjects')]);
    const what = formulas.and([this.#where(residuals, known, 'resources'), this.#when(residuals, known)]);
    // `always` holds for what is surely meant; the others are broken by what is not surely left out.
    if (this.form === 'always' || (strict && this.form !== 'only'))
      return formulas.not(sure(formulas.and([who, what])));
    if (this.form === 'only') return formulas.or([sure(who), sure(formulas.not(what))]);
    return sure(formulas.not(formulas.and([who, what])));
  }

  #isMeant(residuals: Residuals, { type, path }: SubjectUnit, known: PartialRequest): Formula {
    const { formulas } = residuals;
    const { type: wanted, named, groups, roles } = this.#claim.subjects ?? {};
    const constant = (value: boolean) => formulas.constant(value ? 'true' : 'false');
    if (wanted !== undefined && wanted !== type) return constant(false);
    if ((named ?? groups ?? roles) === undefined) return constant(true);
    if (path !== undefined && named?.includes(path)) return constant(true);
    if (groups?.some((group) => known.principals?.inGroup(group))) return constant(true);
    const held = (roles ?? []).map((role) => residuals.residualOfCondition(hasRole(role), known));
    return formulas.or(held);
  }

  #where(residuals: Residuals, known: PartialRequest, part: 'subjects' | 'resources'): Formula {
    const text = this.#claim[part]?.where;
    return text === undefined ? residuals.formulas.constant('true') : residuals.residualOfCondition(text, known);
  }

  #when(residuals: Residuals, known: PartialRequest): Formula {
    const { when } = this.rule.fields;
    return when === undefined ? residuals.formulas.constant('true') : residuals.residualOfCondition(when, known);
  }
}
