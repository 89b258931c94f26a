import { textsInCondition } from '../../conditions/residual/texts-in-condition.js';
import type { Path } from '../../records/address.js';
import type { Fields } from '../../records/registry.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import { Below, Resource } from '../grants/target.js';
import type { ChangedRecord } from '../universe/record-changes.js';
import type { TypeUniverse } from './column-groups.js';
import type { GrantedRules } from './granted-rules.js';

interface TypeNames {
  readonly actions: Set<string>;
  readonly named: Set<string>;
  /** The names of resources that changes add, remove or say something else of. */
  readonly changed: Set<string>;
}

/** The types of both states, with their actions and resources. */
export class TypeUniverses {
  readonly #byType = new Map<Path, TypeNames>();
  /** Actions of policies that cover what lies below a resource, of whatever type. */
  readonly #below = new Set<string>();
  readonly #universes = new Map<Path, TypeUniverse>();

  constructor(
    private readonly engine: CompiledEngine,
    changes: readonly ChangedRecord[],
  ) {
    for (const { before, after } of changes) {
      const record = before ?? after;
      if (record?.kind !== 'resource') continue;
      const { type, name } = record.fields as Fields<'resource'>;
      this.#at(type).changed.add(name);
    }
  }

  #at(type: Path): TypeNames {
    let known = this.#byType.get(type);
    if (known === undefined) {
      known = { actions: new Set(), named: new Set(), changed: new Set() };
      this.#byType.set(type, known);
    }
    return known;
  }

  /** Looks at the engine in one of the states. */
  look(granted: GrantedRules): void {
    for (const { path, actions } of this.engine.types.values())
      for (const action of actions) this.#at(path).actions.add(action);
    for (const { rule } of granted.all()) {
      const { target, actions } = rule;
      const into =
        target instanceof Below
          ? this.#below
          : this.#at(target instanceof Resource ? target.type.path : target.path).named;
      for (const action of actions.names) if (action !== '*') into.add(action);
      // A condition that reads the name of the action tells those apart that it writes out.
      for (const action of textsInCondition(rule.policy.guard?.condition, 'action.name')) into.add(action);
    }
  }

  of(type: Path): TypeUniverse {
    let universe = this.#universes.get(type);
    if (universe === undefined) {
      const { actions, named, changed } = this.#at(type);
      const { engine } = this;
      const names = function* () {
        yield* changed;
        for (const { name } of engine.types.get(type)?.resources.values() ?? []) if (!changed.has(name)) yield name;
      };
      let recorded = 0;
      for (const _ of names()) recorded++;
      universe = { actions, named: new Set([...named, ...this.#below]), names, recorded };
      this.#universes.set(type, universe);
    }
    return universe;
  }
}
