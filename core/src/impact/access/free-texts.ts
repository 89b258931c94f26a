import type { CompiledEngine } from '../../decision/compiled-engine.js';
import type { Path } from '../../records/address.js';
import type { Fields } from '../../records/registry.js';
import type { FreeNames, FreeText, KnownResource } from '../remainder/known.js';
import type { ChangedRecord } from '../universe/record-changes.js';
import type { ResourceFacts } from './resource-facts.js';

const NO_NAMES: KnownResource['names'] = { id: undefined, name: undefined };
export const ANY_TEXT: FreeText = { admits: () => true };
export const ANY_NAMES: FreeNames = { names: true, admitsName: () => true, admitsId: () => true };

/** The ids and names that have no record in either state, and so are variables (docs/semantics.md 10.2). */
export class FreeTexts {
  readonly #subjects = new Map<string, FreeText>();
  readonly #resources = new Map<Path, FreeNames>();
  readonly #recorded = new Map<string, KnownResource['names']>();
  readonly #byFacts = new Map<ResourceFacts, KnownResource['names']>();
  readonly #added = new Set<string>();

  /** The engine is in the state before whenever this is asked. */
  constructor(
    private readonly engine: CompiledEngine,
    changes: readonly ChangedRecord[],
  ) {
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
  names(facts: ResourceFacts | null): KnownResource['names'] {
    if (facts === null) return NO_NAMES;
    let names = this.#byFacts.get(facts);
    if (names === undefined) {
      names = this.#namesOf(facts);
      this.#byFacts.set(facts, names);
    }
    return names;
  }

  #namesOf({ name, id, recorded, typePath }: ResourceFacts): KnownResource['names'] {
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
