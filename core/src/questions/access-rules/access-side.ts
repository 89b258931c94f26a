import { inBoth, isEmpty, type Period } from '../../access/grants/period.js';
import { remembered } from '../../collections/remembered.js';
import { eachInSteps } from '../../concurrency/time-slicing.js';
import type { Formula } from '../../conditions/residual/formula.js';
import { ANY_CHOSEN } from '../../conditions/residual/partial-evaluator.js';
import type {
  FreeNames,
  FreeText,
  PartialProperties,
  PartialRequest,
  SentProperties,
  TimeSpan,
} from '../../conditions/residual/partial-request.js';
import type { DecisionList, ResidualCandidate, Residuals } from '../../conditions/residual/residuals.js';
import type { JsonObject } from '../../json/json.js';
import { type Address, decodeSegment, type Path, path as pathOf, typeOfResource } from '../../records/address.js';
import { EVERY_TYPE, EVERYONE } from '../../records/everyone.js';
import { type AccessView, mentioning, recordAt } from './access-view.js';
import { type Covering, CoveringPolicies, type PolicyRecord, policyPath } from './covering-policies.js';
import type { ParentProperty } from './parent-values.js';
import { formsOf, type JudgedResource, type LocatedResource, liesAmongOthers, locate } from './resource-places.js';
import { type Holding, SubjectClosures, type SubjectHoldings } from './subject-closure.js';

/** A subject that rules are judged on; without a path, any of its type that has no record. */
export interface SubjectUnit {
  readonly type: string;
  readonly path: Path | undefined;
}

/** One way by which a policy reaches a subject on a resource. */
interface GrantPath {
  readonly period: Period;
  /** Whether it is one only where the resource lies as nobody says. */
  readonly unknown: boolean;
  /** The places below which a resource must lie that may lie anywhere. */
  readonly below: readonly Path[];
}

/** A policy that may apply to a subject on a resource: by what is recorded, and by roles that requests may name. */
export interface MatchedPolicy {
  readonly policy: PolicyRecord;
  readonly ways: readonly GrantPath[];
  readonly named: readonly { readonly roles: readonly Path[]; readonly way: GrantPath }[];
}

/** The known properties of a subject and a resource, for comparing the two states on the same requests. */
export interface Properties {
  readonly subject: PartialProperties;
  readonly resource: PartialProperties;
}

/** A type of subjects that no record mentions: a name that no type can have. */
export const OTHER_TYPE = '';
/** An action that nothing names, which only `*` covers. */
export const OTHER_ACTION = '*';
const NOTHING: JsonObject = {};
const NO_PARENTS: readonly ParentProperty[] = [];
/** The direct members of a group. */
interface Members {
  readonly subjects: readonly Path[];
  readonly groups: readonly Address[];
}

/** Memberships read in one step. */
const MEMBERS_STEP = 200;

/** The access of one state: which policies reach whom, and what a request then has to satisfy. */
export class AccessSide {
  readonly closures: SubjectClosures;
  readonly policies: CoveringPolicies;
  readonly #members = new Map<Path, Members>();
  readonly #properties = new Map<Path, JsonObject | undefined>();
  readonly #forms = new Map<string, readonly JudgedResource[]>();
  readonly #located = new Map<string, LocatedResource>();
  readonly #actions = new Map<string, ReadonlySet<string>>();
  /** By the key of a unit, and by action. */
  readonly #coverings = new Map<string, Map<string, readonly Covering[]>>();
  #rolesByName: ReadonlyMap<string, readonly Path[]> | undefined;

  /** `other` is the state that this one is compared with, and `people` the side of a state with the same people, if any. */
  constructor(
    readonly view: AccessView,
    private readonly other: AccessView,
    now: number,
    private readonly residuals: Residuals,
    private readonly people?: AccessSide,
  ) {
    this.closures = people?.closures ?? new SubjectClosures(view, other, now);
    this.policies = new CoveringPolicies(view);
  }

  declares(type: Path): boolean {
    return recordAt(this.view, 'resource_type', type) !== undefined;
  }

  /** The properties by which requests say what a resource of a type lies in. */
  parentsOf(type: Path): readonly ParentProperty[] {
    return recordAt(this.view, 'resource_type', type)?.fields.parents ?? NO_PARENTS;
  }

  /** The properties that requests may send of resources of a type: all, or these. */
  sentOfResources(type: Path): SentProperties {
    const sent = recordAt(this.view, 'resource_type', type)?.fields.from_requests;
    return sent === undefined || new Set(sent);
  }

  /** The properties that requests may send of subjects of a type: all, or these. */
  sentOfSubjects(type: string): SentProperties {
    const sent =
      type === OTHER_TYPE ? undefined : recordAt(this.view, 'subject_type', pathOf(type))?.fields.from_requests;
    return sent === undefined || new Set(sent);
  }

  /** The paths of all roles of this name. */
  rolesNamed(name: string): readonly Path[] {
    this.#rolesByName ??= rolesByName(this.view);
    return this.#rolesByName.get(name) ?? [];
  }

  /** A unit as requests can ask for it here. */
  formsOf(unit: JudgedResource): readonly JudgedResource[] {
    return remembered(this.#forms, unit.key, () => formsOf(this.view, this.other, unit));
  }

  locate(unit: JudgedResource): LocatedResource {
    return remembered(this.#located, unit.key, () => locate(this.view, unit));
  }

  coverings(unit: JudgedResource, action: string): readonly Covering[] {
    const ofUnit = remembered(this.#coverings, unit.key, () => new Map());
    return remembered(ofUnit, action, () => this.policies.of(unit, this.locate(unit), action));
  }

  /** The policies that cover a unit and an action, in whichever form requests ask for it here. */
  coveringsAnywhere(unit: JudgedResource, action: string): readonly Covering[] {
    const [form, ...others] = this.formsOf(unit);
    if (form !== undefined && others.length === 0) return this.coverings(form, action);
    return this.formsOf(unit).flatMap((one) => this.coverings(one, action));
  }

  /** The actions that a unit's type declares, and those that policies on it name, or conditions that read an action's name. */
  actionsOn(unit: JudgedResource): ReadonlySet<string> {
    return remembered(this.#actions, unit.key, () => {
      const declared = recordAt(this.view, 'resource_type', unit.type)?.fields.actions ?? [];
      const forms = this.formsOf(unit).flatMap((form) => [...this.policies.actionsOn(form, this.locate(form))]);
      return new Set([...declared, ...forms]);
    });
  }

  /** The direct members of a group. */
  *membersOf(group: Path): Generator<undefined, Members> {
    const known = this.#members.get(group);
    if (known !== undefined) return known;
    const found = { subjects: [] as Path[], groups: [] as Address[] };
    yield* eachInSteps(mentioning(this.view, `group/${group}`, 'group_membership'), MEMBERS_STEP, ({ fields }) => {
      if (fields.group !== group) return;
      if (fields.entity_type === 'subject') found.subjects.push(fields.entity);
      else found.groups.push(`group/${fields.entity}`);
    });
    this.#members.set(group, found);
    return found;
  }

  /** All that a subject may act as, at any time and anywhere, also by naming roles. */
  *principalsOf(type: string, path: Path): Generator<Address> {
    const { shared, self } = this.closures.of(type, path);
    if (self !== undefined) yield self;
    yield* shared.keys();
    for (const address of this.view.mentionedBy('policy_assignment', 'role'))
      if (this.closures.naming(address.slice('role/'.length)).length > 0) yield address;
  }

  /** How the policies that cover a resource and an action reach a subject. */
  reaches(closure: SubjectHoldings, unit: JudgedResource, action: string): MatchedPolicy[] {
    const found: MatchedPolicy[] = [];
    for (const { policy, unknown } of this.coverings(unit, action)) {
      const ways: GrantPath[] = [];
      const named: { roles: readonly Path[]; way: GrantPath }[] = [];
      for (const { principal, period } of this.policies.assigneesOf(policyPath(policy))) {
        for (const holding of closure.get(principal)) {
          const where = this.#where(holding, unit);
          const both = inBoth(holding.period, period);
          if (where !== 'no' && !isEmpty(both))
            ways.push(wayOf(unit, both, [where === 'unknown' ? holding.place : undefined, unknown]));
        }
        const roles = principal.startsWith('role/') ? this.closures.naming(principal.slice('role/'.length)) : [];
        if (roles.length > 0) named.push({ roles, way: wayOf(unit, period, [unknown]) });
      }
      if (ways.length > 0 || named.length > 0) found.push({ policy, ways, named });
    }
    return found;
  }

  /** The list that decides in a span of time. `names` says whether requests name roles. */
  listOf(reaches: readonly MatchedPolicy[], known: PartialRequest, names: boolean): DecisionList {
    const { formulas } = this.residuals;
    const candidates: ResidualCandidate[] = [];
    const naming = (role: Path) =>
      this.residuals.residualOfCondition(hasRole(role), { ...known, principals: ANY_CHOSEN });
    for (const { policy, ways, named } of reaches) {
      const { effect, priority } = policy.fields;
      const now = ways.filter(({ period }) => counts(period, known.span));
      const sure = now.some(({ unknown, below }) => !unknown && below.length === 0);
      const open = sure ? [] : now.filter(({ below }) => below.length > 0);
      for (const { below } of open) {
        const lies = below.map((place) => this.liesBelow(place, known));
        const residual = formulas.and([...lies, this.residuals.residualOf(policy.fields, known)]);
        candidates.push({ effect, priority, residual });
      }
      if (now.length > open.length)
        candidates.push({ effect, priority, residual: this.residuals.residualOf(policy.fields, known, !sure) });
      if (sure || !names) continue;
      for (const { roles, way } of named) {
        if (!counts(way.period, known.span)) continue;
        const residual = this.residuals.residualOf(policy.fields, known, way.unknown);
        const lies = way.below.map((place) => this.liesBelow(place, known));
        candidates.push({
          effect,
          priority,
          residual: formulas.and([formulas.or(roles.map(naming)), ...lies, residual]),
        });
      }
    }
    return this.residuals.listOf(candidates);
  }

  /** Says that a resource which may lie anywhere lies below a place: a question of its own, the same in both states. */
  liesBelow(place: Path, known: PartialRequest): Formula {
    return this.residuals.residualOfCondition(hasRole(place), { ...known, principals: ANY_CHOSEN });
  }

  /** Returns the partial request for a subject, resource and action in a span of time. */
  known(
    { type, path }: SubjectUnit,
    closure: SubjectHoldings,
    unit: JudgedResource,
    action: string | FreeText,
    { span, properties, names, free }: { span: TimeSpan; properties: Properties; names: boolean; free: FreeUniverse },
  ): PartialRequest {
    const [application = '', bare = ''] = unit.type.split('/').map(decodeSegment);
    const holds = (address: Address) => closure.get(address).filter(({ period }) => counts(period, span));
    return {
      subject: {
        type: type === OTHER_TYPE ? free.otherType : type,
        id: path === undefined ? free.subjectId(type) : decodeSegment(path.slice(path.indexOf('/') + 1)),
        ...properties.subject,
      },
      action: { name: action, sent: true },
      resource: {
        type: bare,
        application,
        names:
          unit.path === undefined
            ? free.resourceNames(unit.type)
            : { id: ANY_ID, name: decodeSegment(unit.path.slice(unit.type.length + 1)) },
        ...properties.resource,
      },
      ancestry: this.locate(unit).ancestry,
      among: liesAmongOthers(unit),
      principals: {
        inGroup: (group) => holds(`group/${group}`).length > 0,
        hasRole: (role) => {
          const held = holds(`role/${role}`);
          if (held.some((holding) => this.#where(holding, unit) === 'yes')) return true;
          const unsaid = held.filter((holding) => this.#where(holding, unit) === 'unknown');
          const among = liesAmongOthers(unit);
          const below = among ? unsaid.flatMap(({ place = [] }) => place) : [];
          const anyOf = [...(names ? this.closures.naming(role) : []), ...below];
          const otherwise = among || unsaid.length === 0 ? undefined : 'absent';
          return anyOf.length > 0 ? { anyOf, otherwise } : (otherwise ?? false);
        },
      },
      span,
    };
  }

  propertiesOf(subject: SubjectUnit): JsonObject | undefined {
    const { type, path } = subject;
    if (this.people !== undefined) return this.people.propertiesOf(subject);
    if (path === undefined || type === '') return undefined;
    return remembered(this.#properties, path, () => {
      const record = recordAt(this.view, 'subject', path);
      return record && (record.fields.properties ?? NOTHING);
    });
  }

  resourceProperties({ path }: JudgedResource): JsonObject | undefined {
    const record = path === undefined ? undefined : recordAt(this.view, 'resource', path);
    return record && (record.fields.properties ?? NOTHING);
  }

  /** Whether a role that is held here counts on a resource (docs/semantics.md 8.4, 8.6). */
  #where({ place }: Holding, unit: JudgedResource): 'yes' | 'no' | 'unknown' {
    if (place === undefined) return 'yes';
    const { places, unknown } = this.locate(unit);
    if (places.has(place)) return 'yes';
    return unknown.has(typeOfResource(place)) ? 'unknown' : 'no';
  }
}

/** The ids and names that no record has, and so are variables. What is no variable is judged by itself. */
export class FreeUniverse {
  readonly #ids = new Map<string, FreeText>();
  readonly #names = new Map<Path, FreeNames>();

  readonly #actions = new Map<string, FreeText>();
  #types: ReadonlySet<string> | undefined;
  /** The types of subjects that no record mentions. */
  readonly otherType: FreeText = { admits: (type) => !this.types.has(type) };

  constructor(private readonly views: readonly AccessView[]) {}

  /** The types of subjects that records mention. */
  get types(): ReadonlySet<string> {
    this.#types ??= new Set(this.views.flatMap((view) => [...mentionedTypes(view)]));
    return this.#types;
  }

  /** The actions besides those that are named. */
  otherAction(named: ReadonlySet<string>): FreeText {
    return remembered(this.#actions, JSON.stringify([...named].sort()), () => ({
      admits: (action) => !named.has(action),
    }));
  }

  subjectId(type: string): FreeText {
    return remembered(this.#ids, type, () => ({
      admits: (id) => this.views.every((view) => view.get(`subject/${pathOf(type, id)}`) === undefined),
    }));
  }

  resourceNames(type: Path): FreeNames {
    const free = (name: string) =>
      this.views.every((view) => view.get(`resource/${type}/${pathOf(name)}`) === undefined);
    return remembered(this.#names, type, () => ({ names: true, admitsName: free, admitsId: free }));
  }
}

function* mentionedTypes(view: AccessView): Generator<string> {
  for (const kind of ['policy_assignment', 'role_assignment'] as const)
    for (const address of view.mentionedBy(kind, EVERYONE)) {
      const type = address.slice(EVERYONE.length + 1);
      if (type !== EVERY_TYPE) yield decodeSegment(type);
    }
  yield* view.subjectTypes();
  for (const address of view.addresses('subject_type')) yield decodeSegment(address.slice('subject_type/'.length));
  for (const address of view.addresses('access_rule')) {
    const fields = recordAt(view, 'access_rule', address.slice('access_rule/'.length))?.fields;
    const type = fields?.only?.subjects?.type;
    if (type !== undefined) yield type;
  }
}

/** A resource's id is the service's own, and is looked at as any. */
const ANY_ID: FreeText = { admits: () => true };

/** The condition that the subject holds a role. */
export function hasRole(role: Path): string {
  return `subject.has_role(${JSON.stringify(role)})`;
}

/** `places` are those below which a resource must lie and may, for all that is said. */
function wayOf(unit: JudgedResource, period: Period, places: readonly (Path | undefined)[]): GrantPath {
  const below = places.filter((one) => one !== undefined);
  return liesAmongOthers(unit) ? { period, unknown: false, below } : { period, unknown: below.length > 0, below: [] };
}

export function counts({ start, end }: Period, { from }: TimeSpan): boolean {
  return start <= from && from < end;
}

function rolesByName(view: AccessView): Map<string, Path[]> {
  const found = new Map<string, Path[]>();
  for (const address of view.addresses('role')) {
    const path = address.slice('role/'.length);
    const name = recordAt(view, 'role', path)?.fields.name;
    if (name === undefined) continue;
    const known = found.get(name);
    if (known === undefined) found.set(name, [path]);
    else known.push(path);
  }
  return found;
}
