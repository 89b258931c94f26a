import type { Buffer } from 'node:buffer';
import type { EngineRecord } from '../access/api/engine.js';
import { packArchive, type Sign } from './archive.js';
import type { DeltaHead } from './delta.js';
import { DELTA_ENTRIES } from './format.js';
import { type BundleFormat, raised, SLICE_FORMAT } from './record-format.js';
import { TextWriter } from './text-writer.js';

/** A change as the `recordText` of its records. */
export interface ChangeText {
  before?: string | undefined;
  after?: string | undefined;
}

/** The archive that agents fetch instead of a bundle: a tar.gz with `delta.json`, and its signature as `delta.jws`. */
export function packDelta(head: DeltaHead, changes: readonly ChangeText[], sign?: Sign): Promise<Buffer> {
  return packArchive(DELTA_ENTRIES, encodeDelta(head, changes), sign);
}

/** The bytes of `delta.json`, in pieces. */
export function encodeDelta(head: DeltaHead, changes: readonly ChangeText[]): Buffer[] {
  const { tenant, base, revision, digest, slice } = head;
  const writer = new TextWriter();
  const format = changes
    .flatMap(({ before, after }) => [before ?? [], after ?? []].flat())
    .reduce<BundleFormat>(
      (least, text) => raised(least, JSON.parse(text) as EngineRecord),
      slice === undefined ? 1 : SLICE_FORMAT,
    );
  writer.write(`${JSON.stringify({ format, tenant, base, revision, digest, slice }).slice(0, -1)},"changes":[`);
  let separator = '\n';
  for (const { before, after } of changes) {
    const sides = [
      ...(before === undefined ? [] : [`"before":${before}`]),
      ...(after === undefined ? [] : [`"after":${after}`]),
    ];
    writer.write(`${separator}{${sides.join(',')}}`);
    separator = ',\n';
  }
  writer.write('\n]}\n');
  return writer.finish();
}
