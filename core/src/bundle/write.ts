import { Buffer } from 'node:buffer';
import type { EngineRecord } from '../access/api/engine.js';
import { append } from '../collections/append.js';
import { compareTexts, sortedInSteps } from '../collections/sorted-in-steps.js';
import { eachInSteps, finished } from '../concurrency/time-slicing.js';
import { isDistributed, KINDS, type Kind } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { packArchive, type Sign } from './archive.js';
import { BUNDLE_ENTRIES } from './format.js';
import { type BundleFormat, raised, SLICE_FORMAT } from './record-format.js';
import { recordText } from './record-text.js';
import { TextWriter } from './text-writer.js';
import type { BundleContent, BundleTenant } from './types.js';

/** Records between two steps: they take less than a millisecond. */
const RECORDS_PER_STEP = 128;

/**
 * `bundle.json`: valid JSON, UTF-8, one record per line in the order of kinds and then of addresses, so that equal
 * bundles give equal bytes and a reader can go line by line. Credentials are left out.
 */
export function encodeBundle(bundle: BundleContent): Buffer {
  return Buffer.concat(finished(encodeInSteps(bundle)));
}

/**
 * The archive that agents fetch: a tar.gz with `bundle.json` and, where `sign` is given, its answer as `bundle.jws`
 * beside it. `sign` gets the SHA-256 of the bytes of `bundle.json` in hex. Equal bundles give equal bytes of
 * `bundle.json`. `run` does the steps, which are short, beside other work.
 */
export async function packBundle(
  bundle: BundleContent,
  sign?: Sign,
  run: <T>(steps: Generator<undefined, T>) => Promise<T> = async (steps) => finished(steps),
): Promise<Buffer> {
  return await packArchive(BUNDLE_ENTRIES, await run(encodeInSteps(bundle)), sign);
}

function* encodeInSteps(bundle: BundleContent): Generator<undefined, Buffer[]> {
  const writer = new TextWriter();
  const format = yield* formatOfAll(bundle);
  writer.write(`{"format":${format},"revision":${JSON.stringify(bundle.revision)},`);
  const unreadable = (bundle.unreadable ?? []).map(({ id, name }) => ({ id, name }));
  if (unreadable.length > 0) writer.write(`"unreadable":${JSON.stringify(unreadable)},`);
  writer.write('"tenants":[');
  let separator = '\n';
  for (const tenant of bundle.tenants) {
    writer.write(separator);
    separator = ',\n';
    yield* writeTenant(writer, tenant);
  }
  writer.write('\n]}\n');
  return writer.finish();
}

/** The first format that can say all records. */
function* formatOfAll({ tenants }: BundleContent): Generator<undefined, BundleFormat> {
  let format: BundleFormat = 1;
  for (const { records, slice } of tenants) {
    if (slice !== undefined) format = SLICE_FORMAT;
    yield* eachInSteps(records, RECORDS_PER_STEP, (record) => {
      format = raised(format, record);
    });
  }
  return format;
}

function* writeTenant(
  writer: TextWriter,
  { id, name, revision, digest, slice, records }: BundleTenant,
): Generator<undefined, void> {
  writer.write(`${JSON.stringify({ id, name, revision, digest, slice }).slice(0, -1)},"records":[`);
  const byKind = new Map<Kind, EngineRecord[]>();
  yield* eachInSteps(records, RECORDS_PER_STEP, (record) => {
    if (isDistributed(record)) append(byKind, record.kind, record);
  });
  let separator = '\n';
  for (const kind of KINDS) {
    const ordered = yield* inOrder(byKind.get(kind) ?? []);
    yield* eachInSteps(ordered, RECORDS_PER_STEP, ({ record }) => {
      writer.write(`${separator}${recordText(record)}`);
      separator = ',\n';
    });
  }
  writer.write('\n]}');
}

/** Records in the order of their addresses, by code unit. */
function* inOrder(records: readonly EngineRecord[]) {
  const found: { address: string; record: EngineRecord }[] = [];
  yield* eachInSteps(records, RECORDS_PER_STEP, (record) => {
    found.push({ address: addressOf(record.kind, record.fields), record });
  });
  return yield* sortedInSteps(found, (left, right) => compareTexts(left.address, right.address));
}
