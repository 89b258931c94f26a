import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { EngineRecord } from '../decision/api/engine.js';
import { ProblemError } from '../problem.js';
import { kindRank } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { DigestSet } from '../state/digest-set.js';
import { unpackArchive, unpackArchiveTo } from './archive.js';
import { bundleRevision } from './digest.js';
import { BUNDLE_ENTRIES } from './format.js';
import { decodeRecord } from './record-text.js';
import { type RawTenant, readSlices } from './slices.js';
import type { Bundle, BundleArchive, BundleLimits, BundleTenant, ByteSink, ByteSource } from './types.js';
import { isRevisionOf, isText, objectOf, short } from './untrusted.js';

/** Records between two steps: they take a quarter of a millisecond. */
const RECORDS_PER_STEP = 64;

/** Takes in the records of one tenant as they are read, in their order, and makes something of them. */
export interface RecordSink<T> {
  add(record: EngineRecord): void;
  finish(): T;
}

/** Who a tenant says it is, before its records have been seen. */
export type TenantHead = Pick<BundleTenant, 'id' | 'name'> & { revision: unknown };

/** A bundle that was found to be what it says. */
export interface DecodedBundle<T> extends Omit<Bundle, 'tenants'> {
  tenants: DecodedTenant<T>[];
}

export interface DecodedTenant<T> extends Omit<BundleTenant, 'records'> {
  /** What was made of the records. */
  made: T;
  /** The set whose digest was compared. */
  digests: DigestSet;
}

/** The contents of a bundle's archive, in memory; see `unpackArchiveTo`. */
export function unpackBundle(source: Readable | Buffer, limits: BundleLimits): Promise<BundleArchive> {
  return unpackArchive(BUNDLE_ENTRIES, source, limits);
}

/** Hands on the bytes of `bundle.json`, and gives the signature; see `unpackArchiveTo`. */
export function unpackBundleTo(source: Readable, limits: BundleLimits, sink: ByteSink): Promise<string | undefined> {
  return unpackArchiveTo(BUNDLE_ENTRIES, source, limits, sink);
}

/** The bundle that these bytes of `bundle.json` say, whole in memory; see `decodeBundleInSteps`. */
export function decodeBundle(bytes: Buffer): Bundle {
  const steps = decodeBundleInSteps(bytes, () => {
    const records: EngineRecord[] = [];
    return { add: (record) => records.push(record), finish: () => records };
  });
  let step = steps.next();
  while (!step.done) step = steps.next();
  const { tenants, ...bundle } = step.value;
  return { ...bundle, tenants: tenants.map(({ made, digests: _, ...tenant }) => ({ ...tenant, records: made })) };
}

/**
 * Reads the bytes of `bundle.json`, in short steps, so that a caller can do other work between them, and without keeping
 * records: each goes to the sink that `sinkFor` gives for its tenant. Nothing is trusted: shapes, order, uniqueness, and
 * that digest and revision are those of the records, which shows only after the last of them. Throws `invalid_bundle`
 * naming what is wrong; whatever sinks have taken in by then is worth nothing.
 */
export function* decodeBundleInSteps<T>(
  bytes: ByteSource,
  sinkFor: (tenant: TenantHead) => RecordSink<T>,
): Generator<undefined, DecodedBundle<T>> {
  try {
    const raw = readSlices(bytes);
    const head = objectOf(raw.head, 'The bundle');
    if (head.format !== 1) {
      throw invalid(
        `The bundle has format ${short(head.format)}; this program reads format 1: update the older of the two.`,
      );
    }
    const tenants: DecodedTenant<T>[] = [];
    for (const tenant of raw.tenants) {
      const decoded = yield* decodeTenant(tenant, sinkFor);
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

function* decodeTenant<T>(
  { head, slices }: RawTenant,
  sinkFor: (tenant: TenantHead) => RecordSink<T>,
): Generator<undefined, DecodedTenant<T>> {
  const { id, name, revision, digest } = objectOf(head, 'A tenant');
  if (!isText(id) || !isText(name)) throw invalid('A tenant of the bundle has no id or no name.');
  const sink = sinkFor({ id, name, revision });
  const digests = new DigestSet();
  let count = 0;
  let lastRank = -1;
  let lastAddress = '';
  for (const slice of slices) {
    if (!Array.isArray(slice)) throw invalid(`The tenant ${short(name)} has no list of records.`);
    for (const item of slice) {
      const index = count;
      const record = decodeRecord(item, () => `Record ${index} of the tenant ${short(name)}`);
      const address = addressOf(record.kind, record.fields);
      const rank = kindRank(record.kind);
      if (rank < lastRank || (rank === lastRank && address <= lastAddress)) {
        throw invalid(`The record ${short(address)} of the tenant ${short(name)} stands twice or out of order.`);
      }
      lastRank = rank;
      lastAddress = address;
      digests.add(address, record.fields);
      sink.add(record);
      count++;
      if (count % RECORDS_PER_STEP === 0) yield;
    }
  }
  const actual = yield* digests.hexInSteps();
  if (digest !== actual) {
    throw invalid(`The records of the tenant ${short(name)} have the digest ${actual}, not ${short(digest)}.`);
  }
  if (!isRevisionOf(revision, actual)) {
    throw invalid(`The revision ${short(revision)} of the tenant ${short(name)} does not fit its digest ${actual}.`);
  }
  return { id, name, revision, digest: actual, made: sink.finish(), digests };
}

function invalid(detail: string, cause?: unknown): ProblemError {
  return new ProblemError('invalid_bundle', detail, [], { cause });
}
