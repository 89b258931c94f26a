import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { EngineRecord, RecordChange } from '../access/api/engine.js';
import { ProblemError } from '../problem.js';
import { kindRank } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { unpackArchive } from './archive.js';
import type { Delta, RevisionRef } from './delta.js';
import { DELTA_ENTRIES } from './format.js';
import { formatFault, isBundleFormat } from './record-format.js';
import { decodeRecord } from './record-text.js';
import { readList } from './slices.js';
import type { BundleArchive, BundleLimits } from './types.js';
import { isRevisionOf, isText, objectOf, short, sliceOf } from './untrusted.js';

/** Changes between two steps: they take about a millisecond. */
const CHANGES_PER_STEP = 128;
const DIGEST = /^[0-9a-f]{64}$/;

/** The contents of a delta's archive; see `unpackArchive`. */
export function unpackDelta(source: Readable | Buffer, limits: BundleLimits): Promise<BundleArchive> {
  return unpackArchive(DELTA_ENTRIES, source, limits);
}

/**
 * Decodes the bytes of `delta.json`, in short steps. Only the number of bytes has been checked before: shapes, order
 * and uniqueness are checked here, the digests where the delta is applied. Throws `invalid_bundle`.
 */
export function* decodeDeltaInSteps(bytes: Buffer): Generator<undefined, Delta> {
  try {
    const raw = readList(bytes, 'changes');
    const head = objectOf(raw.head, 'The delta');
    if (!isBundleFormat(head.format)) throw invalid(`The delta ${formatFault(short(head.format))}`);
    const { id, name } = objectOf(head.tenant, 'The tenant of the delta');
    if (!isText(id) || !isText(name)) throw invalid('The tenant of the delta has no id or no name.');
    const base = revisionRefOf(objectOf(head.base, 'The base of the delta'), 'The base of the delta');
    const result = revisionRefOf(head, 'The delta');
    const slice = sliceOf(head.slice, 'The delta');
    return {
      tenant: { id, name },
      base,
      ...result,
      ...(slice && { slice }),
      changes: yield* decodeChanges(raw.slices),
    };
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw invalid('The delta is not in the expected format: it is incomplete or damaged.', error);
    }
    throw error;
  }
}

function revisionRefOf({ revision, digest }: Record<string, unknown>, what: string): RevisionRef {
  if (!isText(digest) || !DIGEST.test(digest)) throw invalid(`${what} has no digest: ${short(digest)}.`);
  if (!isRevisionOf(revision, digest))
    throw invalid(`${what} has the revision ${short(revision)}, which does not belong to the digest ${digest}.`);
  return { revision, digest };
}

function* decodeChanges(slices: Iterable<unknown[]>): Generator<undefined, RecordChange[]> {
  const changes: RecordChange[] = [];
  let lastRank = -1;
  let lastAddress = '';
  for (const slice of slices) {
    for (const item of slice) {
      const index = changes.length;
      const { before, after, ...others } = objectOf(item, `Change ${index}`);
      const sides = {
        ...(before === undefined ? {} : { before: decodeRecord(before, () => `What was before change ${index}`) }),
        ...(after === undefined ? {} : { after: decodeRecord(after, () => `What is after change ${index}`) }),
      };
      const one = sides.before ?? sides.after;
      if (one === undefined || Object.keys(others).length > 0) {
        throw invalid(`Change ${index} must have "before", "after" or both, and nothing else.`);
      }
      const address = addressOf(one.kind, one.fields);
      if (sides.after !== undefined && addressIn(sides.after) !== address) {
        throw invalid(
          `Change ${index} leads from ${short(address)} to another address, ${short(addressIn(sides.after))}.`,
        );
      }
      const rank = kindRank(one.kind);
      if (rank < lastRank || (rank === lastRank && address <= lastAddress)) {
        throw invalid(`The change of ${short(address)} is repeated or out of order.`);
      }
      lastRank = rank;
      lastAddress = address;
      changes.push(sides);
      if (changes.length % CHANGES_PER_STEP === 0) yield;
    }
  }
  return changes;
}

function addressIn({ kind, fields }: EngineRecord): string {
  return addressOf(kind, fields);
}

function invalid(detail: string, cause?: unknown): ProblemError {
  return new ProblemError('invalid_bundle', detail, [], { cause });
}
