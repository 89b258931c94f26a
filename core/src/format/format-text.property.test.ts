import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomTree } from '../../testing/random-trees.js';
import { parseText } from '../manifest/parse-text.js';
import { readManifest } from '../manifest/read.js';
import { withoutMark } from '../manifest/source.js';
import { commentsOf, formatText } from './format-text.js';

/** A comment, or a blank line, put at the end of a line or before one, at some column. */
const remark = fc.record({
  line: fc.double({ min: 0, max: 0.999, noNaN: true }),
  put: fc.constantFrom('# one', '  # two', '    # three', '#', '      # { not: [code', '', ' # behind'),
  isBehind: fc.boolean(),
});

const remarked = fc
  .tuple(randomTree, fc.array(remark, { maxLength: 8 }), fc.boolean())
  .map(([files, remarks, returns]) =>
    files.map(({ path, text }) => {
      const lines = text.split('\n');
      for (const { line, put, isBehind } of remarks) {
        const at = Math.floor(line * lines.length);
        if (isBehind) lines[at] += ` ${put}`;
        else lines.splice(at, 0, put);
      }
      return { path, text: lines.join(returns ? '\r\n' : '\n') };
    }),
  );

const told = (files: { path: string; text: string }[]) => {
  const { manifest, faults } = readManifest(files, { now: 0 });
  return { manifest: manifest && { ...manifest, records: byAddress(manifest.records) }, faults: faults.length > 0 };
};
const byAddress = <T extends { address: string }>(records: readonly T[]) =>
  [...records].sort((left, right) => (left.address < right.address ? -1 : 1));

it('keeps what a tree says and every comment, and formats what is formatted to itself', () => {
  const seen = { formatted: 0, changed: 0, sound: 0, left: 0 };
  fc.assert(
    fc.property(remarked, (files) => {
      const formatted = files.map(({ path, text }) => {
        if (parseText(withoutMark(text)).refused.length > 0) return { path, text };
        const after = formatText(withoutMark(text), 'records');
        if (after === undefined) {
          seen.left++;
          return { path, text };
        }
        seen.formatted++;
        if (after !== text) seen.changed++;
        expect(commentsOf(after)).toEqual(commentsOf(text));
        expect(formatText(after, 'records')).toBe(after);
        return { path, text: after };
      });
      const before = told(files);
      if (before.manifest !== undefined) seen.sound++;
      expect(told(formatted)).toEqual(before);
    }),
    { numRuns: 400 },
  );
  // A tree in a hundred has what YAML's library cannot write back, such as a comment behind an empty key.
  expect(seen.left).toBeLessThan(seen.formatted / 100);
  expect(Math.min(seen.changed, seen.sound)).toBeGreaterThan(100);
});
