import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { EngineRecord } from '../decision/types.js';
import { ProblemError } from '../problem.js';
import { kindRank } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { DigestSet } from '../state/digest-set.js';
import { unpackArchive } from './archive.js';
import { bundleRevision } from './digest.js';
import { BUNDLE_ENTRIES } from './format.js';
import { decodeRecord } from './record-text.js';
import { type RawTenant, readSlices } from './slices.js';
import type { Bundle, BundleArchive, BundleLimits, BundleTenant } from './types.js';
import { isRevisionOf, isText, objectOf, short } from './untrusted.js';

/** Records between two steps: they take about a millisecond. */
const RECORDS_PER_STEP = 256;

/** A bundle that was found to be what it says. */
export interface DecodedBundle extends Bundle {
  tenants: DecodedTenant[];
}

export interface DecodedTenant extends BundleTenant {
  /** The set whose digest was compared. */
  digests: DigestSet;
}

/** What a bundle's archive holds; see `unpackArchive`. */
export function unpackBundle(source: Readable | Buffer, limits: BundleLimits): Promise<BundleArchive> {
  return unpackArchive(BUNDLE_ENTRIES, source, limits);
}

/**
 * The bundle that these bytes of `bundle.json` say. Nothing is trusted: shapes, order, uniqueness, and that digest and
 * revision are those of the records. Throws `invalid_bundle` naming what is wrong.
 */
export function decodeBundle(bytes: Buffer): DecodedBundle {
  const steps = decodeBundleInSteps(bytes);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Does what `decodeBundle` does, in short steps, so that a caller can do other work between them. */
export function* decodeBundleInSteps(bytes: Buffer): Generator<undefined, DecodedBundle> {
  try {
    const raw = readSlices(bytes);
    const head = objectOf(raw.head, 'The bundle');
    if (head.format !== 1) {
      throw invalid(
        `The bundle has format ${short(head.format)}; this program reads format 1: update the older of the two.`,
      );
    }
    const tenants: DecodedTenant[] = [];
    for (const tenant of raw.tenants) {
      const decoded = yield* decodeTenant(tenant);
      if (tenants.some((other) => other.id === decoded.id || other.name === decoded.name)) {
        throw invalid(`The bundle holds the tenant ${short(decoded.name)} twice.`);
      }
      tenants.push(decoded);
    }
    if (!Array.isArray(head.tenants)) throw invalid('The bundle has no list of tenants.');
    const revision = bundleRevision(tenants);
    if (head.revision !== revision) {
      throw invalid(`The bundle calls itself revision ${short(head.revision)}, but its tenants make ${revision}.`);
    }
    return { format: 1, revision, tenants };
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw invalid('The bundle is not valid JSON: it was cut off or damaged.', error);
    }
    throw error;
  }
}

function* decodeTenant({ head, slices }: RawTenant): Generator<undefined, DecodedTenant> {
  const { id, name, revision, digest } = objectOf(head, 'A tenant');
  if (!isText(id) || !isText(name)) throw invalid('A tenant of the bundle has no id or no name.');
  const records: EngineRecord[] = [];
  const digests = new DigestSet();
  let lastRank = -1;
  let lastAddress = '';
  for (const slice of slices) {
    if (!Array.isArray(slice)) throw invalid(`The tenant ${short(name)} has no list of records.`);
    for (const item of slice) {
      const index = records.length;
      const record = decodeRecord(item, () => `Record ${index} of the tenant ${short(name)}`);
      const address = addressOf(record.kind, record.fields);
      const rank = kindRank(record.kind);
      if (rank < lastRank || (rank === lastRank && address <= lastAddress)) {
        throw invalid(`The record ${short(address)} of the tenant ${short(name)} stands twice or out of order.`);
      }
      lastRank = rank;
      lastAddress = address;
      digests.add(address, record.fields);
      records.push(record);
      if (records.length % RECORDS_PER_STEP === 0) yield;
    }
  }
  const actual = yield* digests.hexInSteps();
  if (digest !== actual) {
    throw invalid(`The records of the tenant ${short(name)} have the digest ${actual}, not ${short(digest)}.`);
  }
  if (!isRevisionOf(revision, actual)) {
    throw invalid(`The revision ${short(revision)} of the tenant ${short(name)} does not fit its digest ${actual}.`);
  }
  return { id, name, revision, digest: actual, records, digests };
}

function invalid(detail: string, cause?: unknown): ProblemError {
  return new ProblemError('invalid_bundle', detail, [], { cause });
}
