import { type Epoch, epochName } from '@authz-service/core/bundle/epoch';
import { announcedKeys, announceKeys, type KeySet } from '@authz-service/core/bundle/key-set';
import { makeBundleKey, signingKey } from '@authz-service/core/bundle/make-key';
import { type NewestBundle, signNewest } from '@authz-service/core/bundle/newest';
import type { SigningKey } from '@authz-service/core/bundle/signing-key';
import { type Statable, signDelta, signStatement, statementOf } from '@authz-service/core/bundle/statement';
import { SerialQueue } from '../concurrency/serial-queue.js';
import type { BundleKeyRow } from '../store/key-store.js';
import type { Store } from '../store/store.js';
import { newestEpoch } from './epochs.js';

/**
 * The keys that sign bundles. Each rotation creates one, announced by the key before it, so that agents which trust
 * that one follow without help. The announcements are kept for ever, because an agent may have been offline during
 * several rotations.
 */
export class BundleKeys {
  readonly #queue = new SerialQueue();

  private constructor(
    private readonly store: Store,
    private readonly now: () => number,
    private current: { set: KeySet; signer: SigningKey },
    readonly announcements: string[],
    /** The newest epoch, which everything states that is signed. */
    public epoch: Epoch | undefined,
  ) {}

  /** Reads the keys and creates the first one if there is none. */
  static async open(store: Store, now: () => number): Promise<BundleKeys> {
    const rows = await store.bundleKeys();
    if (rows.length === 0) {
      const first = await nextKey(undefined, { revoke: false, at: now() });
      await store.addBundleKey(first);
      rows.push(first);
    }
    const newest = rows.at(-1);
    if (newest === undefined) throw new Error('the store kept no bundle key');
    const announcements = rows.map(({ announcement }) => announcement);
    return new BundleKeys(store, now, await opened(newest), announcements, await newestEpoch(store));
  }

  /** The set of keys that agents should trust. */
  get set(): KeySet {
    return this.current.set;
  }

  /** The current signing key. */
  get kid(): string {
    return this.current.signer.kid;
  }

  /** The name of the epoch. */
  get epochName(): string | undefined {
    return this.epoch && epochName(this.epoch);
  }

  /** The mark of the keys: while it is the same, what was signed would be signed the same again. */
  get mark(): string {
    return `${this.kid} ${this.epochName}`;
  }

  /** The text of `bundle.jws` for a bundle whose bytes have this SHA-256. */
  sign(bundle: Statable, sha256: string): Promise<string> {
    return signStatement(statementOf(bundle, sha256, new Date(this.now()), this.epoch?.jws), this.current.signer);
  }

  /** The text of `delta.jws` for a delta whose bytes have this SHA-256. */
  signDelta(sha256: string): Promise<string> {
    return signDelta(sha256, new Date(this.now()), this.current.signer, this.epochName);
  }

  /** Says that a bundle was the newest at this time, in milliseconds since the epoch. */
  signNewest(bundle: NewestBundle, at: number): Promise<string> {
    return signNewest(bundle, new Date(at), this.current.signer);
  }

  /** Signs with a new key from now on. `revoke` makes agents that learn of it stop trusting all earlier keys. */
  rotate({ revoke }: { revoke: boolean }): Promise<BundleKeyRow> {
    const make = async () => {
      await this.follow();
      const row = await nextKey(this.current, { revoke, at: this.now() });
      const current = await opened(row);
      await this.store.addBundleKey(row);
      this.current = current;
      this.announcements.push(row.announcement);
      return row;
    };
    // The key before it announces each key, so that there is one line of them whoever makes one.
    return this.#queue.run(() => this.store.alone(make));
  }

  /** Takes over what others have made. */
  async follow(): Promise<void> {
    const epoch = await newestEpoch(this.store);
    if (epoch && epoch.number > (this.epoch?.number ?? 0)) this.epoch = epoch;
    const rows = await this.store.bundleKeys();
    const newest = rows.at(-1);
    if (newest === undefined || newest.version <= this.set.version) return;
    this.current = await opened(newest);
    this.announcements.splice(0, this.announcements.length, ...rows.map(({ announcement }) => announcement));
  }
}

async function opened({ kid, jwk, announcement }: BundleKeyRow): Promise<{ set: KeySet; signer: SigningKey }> {
  return { set: announcedKeys(announcement), signer: await signingKey(kid, JSON.parse(jwk)) };
}

async function nextKey(
  before: { set: KeySet; signer: SigningKey } | undefined,
  { revoke, at }: { revoke: boolean; at: number },
): Promise<BundleKeyRow> {
  const { kid, privateJwk, publicKey } = await makeBundleKey();
  // Versions come from the clock, so that a cloud restored from a backup does not use one twice.
  const version = Math.max((before?.set.version ?? 0) + 1, Math.floor(at / 1000));
  const kept = revoke ? [] : (before?.set.keys ?? []);
  const announcer = before?.signer ?? (await signingKey(kid, privateJwk));
  return {
    version,
    kid,
    jwk: JSON.stringify(privateJwk),
    announcement: await announceKeys({ version, keys: [publicKey, ...kept] }, announcer),
    created_at: new Date(at).toISOString(),
  };
}
