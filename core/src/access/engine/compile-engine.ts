import type { Path } from '../../records/address.js';
import type { EngineRecord } from '../api/engine.js';
import type { CompiledEngine } from './compiled-engine.js';
import { EngineBuilder } from './engine-builder.js';

const RECORDS_PER_STEP = 256;

/** Compiles the records of a tenant at once, or those of a slice for some applications. */
export function compileEngine(records: Iterable<EngineRecord>, applications?: ReadonlySet<Path>): CompiledEngine {
  const builder = new EngineBuilder(applications);
  for (const record of records) builder.add(record);
  return builder.finish();
}

/** The same in short steps, for sliced work. */
export function* compileInSteps(records: Iterable<EngineRecord>): Generator<undefined, CompiledEngine> {
  const builder = new EngineBuilder();
  let added = 0;
  for (const record of records) {
    builder.add(record);
    added++;
    if (added % RECORDS_PER_STEP === 0) yield;
  }
  return builder.finish();
}
