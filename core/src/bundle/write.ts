import { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { EngineRecord } from '../access/api/engine.js';
import { isDistributed, KINDS, type Kind, mayBeDistributed } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { packArchive, type Sign } from './archive.js';
import { BUNDLE_ENTRIES } from './format.js';
import { type BundleFormat, raised } from './record-format.js';
import { recordText } from './record-text.js';
import { TextWriter } from './text-writer.js';
import type { BundleContent, BundleTenant } from './types.js';

/** Records between two steps: they take a few milliseconds. */
const RECORDS_PER_STEP = 1024;

/**
 * `bundle.json`: valid JSON, UTF-8, one record per line in the order of kinds and then of addresses, so that equal
 * bundles give equal bytes and a reader can go line by line. Credentials are left out.
 */
export function encodeBundle(bundle: BundleContent): Buffer {
  const steps = encodeInSteps(bundle);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return Buffer.concat(step.value);
}

/**
 * The archive that agents fetch: a tar.gz with `bundle.json` and, where `sign` is given, its answer as `bundle.jws`
 * beside it. `sign` gets the SHA-256 of the bytes of `bundle.json` in hex. Equal bundles give equal bytes of
 * `bundle.json`. Other work goes on in between.
 */
export async function packBundle(bundle: BundleContent, sign?: Sign): Promise<Buffer> {
  const steps = encodeInSteps(bundle);
  let step = steps.next();
  while (!step.done) {
    await setImmediate();
    step = steps.next();
  }
  return await packArchive(BUNDLE_ENTRIES, step.value, sign);
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
  let looked = 0;
  for (const { records } of tenants) {
    for (const record of records) {
      format = raised(format, record);
      if (++looked % RECORDS_PER_STEP === 0) yield;
    }
  }
  return format;
}

function* writeTenant(
  writer: TextWriter,
  { id, name, revision, digest, records }: BundleTenant,
): Generator<undefined, void> {
  writer.write(`${JSON.stringify({ id, name, revision, digest }).slice(0, -1)},"records":[`);
  let separator = '\n';
  let written = 0;
  for (const kind of KINDS) {
    if (!mayBeDistributed(kind)) continue;
    for (const record of inOrder(kind, records)) {
      writer.write(`${separator}${recordText(record)}`);
      separator = ',\n';
      written += 1;
      if (written % RECORDS_PER_STEP === 0) yield;
    }
    yield;
  }
  writer.write('\n]}');
}

/** The records of a kind in the order of their addresses, by code unit. */
function inOrder(kind: Kind, records: readonly EngineRecord[]): EngineRecord[] {
  const found: EngineRecord[] = [];
  const addresses: string[] = [];
  let sorted = true;
  for (const record of records) {
    if (record.kind !== kind || !isDistributed(record)) continue;
    const address = addressOf(kind, record.fields);
    sorted &&= addresses.length === 0 || address > (addresses.at(-1) ?? '');
    addresses.push(address);
    found.push(record);
  }
  if (sorted) return found;
  const byAddress = new Map(addresses.map((address, index) => [address, found[index]]));
  return addresses.sort().flatMap((address) => byAddress.get(address) ?? []);
}
