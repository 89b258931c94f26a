import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { Header } from 'tar/header';
import type { EngineRecord } from '../decision/types.js';
import { canonicalJson } from '../json.js';
import { isCredential, KINDS, type Kind } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { BUNDLE_ENTRY, SIGNATURE_ENTRY, TAR_BLOCK } from './format.js';
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
 * The archive that agents fetch: a tar.gz with `bundle.json` and, where `sign` is given, its answer as `bundle.jws`
 * beside it. `sign` gets the SHA-256 of the bytes of `bundle.json` in hex. Equal bundles give equal bytes of
 * `bundle.json`. Other work goes on in between.
 */
export async function packBundle(bundle: Bundle, sign?: (sha256: string) => Promise<string>): Promise<Buffer> {
  const steps = encodeInSteps(bundle);
  let step = steps.next();
  while (!step.done) {
    await setImmediate();
    step = steps.next();
  }
  const chunks = step.value;
  const parts = entryOf(BUNDLE_ENTRY, chunks);
  if (sign !== undefined) {
    const hash = createHash('sha256');
    for (const chunk of chunks) {
      hash.update(chunk);
      await setImmediate();
    }
    parts.push(...entryOf(SIGNATURE_ENTRY, [Buffer.from(await sign(hash.digest('hex')))]));
  }
  // Two empty blocks end the archive (POSIX.1-1988 ustar).
  parts.push(Buffer.alloc(2 * TAR_BLOCK));
  return buffer(Readable.from(parts).pipe(createGzip()));
}

/** A header, the body, and what fills it up to whole blocks. */
function entryOf(path: string, chunks: readonly Buffer[]): Buffer[] {
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const header = Buffer.alloc(TAR_BLOCK);
  new Header({ path, type: 'File', mode: 0o644, uid: 0, gid: 0, size, mtime: new Date(0) }).encode(header);
  return [header, ...chunks, Buffer.alloc((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK)];
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
