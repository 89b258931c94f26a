import type { EngineRecord } from '../access/api/engine.js';
import { ProblemError } from '../problem.js';
import { addressOf } from '../records/registry.js';
import type { DigestSet } from '../state/digest-set.js';
import type { Delta } from './delta.js';

/** Records between two steps: they take less than a millisecond. */
const RECORDS_PER_STEP = 128;

/**
 * Changes the set of leaves from the base of a delta to its result. Throws `invalid_bundle` and leaves the set
 * unchanged, if the delta removes something that is not there or does not lead to the digest that it states.
 */
export function* moveDigests(digests: DigestSet, delta: Delta): Generator<undefined, void> {
  const gone = delta.changes.flatMap(({ before }) => before ?? []);
  const come = delta.changes.flatMap(({ after }) => after ?? []);
  const undo: (() => void)[] = [];
  try {
    for (const record of gone) {
      const address = addressIn(record);
      digests.remove(address, record.fields);
      undo.push(() => digests.add(address, record.fields));
      if (undo.length % RECORDS_PER_STEP === 0) yield;
    }
    for (const record of come) {
      const address = addressIn(record);
      digests.add(address, record.fields);
      undo.push(() => digests.remove(address, record.fields));
      if (undo.length % RECORDS_PER_STEP === 0) yield;
    }
    const actual = yield* digests.hexInSteps();
    if (actual !== delta.digest) throw new Error(`The records then have the digest ${actual}, not ${delta.digest}`);
  } catch (error) {
    for (const step of undo.reverse()) step();
    const { message } = error as Error;
    throw new ProblemError(
      'invalid_bundle',
      `The delta does not fit revision ${delta.base.revision}. ${message}.`,
      [],
      {
        cause: error,
      },
    );
  }
}

function addressIn({ kind, fields }: EngineRecord): string {
  return addressOf(kind, fields);
}
