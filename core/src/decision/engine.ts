import { EngineBuilder } from './builder.js';
import type { Engine, EngineRecord } from './types.js';

/** Compiles a tenant's records at once; `EngineBuilder` does it in slices. */
export function compileEngine(records: Iterable<EngineRecord>): Engine {
  const builder = new EngineBuilder();
  for (const record of records) builder.add(record);
  return builder.finish();
}
