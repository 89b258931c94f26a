import type { Json, JsonObject } from '../../json/json.js';
import type { Path } from '../../records/address.js';
import type { DecisionRequest } from '../../request.js';
import { CONDITION_LIMITS } from '../syntax/limits.js';
import { type Absent, OutOfSteps } from './outcome.js';
import { NO_PRINCIPALS, type SubjectPrincipals } from './subject-principals.js';
import { keysOf, type Result, type Value, type ValueMap } from './value.js';

/** The fields of the resource that a condition may read besides its properties. */
export interface ResourceFacts {
  /** The name of its type, and of the application the type belongs to. */
  type: string;
  application: string;
  /** The id and name of its record; without one, what the request said. */
  id: string | undefined;
  name: string | undefined;
}

/** Tells where the resource lies. */
export interface Ancestry {
  /** The ancestors of a type, in the order of their names; or the attribute without which they are not known. */
  of(type: string): readonly ValueMap[] | Absent;
}

const NO_ANCESTRY: Ancestry = { of: () => [] };
const NOTHING: JsonObject = {};
/** The steps for copying one member of a map, including large maps. */
const MERGED_STEPS = 32;

/** The values that the conditions of one decision read. Two evaluations must not use it at the same time. */
export class Scope {
  /** Values of macro variables, by the slot that the build gave each. */
  readonly locals: Result[] = [];
  /** The steps left for all further evaluations. */
  #left: number = CONDITION_LIMITS.decisionSteps;
  #subjectProperties: JsonObject | undefined;
  #resourceProperties: JsonObject | undefined;
  #readsResource = false;

  /** `now` is milliseconds since the epoch; the stored properties are overridden by the request's, key by key. */
  constructor(
    readonly request: DecisionRequest,
    private readonly facts: ResourceFacts,
    readonly now: number,
    readonly storedSubject: JsonObject | undefined,
    readonly storedResource: JsonObject | undefined,
    private readonly ancestry: Ancestry = NO_ANCESTRY,
    private readonly principals: SubjectPrincipals = NO_PRINCIPALS,
  ) {}

  /** Counts work. Throws `OutOfSteps` when the steps are used up, also for every later charge. */
  charge(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new OutOfSteps();
  }

  /** The steps taken so far, without the charge that was refused. */
  get steps(): number {
    return CONDITION_LIMITS.decisionSteps - Math.max(0, this.#left);
  }

  /**
   * Whether anything was asked that may differ between two resources of one type: what follows and the steps that it takes
   * may then differ, too.
   */
  get readsResource(): boolean {
    return this.#readsResource;
  }

  get resourceType(): string {
    return this.facts.type;
  }

  get application(): string {
    return this.facts.application;
  }

  get resourceId(): string | undefined {
    this.#readsResource = true;
    return this.facts.id;
  }

  get resourceName(): string | undefined {
    this.#readsResource = true;
    return this.facts.name;
  }

  ancestorsOf(type: Path): readonly ValueMap[] | Absent {
    this.#readsResource = true;
    return this.ancestry.of(type);
  }

  inGroup(group: Path): boolean {
    return this.principals.inGroup(group, this);
  }

  /** Whether the subject holds the role where the resource lies. The steps that it takes hang on that place, too. */
  hasRole(role: Path): boolean | Absent {
    this.#readsResource = true;
    return this.principals.hasRole(role, this);
  }

  get context(): JsonObject {
    return this.request.context ?? NOTHING;
  }

  get actionProperties(): JsonObject {
    return this.request.action.properties ?? NOTHING;
  }

  subjectProperty(name: string): Json | undefined {
    const own = member(this.request.subject.properties, name);
    return own === undefined ? member(this.storedSubject, name) : own;
  }

  resourceProperty(name: string): Json | undefined {
    this.#readsResource = true;
    const own = member(this.request.resource.properties, name);
    return own === undefined ? member(this.storedResource, name) : own;
  }

  get subjectProperties(): JsonObject {
    this.#subjectProperties ??= this.#merged(this.storedSubject, this.request.subject.properties);
    return this.#subjectProperties;
  }

  get resourceProperties(): JsonObject {
    this.#readsResource = true;
    this.#resourceProperties ??= this.#merged(this.storedResource, this.request.resource.properties);
    return this.#resourceProperties;
  }

  /** The whole variable, for a condition that does more than select from it. */
  get subject(): ValueMap {
    const { type, id } = this.request.subject;
    return { type, id, properties: this.subjectProperties };
  }

  get resource(): ValueMap {
    const { type, application, id, name } = this.facts;
    const whole: { [key: string]: Value } = { type, application, properties: this.resourceProperties };
    if (id !== undefined) whole.id = id;
    if (name !== undefined) whole.name = name;
    return whole;
  }

  get action(): ValueMap {
    return { name: this.request.action.name, properties: this.actionProperties };
  }

  /** Spreading, unlike assignment, keeps a member named `__proto__` an ordinary one. */
  #merged(stored: JsonObject | undefined, own: JsonObject | undefined): JsonObject {
    if (own === undefined) return stored ?? NOTHING;
    if (stored === undefined) return own;
    this.charge((keysOf(stored).length + keysOf(own).length) * MERGED_STEPS);
    return { ...stored, ...own };
  }
}

function member(properties: JsonObject | undefined, name: string): Json | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
