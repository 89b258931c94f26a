import { stepsInPlaceMax } from '@authz-service/core/bundle/limits';
import type { BundleKeys } from './bundle-keys.js';
import type { ChangesSince } from './journal.js';

/** If the changes are a larger share of the records than this, the whole bundle is sent. */
const DELTA_SHARE_MAX = 0.25;

/** Agents that follow ask from the last few revisions; requests from thousands of others must not fill the memory. */
const DELTAS_KEPT_MAX = 64;

/** A delta, packed and signed. */
export interface PackedDelta {
  archive: Promise<Buffer>;
  /** The revision that it leads to, unless that is the newest. */
  to?: string;
}

/** The changes since a revision, and their number before they are read. */
export interface SinceBase {
  count: number;
  /** Changes of so many addresses at most, or of one commit. */
  read(most: number): ChangesSince | undefined;
}

/** The archives of the newest revision: the whole bundle, and the deltas that lead to it, each packed and signed once for each key. */
export class PackedBundles {
  #bundle: { mark: string; archive: Promise<Buffer> } | undefined;
  /** By base and key. */
  readonly #deltas = new Map<string, PackedDelta>();

  bundle({ mark }: Pick<BundleKeys, 'mark'>, pack: () => Promise<Buffer>): Promise<Buffer> {
    if (this.#bundle?.mark === mark) return this.#bundle.archive;
    const packing = { mark, archive: pack() };
    this.#bundle = packing;
    packing.archive.catch(() => {
      if (this.#bundle === packing) this.#bundle = undefined;
    });
    return packing.archive;
  }

  /**
   * The changes since the base, as many as are made in place at once: those who have these ask again. Undefined if they are not known,
   * not clearly less than a bundle, or too many in one commit; and if only the newest will do, too many in all.
   */
  delta(
    base: string,
    { mark }: Pick<BundleKeys, 'mark'>,
    {
      since,
      size,
      pack,
      onlyNewest,
    }: { since: SinceBase; size: number; pack: (since: ChangesSince) => Promise<Buffer>; onlyNewest: boolean },
  ): PackedDelta | undefined {
    const name = `${base} ${mark}`;
    const kept = this.#deltas.get(name);
    if (kept !== undefined) return onlyNewest && kept.to !== undefined ? undefined : kept;
    if (since.count > size * DELTA_SHARE_MAX) return undefined;
    const most = stepsInPlaceMax(size);
    // Some changes weigh more than others in an engine; a part that were too heavy would be fetched in vain.
    const found = since.read(since.count <= most ? most : most / 2);
    if (found === undefined || found.changes.length > most || (onlyNewest && found.to !== undefined)) return undefined;
    const delta: PackedDelta = { archive: pack(found), ...(found.to && { to: found.to.revision }) };
    for (const oldest of this.#deltas.keys()) {
      if (this.#deltas.size < DELTAS_KEPT_MAX) break;
      this.#deltas.delete(oldest);
    }
    this.#deltas.set(name, delta);
    delta.archive.catch(() => this.#deltas.delete(name));
    return delta;
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
