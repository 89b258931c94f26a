import { prepareConditions } from '../../conditions/evaluate/prepare-conditions.js';
import type { Path } from '../../records/address.js';
import type { EngineRecord } from '../api/engine.js';
import { RecordCompiler } from '../compile/record-compiler.js';
import { CompiledEngine } from './compiled-engine.js';

/**
 * Compiles records one by one, in any order, so that a caller can do it in slices beside other work. Each record takes
 * the same short time; `finish` takes none. Records must be valid together (`state/validate.ts`); credentials are
 * passed over.
 */
export class EngineBuilder {
  readonly #compiler: RecordCompiler;

  /** `applications`: the paths of those that a slice of the tenant is for; absent for the whole tenant. */
  constructor(applications?: ReadonlySet<Path>) {
    this.#compiler = new RecordCompiler(applications);
    prepareConditions();
  }

  add(record: EngineRecord): void {
    this.#compiler.add(record);
  }

  finish(): CompiledEngine {
    return new CompiledEngine(this.#compiler);
  }
}
