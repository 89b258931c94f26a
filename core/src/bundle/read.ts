import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { EngineRecord } from '../decision/types.js';
import { ProblemError } from '../problem.js';
import { isCredential, isKind, KINDS, kindRank } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { DigestSet } from '../state/digest-set.js';
import { revisionText } from '../state/revision.js';
import { bundleRevision } from './digest.js';
import { hasShape } from './shape.js';
import { type RawTenant, readSlices } from './slices.js';
import { TarReader } from './tar-reader.js';
import type { Bundle, BundleArchive, BundleLimits, BundleTenant } from './types.js';

const REVISION = /^(0|[1-9]\d{0,14})\.[0-9a-f]{16}$/;
const GUNZIP_CHUNK_BYTES = 128 * 1024;

/** Records between two steps: they take about a millisecond. */
const RECORDS_PER_STEP = 256;

/**
 * What a bundle's archive holds. It stops at the first byte over a limit and never holds more than the entries
 * themselves. Throws `invalid_bundle` on anything but one whole archive with those entries; errors of the source pass
 * through.
 */
export async function unpackBundle(source: Readable | Buffer, limits: BundleLimits): Promise<BundleArchive> {
  const input = Buffer.isBuffer(source) ? Readable.from([source]) : source;
  const tar = new TarReader(limits.unpacked);
  let sourceError: unknown;
  input.once('error', (error) => {
    sourceError = error;
  });
  let compressed = 0;
  const gunzip = createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES });
  try {
    await pipeline(
      input,
      async function* count(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          compressed += chunk.length;
          if (compressed > limits.compressed) {
            throw invalid(`The archive is larger than ${limits.compressed} bytes, the most that is read.`);
          }
          yield chunk;
        }
      },
      gunzip,
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) tar.push(chunk);
      },
    );
  } catch (error) {
    if (error instanceof ProblemError || (sourceError !== undefined && error === sourceError)) throw error;
    throw invalid('The archive is no whole gzip file: it was cut off or damaged, or goes on after its end.', error);
  }
  if (gunzip.bytesWritten !== compressed) throw invalid('The archive goes on after its end.');
  return tar.finish();
}

/**
 * The bundle that these bytes of `bundle.json` say. Nothing is trusted: shapes, order, uniqueness, and that digest and
 * revision are those of the records. Throws `invalid_bundle` naming what is wrong.
 */
export function decodeBundle(bytes: Buffer): Bundle {
  const steps = decodeBundleInSteps(bytes);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Does what `decodeBundle` does, in short steps, so that a caller can do other work between them. */
export function* decodeBundleInSteps(bytes: Buffer): Generator<undefined, Bundle> {
  try {
    const raw = readSlices(bytes);
    const head = objectOf(raw.head, 'The bundle');
    if (head.format !== 1) {
      throw invalid(
        `The bundle has format ${short(head.format)}; this program reads format 1: update the older of the two.`,
      );
    }
    const tenants: BundleTenant[] = [];
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

function* decodeTenant({ head, slices }: RawTenant): Generator<undefined, BundleTenant> {
  const { id, name, revision, digest } = objectOf(head, 'A tenant');
  if (!isText(id) || !isText(name)) throw invalid('A tenant of the bundle has no id or no name.');
  const records: EngineRecord[] = [];
  const digests = new DigestSet();
  let lastRank = -1;
  let lastAddress = '';
  for (const slice of slices) {
    if (!Array.isArray(slice)) throw invalid(`The tenant ${short(name)} has no list of records.`);
    for (const item of slice) {
      const record = decodeRecord(item, name, records.length);
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
  if (
    !isText(revision) ||
    !REVISION.test(revision) ||
    revision !== revisionText(Number.parseInt(revision, 10), actual)
  ) {
    throw invalid(`The revision ${short(revision)} of the tenant ${short(name)} does not fit its digest ${actual}.`);
  }
  return { id, name, revision, digest: actual, records };
}

function decodeRecord(item: unknown, tenant: string, index: number): EngineRecord {
  const { kind, id, fields } = (item ?? {}) as { kind?: unknown; id?: unknown; fields?: unknown };
  const where = `Record ${index} of the tenant ${short(tenant)}`;
  if (!isText(kind) || !isKind(kind)) throw invalid(`${where} is of the unknown kind ${short(kind)}.`);
  if (isCredential(kind)) throw invalid(`${where} is a credential (${kind}), which no bundle may hold.`);
  if (!isText(id)) throw invalid(`${where} has no id.`);
  if (!hasShape[kind](fields))
    throw invalid(`${where}, a ${kind}, has fields that are missing, unknown or of a wrong type.`);
  // The constant in place of the parsed copy saves a string per record.
  return { kind: KINDS[kindRank(kind)], id, fields } as EngineRecord;
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw invalid(`${what} is not a JSON object.`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function invalid(detail: string, cause?: unknown): ProblemError {
  return new ProblemError('invalid_bundle', detail, [], { cause });
}
