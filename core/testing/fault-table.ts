import { expect, it } from 'vitest';
import { faultText, type ManifestFile, type ManifestResult } from '../src/manifest/manifest.js';
import { parsedText } from '../src/manifest/parsed-text.js';
import { readManifest } from '../src/manifest/read.js';

/** Reads one text as `a.yaml`, several as `a.yaml`, `b.yaml`, … */
export function read(...texts: string[]): ManifestResult {
  return readManifest(filesOf(texts));
}

function filesOf(texts: readonly string[]): ManifestFile[] {
  return texts.map((text, index) => ({ path: `${'abcdef'[index]}.yaml`, text }));
}

/** A tree of one or several files, and all its faults as they are shown. */
type Row = [behaviour: string, texts: string | string[], faults: string[]];

export function faultTable(rows: Row[]): void {
  it.each(rows)('%s', (_, texts, faults) => {
    const found = read(...[texts].flat());
    expect(found.faults.map(faultText)).toEqual(faults);
    const ahead = filesOf([texts].flat()).map((file) => ({ ...file, parsed: parsedText(file.text) }));
    expect(readManifest(ahead)).toMatchObject({ faults: found.faults, warnings: found.warnings });
  });
}

export const V = 'version: 1\n';

export const BILLING = `${V}applications:
  billing:
    resource_types:
      invoice: { actions: [read, approve], properties: { amount: number } }
`;
