import { EngineBuilder } from './builder.js';
import type { CompiledEngine } from './compiled-engine.js';
import type { EngineRecord } from './types.js';

/** Compiles a tenant's records at once; `EngineBuilder` does it in slices. */
export function compileEngine(records: Iterable<EngineRecord>): CompiledEngine {
  const builder = new EngineBuilder();
  for (const record of records) builder.add(record);
  return builder.finish();
}
