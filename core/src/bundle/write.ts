import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { Header } from 'tar/header';
import type { EngineRecord } from '../decision/types.js';
import { canonicalJson } from '../json.js';
import { isCredential, KINDS, type Kind } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { BUNDLE_ENTRY, TAR_BLOCK } from './format.js';
import { TextWriter } from './text-writer.js';
import type { Bundle, BundleTenant } from './types.js';

/** Records between two steps: they take a few milliseconds. */
const RECORDS_PER_STEP = 1024;

/**
 * `bundle.json`: valid JSON, UTF-8, one record per line in the order of kinds and then of addresses, so that equal
 * bundles give equal bytes and a reader can go line by line. Credentials are left out.
 */
export function encodeBundle(bundle: Bundle): Buffer {
  const steps = encodeInSteps(bundle);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return Buffer.concat(step.value);
}

/**
 * The archive that agents fetch: a tar.gz with `bundle.json` alone. Equal bundles give equal bytes. Other work goes on
 * in between.
 */
export async function packBundle(bundle: Bundle): Promise<Buffer> {
  const steps = encodeInSteps(bundle);
  let step = steps.next();
  while (!step.done) {
    await setImmediate();
    step = steps.next();
  }
  const chunks = step.value;
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const header = Buffer.alloc(TAR_BLOCK);
  new Header({
    path: BUNDLE_ENTRY,
    type: 'File',
    mode: 0o644,
    uid: 0,
    gid: 0,
    size,
    mtime: new Date(0),
  }).encode(header);
  // The body is filled up to whole blocks, and two empty blocks end the archive (POSIX.1-1988 ustar).
  const padding = Buffer.alloc(((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK) + 2 * TAR_BLOCK);
  return buffer(Readable.from([header, ...chunks, padding]).pipe(createGzip()));
}

function* encodeInSteps(bundle: Bundle): Generator<undefined, Buffer[]> {
  const writer = new TextWriter();
  writer.write(`{"format":${bundle.format},"revision":${JSON.stringify(bundle.revision)},"tenants":[`);
  let separator = '\n';
  for (const tenant of bundle.tenants) {
    writer.write(separator);
    separator = ',\n';
    yield* writeTenant(writer, tenant);
  }
  writer.write('\n]}\n');
  return writer.finish();
}

function* writeTenant(
  writer: TextWriter,
  { id, name, revision, digest, records }: BundleTenant,
): Generator<undefined, void> {
  writer.write(`${JSON.stringify({ id, name, revision, digest }).slice(0, -1)},"records":[`);
  let separator = '\n';
  let written = 0;
  for (const kind of KINDS) {
    if (isCredential(kind)) continue;
    for (const record of inOrder(kind, records)) {
      const fields = canonicalJson(record.fields);
      writer.write(`${separator}{"kind":"${kind}","id":${JSON.stringify(record.id)},"fields":${fields}}`);
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
    if (record.kind !== kind) continue;
    const address = addressOf(kind, record.fields);
    sorted &&= addresses.length === 0 || address > (addresses.at(-1) ?? '');
    addresses.push(address);
    found.push(record);
  }
  if (sorted) return found;
  const byAddress = new Map(addresses.map((address, index) => [address, found[index]]));
  return addresses.sort().flatMap((address) => byAddress.get(address) ?? []);
}
