import type { DecisionRequest } from '../decision/api/request.js';
import type { Json, JsonObject } from '../json.js';
import { CONDITION_LIMITS } from './limits.js';
import { OutOfSteps } from './outcome.js';
import type { Result, Value, ValueMap } from './value.js';

/** What a condition may know of the resource in question besides its properties. */
export interface ResourceFacts {
  /** The name of its type, and of the application the type belongs to. */
  type: string;
  application: string;
  /** The id and name of its record; without one, what the request said. */
  id: string | undefined;
  name: string | undefined;
}

const NOTHING: JsonObject = {};

/** What the conditions of one decision read. Not to be used by two evaluations at once. */
export class Scope {
  /** Values of macro variables, by the slot that the build gave each. */
  readonly locals: Result[] = [];
  /** Steps left to the evaluation that runs, of those given to it; and to all that come, it included. */
  #steps = 0;
  #given = 0;
  #left: number = CONDITION_LIMITS.decisionSteps;
  #subjectProperties: JsonObject | undefined;
  #resourceProperties: JsonObject | undefined;

  /** `now` is milliseconds since the epoch; the stored properties are overridden by the request's, key by key. */
  constructor(
    readonly request: DecisionRequest,
    readonly facts: ResourceFacts,
    readonly now: number,
    readonly storedSubject: JsonObject | undefined,
    readonly storedResource: JsonObject | undefined,
  ) {}

  /** Begins the evaluation of one condition. */
  begin(): void {
    this.#left -= this.#given - this.#steps;
    this.#given = Math.min(CONDITION_LIMITS.steps, this.#left);
    this.#steps = this.#given;
  }

  /** Counts work that depends on the length of values; throws `OutOfSteps`. */
  charge(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new OutOfSteps();
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
    const own = member(this.request.resource.properties, name);
    return own === undefined ? member(this.storedResource, name) : own;
  }

  get subjectProperties(): JsonObject {
    this.#subjectProperties ??= merged(this.storedSubject, this.request.subject.properties);
    return this.#subjectProperties;
  }

  get resourceProperties(): JsonObject {
    this.#resourceProperties ??= merged(this.storedResource, this.request.resource.properties);
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
}

function member(properties: JsonObject | undefined, name: string): Json | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Spreading, unlike assignment, keeps a member named `__proto__` an ordinary one. */
function merged(stored: JsonObject | undefined, own: JsonObject | undefined): JsonObject {
  if (own === undefined) return stored ?? NOTHING;
  return stored === undefined ? own : { ...stored, ...own };
}
