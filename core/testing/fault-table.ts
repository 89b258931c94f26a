import { expect, it } from 'vitest';
import { faultText, type ManifestResult } from '../src/manifest/manifest.js';
import { readManifest } from '../src/manifest/read.js';

/** Reads one text as `a.yaml`, several as `a.yaml`, `b.yaml`, … */
export function read(...texts: string[]): ManifestResult {
  return readManifest(texts.map((text, index) => ({ path: `${'abcdef'[index]}.yaml`, text })));
}

/** A tree of one or several files, and all its faults as they are shown. */
type Row = [behaviour: string, texts: string | string[], faults: string[]];

export function faultTable(rows: Row[]): void {
  it.each(rows)('%s', (_, texts, faults) => {
    expect(read(...[texts].flat()).faults.map(faultText)).toEqual(faults);
  });
}

export const V = 'version: 1\n';

export const BILLING = `${V}applications:
  billing:
    resource_types:
      invoice: { actions: [read, approve], properties: { amount: number } }
`;
