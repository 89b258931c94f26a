import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { EngineRecord } from '../access/api/engine.js';
import { ProblemError } from '../problem.js';
import { kindRank } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { DigestSet } from '../state/digest-set.js';
import { unpackArchive, unpackArchiveTo } from './archive.js';
import { bundleRevision } from './digest.js';
import { BUNDLE_ENTRIES } from './format.js';
import { formatFault, isBundleFormat } from './record-format.js';
import { decodeRecord } from './record-text.js';
import { type RawTenant, readSlices } from './slices.js';
import type { Bundle, BundleArchive, BundleLimits, BundleTenant, ByteSink, ByteSource, TenantName } from './types.js';
import { isRevisionOf, isText, objectOf, short, sliceOf } from './untrusted.js';

/** Records between two steps: they take a quarter of a millisecond. */
const RECORDS_PER_STEP = 64;

/** Takes the records of one tenant in order as they are read, and builds something from them. */
export interface RecordSink<T> {
  add(record: EngineRecord): void;
  finish(): T;
}

/** The tenant as the bundle names it, before its records have been checked. */
export type TenantHead = Pick<BundleTenant, 'id' | 'name' | 'slice'> & { revision: unknown };

/** A bundle that has been checked. */
export interface DecodedBundle<T> extends Omit<Bundle, 'tenants'> {
  tenants: DecodedTenant<T>[];
}

export interface DecodedTenant<T> extends Omit<BundleTenant, 'records'> {
  /** The value that was built from the records. */
  made: T;
  /** The set whose digest was compared. */
  digests: DigestSet;
}

/** The contents of a bundle's archive, in memory; see `unpackArchiveTo`. */
export function unpackBundle(source: Readable | Buffer, limits: BundleLimits): Promise<BundleArchive> {
  return unpackArchive(BUNDLE_ENTRIES, source, limits);
}

/** Passes on the bytes of `bundle.json`, and returns the signature; see `unpackArchiveTo`. */
export function unpackBundleTo(source: Readable, limits: BundleLimits, sink: ByteSink): Promise<string | undefined> {
  return unpackArchiveTo(BUNDLE_ENTRIES, source, limits, sink);
}

/** Decodes the bytes of `bundle.json`, whole in memory; see `decodeBundleInSteps`. */
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
 * Decodes the bytes of `bundle.json` in short steps, so that a caller can do other work between them, and without
 * keeping records: each goes to the sink that `sinkFor` returns for its tenant. Everything is checked: shapes, order,
 * uniqueness, and that digest and revision belong to the records, which is known only after the last of them. Throws
 * `invalid_bundle` naming what is wrong; then everything that sinks have taken must be discarded.
 */
export function* decodeBundleInSteps<T>(
  bytes: ByteSource,
  sinkFor: (tenant: TenantHead) => RecordSink<T>,
): Generator<undefined, DecodedBundle<T>> {
  try {
    const raw = readSlices(bytes);
    const head = objectOf(raw.head, 'The bundle');
    const { format } = head;
    if (!isBundleFormat(format)) throw invalid(`The bundle ${formatFault(short(format))}`);
    const unreadable = decodeUnreadable(head.unreadable);
    const tenants: DecodedTenant<T>[] = [];
    for (const tenant of raw.tenants) {
      const decoded = yield* decodeTenant(tenant, sinkFor);
      if ([...tenants, ...unreadable].some((other) => other.id === decoded.id || other.name === decoded.name)) {
        throw invalid(`The bundle contains the tenant ${short(decoded.name)} twice.`);
      }
      tenants.push(decoded);
    }
    if (!Array.isArray(head.tenants)) throw invalid('The bundle has no list of tenants.');
    const revision = bundleRevision(tenants, unreadable);
    if (head.revision !== revision) {
      throw invalid(`The bundle states revision ${short(head.revision)}, but its tenants give ${revision}.`);
    }
    return { format, revision, unreadable, tenants };
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw invalid('The bundle is not valid JSON: it is incomplete or damaged.', error);
    }
    throw error;
  }
}

function decodeUnreadable(named: unknown = []): TenantName[] {
  if (!Array.isArray(named)) throw invalid('The bundle has no list of the tenants that cannot be read.');
  return named.map((one) => {
    const { id, name } = objectOf(one, 'A tenant that cannot be read');
    if (!isText(id) || !isText(name)) throw invalid('A tenant that cannot be read has no id or no name.');
    return { id, name };
  });
}

function* decodeTenant<T>(
  { head, slices }: RawTenant,
  sinkFor: (tenant: TenantHead) => RecordSink<T>,
): Generator<undefined, DecodedTenant<T>> {
  const { id, name, revision, digest, slice: stated } = objectOf(head, 'A tenant');
  if (!isText(id) || !isText(name)) throw invalid('A tenant of the bundle has no id or no name.');
  const slice = sliceOf(stated, `The tenant ${short(name)}`);
  const sink = sinkFor({ id, name, revision, slice });
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
        throw invalid(`The record ${short(address)} of the tenant ${short(name)} is repeated or out of order.`);
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
  return { id, name, revision, digest: actual, ...(slice && { slice }), made: sink.finish(), digests };
}

function invalid(detail: string, cause?: unknown): ProblemError {
  return new ProblemError('invalid_bundle', detail, [], { cause });
}
