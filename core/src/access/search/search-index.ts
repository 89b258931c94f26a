import type { Fields } from '../../records/registry.js';
import type { RecordChange } from '../api/engine.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import type { Rule } from '../grants/rule.js';
import type { Resource } from '../grants/target.js';
import type { GraphWatcher } from '../graph/graph-watcher.js';
import type { Principal } from '../graph/principal.js';
import type { Ordered } from './ordered.js';
import { ReverseIndex } from './reverse-index.js';
import { WholeList } from './whole-list.js';

const indexes = new WeakMap<CompiledEngine, SearchIndex>();

/**
 * The index that searches of one compiled tenant share, whatever its revision: made at the first search that needs it, and
 * then told of every change.
 */
export class SearchIndex implements GraphWatcher {
  #reverse: ReverseIndex | undefined;
  #reversing: Generator<undefined, void> | undefined;
  readonly #subjects = new Map<string, WholeList<Principal>>();
  readonly #resources = new Map<string, WholeList<Resource>>();

  private constructor(private readonly engine: CompiledEngine) {
    engine.watch(this);
  }

  static of(engine: CompiledEngine): SearchIndex {
    const known = indexes.get(engine);
    if (known !== undefined) return known;
    const made = new SearchIndex(engine);
    indexes.set(engine, made);
    return made;
  }

  /** Searches that come while it is made help to finish it. */
  *reverse(): Generator<undefined, ReverseIndex> {
    if (this.#reverse?.isOverfull) this.#reverse = undefined;
    if (this.#reverse === undefined) {
      this.#reverse = new ReverseIndex(this.engine.subjects);
      this.#reversing = this.#reverse.fill(this.engine);
    }
    const reverse = this.#reverse;
    while (this.#reversing !== undefined && this.#reverse === reverse) {
      if (this.#reversing.next().done) this.#reversing = undefined;
      else yield;
    }
    return reverse;
  }

  /** All recorded subjects of a type, in order. */
  *subjects(type: string): Generator<undefined, readonly Ordered<Principal>[]> {
    const all = () => this.engine.subjects.get(type)?.values() ?? [];
    return yield* listIn(this.#subjects, type, all).get();
  }

  /** All recorded resources of a type, by its path, in order. */
  *resources(type: string): Generator<undefined, readonly Ordered<Resource>[]> {
    const all = () => recorded(this.engine.types.get(type)?.resources.values() ?? []);
    return yield* listIn(this.#resources, type, all).get();
  }

  linked(from: Principal, to: Principal): void {
    this.#reverse?.link(from, to);
  }

  granted(principal: Principal, rule: Rule): void {
    this.#reverse?.grant(principal, rule);
  }

  changed(changes: readonly RecordChange[]): void {
    for (const { before, after } of changes) {
      const { kind, fields } = after ?? before ?? {};
      if (kind === 'subject') {
        const { type, id } = fields as Fields<'subject'>;
        this.#subjects.get(type)?.note(id, this.engine.subjects.get(type)?.get(id));
      } else if (kind === 'resource') {
        const { type, name } = fields as Fields<'resource'>;
        this.#resources.get(type)?.note(name, this.engine.types.get(type)?.resources.get(name));
      }
    }
  }
}

function listIn<T extends { name: string }>(
  lists: Map<string, WholeList<T>>,
  key: string,
  all: () => Iterable<T>,
): WholeList<T> {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made = new WholeList(all, ({ name }: T) => name);
  lists.set(key, made);
  return made;
}

function* recorded(resources: Iterable<Resource>): Generator<Resource> {
  for (const resource of resources) if (resource.id !== undefined) yield resource;
}
