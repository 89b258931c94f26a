import type { ChangeText } from '@authz-service/core/bundle/delta-write';
import { stepsInPlaceMax } from '@authz-service/core/bundle/limits';
import type { BundleKeys } from './bundle-keys.js';

/** If the changes are a larger share of the records than this, the whole bundle is sent. */
const DELTA_SHARE_MAX = 0.25;

/** Agents that follow ask from the last few revisions; requests from thousands of others must not fill the memory. */
const DELTAS_KEPT_MAX = 64;

/** The archives of the newest revision: the whole bundle, and the deltas that lead to it, each packed and signed once for each key. */
export class PackedBundles {
  #bundle: { mark: string; archive: Promise<Buffer> } | undefined;
  /** By base and key. */
  readonly #deltas = new Map<string, Promise<Buffer>>();

  bundle({ mark }: Pick<BundleKeys, 'mark'>, pack: () => Promise<Buffer>): Promise<Buffer> {
    if (this.#bundle?.mark === mark) return this.#bundle.archive;
    const packing = { mark, archive: pack() };
    this.#bundle = packing;
    packing.archive.catch(() => {
      if (this.#bundle === packing) this.#bundle = undefined;
    });
    return packing.archive;
  }

  /** Undefined if the changes since the base are not known, too many to be made in place, or not clearly less than a bundle. */
  delta<S extends { changes: readonly ChangeText[] }>(
    base: string,
    { mark }: Pick<BundleKeys, 'mark'>,
    { since, size, pack }: { since: () => S | undefined; size: number; pack: (since: S) => Promise<Buffer> },
  ): Promise<Buffer> | undefined {
    const name = `${base} ${mark}`;
    const kept = this.#deltas.get(name);
    if (kept !== undefined) return kept;
    const found = since();
    const most = Math.min(size * DELTA_SHARE_MAX, stepsInPlaceMax(size));
    if (found === undefined || found.changes.length > most) return undefined;
    const archive = pack(found);
    for (const oldest of this.#deltas.keys()) {
      if (this.#deltas.size < DELTAS_KEPT_MAX) break;
      this.#deltas.delete(oldest);
    }
    this.#deltas.set(name, archive);
    archive.catch(() => this.#deltas.delete(name));
    return archive;
  }

  /** Forgets what was packed of a revision that is no longer the newest. */
  clear(): void {
    this.#bundle = undefined;
    this.clearDeltas();
  }

  clearDeltas(): void {
    this.#deltas.clear();
  }
}
