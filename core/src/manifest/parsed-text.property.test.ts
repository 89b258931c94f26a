import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomTree } from '../../testing/random-trees.js';
import type { ManifestFile, ManifestResult } from './manifest.js';
import { parsedText } from './parsed-text.js';
import { readManifest } from './read.js';

/** A reading as data, with the answers of its functions. */
function asData({ placeOf, environmentPlaceOf, linesOf, ...result }: ManifestResult) {
  const places = (result.manifest?.records ?? []).map(({ address, fields }) => [
    placeOf(address),
    linesOf(address),
    environmentPlaceOf(address),
    ...Object.keys(fields).map((name) => placeOf(address, `/${name}`)),
    placeOf(address, '/condition', 20),
  ]);
  return { ...result, places };
}

it('reads of what was parsed ahead the same as of the text: records, faults and places', () => {
  const seen = { sound: 0, faulty: 0 };
  fc.assert(
    fc.property(randomTree, (files) => {
      const ahead = files.map((file): ManifestFile => ({ ...file, parsed: structuredClone(parsedText(file.text)) }));
      const plain = readManifest(files, { now: 0 });
      expect(asData(readManifest(ahead, { now: 0 }))).toEqual(asData(plain));
      if (plain.manifest === undefined) seen.faulty++;
      else seen.sound++;
    }),
    { numRuns: 500 },
  );
  // About a third is sound.
  expect(Math.min(seen.faulty, seen.sound)).toBeGreaterThan(20);
});
