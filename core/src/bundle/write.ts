import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { Header } from 'tar/header';
import type { EngineRecord } from '../decision/types.js';
import { canonicalJson } from '../json.js';
import { isCredential, KINDS } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { BUNDLE_ENTRY, TAR_BLOCK } from './format.js';
import type { Bundle, BundleTenant } from './types.js';

const gzip = promisify(gzipCallback);

/** Lines are joined up to this many characters before they become bytes. */
const CHUNK_CHARACTERS = 1 << 20;

/**
 * `bundle.json`: valid JSON, UTF-8, one record per line in the order of kinds and then of addresses, so that equal
 * bundles give equal bytes and a reader can go line by line. Credentials are left out.
 */
export function encodeBundle(bundle: Bundle): Buffer {
  const chunks: Buffer[] = [];
  let text = '';
  for (const line of bundleLines(bundle)) {
    text += line;
    if (text.length >= CHUNK_CHARACTERS) {
      chunks.push(Buffer.from(text));
      text = '';
    }
  }
  chunks.push(Buffer.from(text));
  return Buffer.concat(chunks);
}

/** The archive that agents fetch: a tar.gz with `bundle.json` alone. Equal bundles give equal bytes. */
export async function packBundle(bundle: Bundle): Promise<Buffer> {
  const json = encodeBundle(bundle);
  const header = new Header({
    path: BUNDLE_ENTRY,
    type: 'File',
    mode: 0o644,
    uid: 0,
    gid: 0,
    size: json.length,
    mtime: new Date(0),
  });
  const block = Buffer.alloc(TAR_BLOCK);
  header.encode(block);
  // The body is filled up to whole blocks, and two empty blocks end the archive (POSIX.1-1988 ustar).
  const padding = Buffer.alloc(((TAR_BLOCK - (json.length % TAR_BLOCK)) % TAR_BLOCK) + 2 * TAR_BLOCK);
  return gzip(Buffer.concat([block, json, padding]));
}

function* bundleLines(bundle: Bundle): Generator<string> {
  yield `{"format":${bundle.format},"revision":${JSON.stringify(bundle.revision)},"tenants":[`;
  let first = true;
  for (const tenant of bundle.tenants) {
    yield first ? '\n' : ',\n';
    first = false;
    yield* tenantLines(tenant);
  }
  yield '\n]}\n';
}

function* tenantLines({ id, name, revision, digest, records }: BundleTenant): Generator<string> {
  yield `${JSON.stringify({ id, name, revision, digest }).slice(0, -1)},"records":[`;
  let first = true;
  for (const record of inOrder(records)) {
    const start = first ? '\n' : ',\n';
    first = false;
    yield `${start}{"kind":"${record.kind}","id":${JSON.stringify(record.id)},"fields":${canonicalJson(record.fields)}}`;
  }
  yield '\n]}';
}

/** Records in the order of kinds and then of addresses, by code unit. */
function* inOrder(records: readonly EngineRecord[]): Generator<EngineRecord> {
  for (const kind of KINDS) {
    if (isCredential(kind)) continue;
    const byAddress = new Map<string, EngineRecord>();
    for (const record of records) {
      if (record.kind === kind) byAddress.set(addressOf(kind, record.fields), record);
    }
    for (const address of [...byAddress.keys()].sort()) yield byAddress.get(address) as EngineRecord;
  }
}
