import type { EngineRecord } from '../access/api/engine.js';
import { canonicalJson } from '../json/json.js';
import { ProblemError } from '../problem.js';
import { distributedFields, isKind, KINDS, kindRank, mayBeDistributed } from '../records/kinds.js';
import { hasShape } from './shape.js';
import { isText, short } from './untrusted.js';

/** One record in the format of bundles and deltas: on one line, equal records with equal bytes. */
export function recordText({ kind, id, fields }: EngineRecord): string {
  return `{"kind":"${kind}","id":${JSON.stringify(id)},"fields":${canonicalJson(distributedFields(kind, fields))}}`;
}

/** The record in a parsed text. `where` begins the sentence of a refusal. Throws `invalid_bundle`. */
export function decodeRecord(item: unknown, where: () => string): EngineRecord {
  const { kind, id, fields } = (item ?? {}) as { kind?: unknown; id?: unknown; fields?: unknown };
  if (!isText(kind) || !isKind(kind)) throw invalid(`${where()} is of the unknown kind ${short(kind)}.`);
  if (!mayBeDistributed(kind)) throw invalid(`${where()} is of the kind ${kind}, which no bundle may contain.`);
  if (!isText(id)) throw invalid(`${where()} has no id.`);
  if (!hasShape[kind](fields)) {
    throw invalid(`${where()}, a ${kind}, has fields that are missing, unknown or of a wrong type.`);
  }
  // Using the constant instead of the parsed copy saves a string per record.
  return { kind: KINDS[kindRank(kind)], id, fields } as EngineRecord;
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', detail);
}
