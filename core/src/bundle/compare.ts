import { ProblemError } from '../problem.js';
import { BundleLines, isBefore, placeOf, type RecordPlace } from './bundle-lines.js';
import type { Delta, DeltaHead, RevisionRef } from './delta.js';
import type { ChangeText } from './delta-write.js';
import { bundleRevision } from './digest.js';
import { isBundleFormat } from './record-format.js';
import { recordText } from './record-text.js';
import type { ByteSource } from './types.js';
import { areForSame, isText, sliceOf } from './untrusted.js';

/** The changes that lead from one bundle to another, as a delta holds them. */
export interface BundleChanges {
  head: DeltaHead;
  /** Each address once, in the order of kinds and then of addresses. */
  changes: ChangeText[];
}

interface PlacedChange extends ChangeText {
  place: RecordPlace;
}

/**
 * Returns what leads from the state after `base` and its `deltas`, which is at `current`, to the bundle `next`. Of `base`
 * every line counts as checked; of `next` those are checked that differ, and whether the whole fits its digest shows only
 * where the changes are applied. Undefined where it cannot be told so: another notation, several tenants, other applications,
 * more than `changesMax` changes. Throws `invalid_bundle` or `SyntaxError` where a text is not what it should be.
 */
export function compareBundles(
  { base, deltas, current }: { base: ByteSource; deltas: readonly Delta[]; current: RevisionRef },
  next: ByteSource,
  changesMax: number,
): BundleChanges | undefined {
  const [before, after] = [new BundleLines(base), new BundleLines(next)];
  const { id, name, revision, digest } = after.tenant;
  const [slice, former] = [after, before].map(({ tenant }) => sliceOf(tenant.slice, 'The tenant'));
  if (!areForSame(slice, former)) return undefined;
  if (!isBundleFormat(after.head.format) || after.head.unreadable !== undefined) return undefined;
  if (!isText(id) || !isText(name) || !isText(revision) || !isText(digest)) return undefined;
  if (after.head.revision !== bundleRevision([{ id, revision, digest }])) return undefined;
  const changes = changesBetween(before, after, changesMax);
  if (changes === undefined) return undefined;
  startAfter(changes, deltas);
  const ordered = [...changes.values()].sort((one, other) => (isBefore(one.place, other.place) ? -1 : 1));
  const head = { tenant: { id, name }, base: current, revision, digest, ...(slice && { slice }) };
  return { head, changes: ordered };
}

/** Both are in the order of kinds and addresses, so that one walk finds all. */
function changesBetween(before: BundleLines, after: BundleLines, changesMax: number) {
  const changes = new Map<string, PlacedChange>();
  const add = (place: RecordPlace, change: ChangeText) => changes.set(place.address, { place, ...change });
  while (changes.size <= changesMax) {
    if (before.skipShared(after)) continue;
    const [old, now] = [before.text, after.text];
    if (old === undefined && now === undefined) return changes;
    if (old !== undefined && old === now) {
      before.skip();
      after.skip();
      continue;
    }
    const [from, to] = [old === undefined ? undefined : placeOf(old), now === undefined ? undefined : placeOf(now)];
    if (from !== undefined && (to === undefined || isBefore(from, to))) {
      add(from, { before: old });
      before.skip();
    } else if (to !== undefined) {
      const { previous } = after;
      if (previous !== undefined && !isBefore(previous, to)) {
        throw new ProblemError('invalid_bundle', `A record stands twice or out of order.`);
      }
      const same = from !== undefined && !isBefore(to, from);
      add(to, same ? { before: old, after: now } : { after: now });
      if (same) before.skip();
      after.skip();
    }
  }
  return undefined;
}

/** Makes of what changed since the base what changed since the deltas after it. */
function startAfter(changes: Map<string, PlacedChange>, deltas: readonly Delta[]): void {
  const moved = new Map<string, PlacedChange>();
  for (const delta of deltas) {
    for (const { before, after } of delta.changes) {
      const [from, to] = [before && recordText(before), after && recordText(after)];
      const place = placeOf((from ?? to) as string);
      const known = moved.get(place.address);
      moved.set(place.address, { place, before: known === undefined ? from : known.before, after: to });
    }
  }
  for (const [address, { place, before: based, after: served }] of moved) {
    const change = changes.get(address);
    const now = change === undefined ? based : change.after;
    if (now === served) changes.delete(address);
    else changes.set(address, { place, before: served, after: now });
  }
}
