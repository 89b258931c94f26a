import {
  ANY_TEXT,
  type FreeNames,
  type FreeText,
  type PartialResource,
} from '../../conditions/residual/partial-request.js';
import type { Path } from '../../records/address.js';
import type { Fields } from '../../records/registry.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import type { ChangedRecord } from '../universe/record-changes.js';
import { OTHER_TYPE } from '../universe/subject-classes.js';
import { OTHER_ACTION, type TypeUniverse } from './column-groups.js';
import type { GuardedFacts } from './resource-facts.js';

const NO_NAMES: PartialResource['names'] = { id: undefined, name: undefined };

/** Names that neither state has, and that are variables (docs/semantics.md 10.2, 10.11): ids, names, types of subjects, actions. */
export class FreeTexts {
  readonly #subjects = new Map<string, FreeText>();
  readonly #resources = new Map<Path, FreeNames>();
  readonly #recorded = new Map<string, PartialResource['names']>();
  readonly #byFacts = new Map<GuardedFacts, PartialResource['names']>();
  readonly #added = new Set<string>();
  readonly #actions = new Map<Path, FreeText>();
  readonly #otherType: FreeText;

  /** The engine is in the state before whenever this is asked. */
  constructor(
    private readonly engine: CompiledEngine,
    changes: readonly ChangedRecord[],
    private readonly universe: (type: Path) => TypeUniverse,
    knownTypes: ReadonlySet<string>,
  ) {
    this.#otherType = { admits: (type) => !knownTypes.has(type) };
    for (const { after } of changes) {
      if (after?.kind === 'subject') {
        const { type, id } = after.fields as Fields<'subject'>;
        this.#added.add(`subject\n${type}\n${id}`);
      } else if (after?.kind === 'resource') {
        const { type, name } = after.fields as Fields<'resource'>;
        this.#added.add(`resource\n${type}\n${name}`);
      }
    }
  }

  subjectType(type: string): string | FreeText {
    return type === OTHER_TYPE ? this.#otherType : type;
  }

  /** The name of the action that a guard reads. */
  action({ action = '', typePath }: GuardedFacts): string | FreeText {
    if (action !== OTHER_ACTION) return action;
    let free = this.#actions.get(typePath);
    if (free === undefined) {
      const { actions, named } = this.universe(typePath);
      free = { admits: (name) => !actions.has(name) && !named.has(name) };
      this.#actions.set(typePath, free);
    }
    return free;
  }

  subjectId(type: string): FreeText {
    let free = this.#subjects.get(type);
    if (free === undefined) {
      const recorded = (id: string) =>
        this.engine.subjects.get(type)?.get(id) !== undefined || this.#added.has(`subject\n${type}\n${id}`);
      free = { admits: (id) => !recorded(id) };
      this.#subjects.set(type, free);
    }
    return free;
  }

  /** The names of a resource in one state, as far as they are known. */
  names(facts: GuardedFacts | null): PartialResource['names'] {
    if (facts === null) return NO_NAMES;
    let names = this.#byFacts.get(facts);
    if (names === undefined) {
      names = this.#namesOf(facts);
      this.#byFacts.set(facts, names);
    }
    return names;
  }

  #namesOf({ name, id, recorded, typePath }: GuardedFacts): PartialResource['names'] {
    if (name === undefined) return this.#unrecorded(typePath);
    const key = `${recorded}\n${id}\n${name}`;
    let names = this.#recorded.get(key);
    if (names === undefined) {
      names = { id: recorded ? (id ?? ANY_TEXT) : undefined, name };
      this.#recorded.set(key, names);
    }
    return names;
  }

  #unrecorded(type: Path): FreeNames {
    let free = this.#resources.get(type);
    if (free === undefined) {
      const recorded = (name: string) => {
        const found = this.engine.types.get(type)?.resources.get(name);
        return found?.id !== undefined || this.#added.has(`resource\n${type}\n${name}`);
      };
      free = {
        names: true,
        admitsName: (name) => !recorded(name),
        admitsId: (id) => !recorded(id) && this.engine.resourcesById.get(id)?.type.path !== type,
      };
      this.#resources.set(type, free);
    }
    return free;
  }
}
