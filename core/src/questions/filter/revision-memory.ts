import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import type { Granted, Grants } from '../../access/grants/grants.js';
import type { LazyGuard } from '../../access/grants/lazy-guard.js';
import type { ResourceType } from '../../access/grants/target.js';
import { remembered } from '../../collections/remembered.js';
import { AttributePool } from '../../conditions/residual/attribute.js';
import type { PartialRequest } from '../../conditions/residual/partial-request.js';
import { readValue } from '../../conditions/residual/read-value.js';
import { readsOfGuard } from '../../conditions/residual/reads.js';
import type { Read } from '../../conditions/residual/syntax.js';
import { listsAtMost } from './row-condition.js';
import type { RowOutcomes } from './row-outcomes.js';
import { COMPARED_MAX } from './value-set.js';

/** The most outcomes that are kept of a tenant, and the most characters of the values that one hangs on. */
const KEPT_MAX = 10_000;
const KEY_MAX = 200;

/** Facts about a tenant that filters need again, until the tenant changes. */
export class RevisionMemory {
  /** The names of the resources of a type in which others may lie. */
  readonly placeable = new Map<ResourceType, ReadonlySet<string>>();
  /** The rules among the grants of a principal that may cover rows of a type. */
  readonly granted = new Map<ResourceType, Map<Grants, readonly Granted[]>>();
  readonly #outcomes = new Map<ResourceType, Map<LazyGuard, Map<string, RowOutcomes>>>();
  #kept = 0;

  private constructor(private readonly generation: number) {}

  static of(engine: CompiledEngine): RevisionMemory {
    const known = memories.get(engine);
    if (known?.generation === engine.generation) return known;
    const memory = new RevisionMemory(engine.generation);
    memories.set(engine, memory);
    return memory;
  }

  /**
   * The outcomes of a guard for rows without a record. They are kept if they hang on columns and on plain values that are
   * known, and if they are as short as what is told apart by its content: answers are the same whatever is kept.
   */
  outcomes(type: ResourceType, guard: LazyGuard, known: PartialRequest, make: () => RowOutcomes): RowOutcomes {
    const key = keyOfKnown(readsOfGuard(guard), known);
    if (key === undefined) return make();
    const all = remembered(this.#outcomes, type, () => new Map<LazyGuard, Map<string, RowOutcomes>>());
    const kept = all.get(guard)?.get(key);
    if (kept !== undefined) return kept;
    const made = make();
    if (made.partial || !isShort(made)) return made;
    if (++this.#kept > KEPT_MAX) {
      this.#kept = 1;
      this.#outcomes.clear();
    }
    const ofType = remembered(this.#outcomes, type, () => new Map<LazyGuard, Map<string, RowOutcomes>>());
    remembered(ofType, guard, () => new Map<string, RowOutcomes>()).set(key, made);
    return made;
  }
}

const memories = new WeakMap<CompiledEngine, RevisionMemory>();
const attributes = new AttributePool();

/** The known values that a guard reads, if they are short; undefined where its outcomes hang on more. */
function keyOfKnown(reads: readonly Read[], known: PartialRequest): string | undefined {
  let key = '';
  for (const read of reads) {
    const part = partOfKey(read, known);
    if (part === undefined) return undefined;
    key += part;
    if (key.length > KEY_MAX) return undefined;
  }
  return key;
}

function partOfKey(read: Read, known: PartialRequest): string | undefined {
  // The instant is always another, ancestors differ by row, and a whole map has more to it than its value.
  if (read.kind === 'now' || read.kind === 'ancestors') return undefined;
  if (read.kind === 'property' && read.name === undefined) return undefined;
  const { attribute, value } = readValue(read, known, attributes);
  // The rows on which a subject holds a role are its own.
  if (attribute !== undefined) return read.kind === 'role' ? undefined : '?\n';
  if (value === undefined) return '\n';
  const isKnown = Array.isArray(value) ? value.length <= COMPARED_MAX && value.every(isPlain) : isPlain(value);
  return isKnown ? `${JSON.stringify(value)}\n` : undefined;
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= KEY_MAX;
  return value === null || typeof value === 'boolean' || typeof value === 'number';
}

function isShort(outcomes: RowOutcomes): boolean {
  return [outcomes.true, outcomes.false, outcomes.absent, outcomes.failed].every((one) =>
    listsAtMost(one, COMPARED_MAX),
  );
}
